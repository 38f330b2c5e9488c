#include "player/rendering/ranks/ranked_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <utility>

#include "sync/base/file.hpp"

namespace tilewall::rendering {
namespace {

constexpr double check_space_every_s = 2;

std::uint64_t random_token() {
  return (std::uint64_t{std::random_device()()} << 32) | std::random_device()();
}

}  // namespace

RankedFolder::RankedFolder(const movie::ImportOptions& options, movie::ImportPlan plan,
                           std::int64_t least_measured_frames)
    : options_(options),
      plan_(std::move(plan)),
      least_measured_frames_(least_measured_frames),
      folder_(options.output, options.files, plan_.manifest, options.overwrite),
      token_(random_token()) {
  if (folder_.complete()) {
    result_.already_complete = true;
    result_.manifest = folder_.existing();
    return;
  }
  already_there_ = folder_.frames_there();
  write_file_atomically(folder_.path() / token_name(), "");
}

RankedFolder::~RankedFolder() {
  std::error_code ignored;
  std::filesystem::remove(folder_.path() / token_name(), ignored);
}

std::string RankedFolder::token_name() const {
  return fmt::format("frame-ranks.{:016x}.tmp", token_);
}

void RankedFolder::require_space(double frame_bytes) const {
  movie::require_space(options_.output, frame_bytes,
                       plan_.manifest.frames - already_there_ - result_.written_frames);
}

std::vector<std::int64_t> RankedFolder::begin() {
  folder_.save(plan_.manifest);
  status_.emplace(folder_.path(), movie::PicturedFrames{plan_.manifest, plan_.files});
  std::vector<std::int64_t> missing;
  for (std::int64_t frame = 0; frame < plan_.manifest.frames; ++frame)
    if (!folder_.has_frame(frame)) missing.push_back(frame);
  already_there_ = plan_.manifest.frames - static_cast<std::int64_t>(missing.size());
  return missing;
}

void RankedFolder::add(std::int64_t frame, std::uint64_t bytes) {
  newest_ = frame;
  ++result_.written_frames;
  result_.written_bytes += bytes;
}

movie::TransferProgress RankedFolder::progress() const {
  return {already_there_ + result_.written_frames, plan_.manifest.frames, result_.written_bytes,
          "frames", newest_};
}

void RankedFolder::write_status(std::vector<movie::WorkerStatus> workers,
                                movie::ProgressSink& sink) {
  status_->update(progress(), std::move(workers), sink);
}

void RankedFolder::watch_space(double now_s) {
  if (now_s < check_space_at_s_ || result_.written_frames < least_measured_frames_) return;
  check_space_at_s_ = now_s + check_space_every_s;
  require_space(static_cast<double>(result_.written_bytes) /
                static_cast<double>(result_.written_frames));
}

movie::ImportResult RankedFolder::finish(double duration_s) {
  status_.reset();
  if (result_.already_complete) return std::move(result_);
  folder_.remove_leftovers();
  plan_.manifest.complete = true;
  folder_.save(plan_.manifest);
  result_.manifest = plan_.manifest;
  result_.decoded_pictures = result_.written_frames;
  result_.duration_s = duration_s;
  return std::move(result_);
}

}  // namespace tilewall::rendering
