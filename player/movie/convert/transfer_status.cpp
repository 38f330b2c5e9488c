#include "player/movie/convert/transfer_status.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/movie/convert/huge_import.hpp"
#include "player/movie/convert/image_writer.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/source/image_file.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::movie {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds tell_every{1};
constexpr int least_picture_width_px = 320;  // where the movie has that many
constexpr int pause_share = 20;  // Pictures take at most one part of the time in so many.
constexpr std::size_t most_status_bytes = 1 << 20;
constexpr std::size_t most_workers = 4096;
constexpr std::int64_t most_counted = std::int64_t{1} << 50;

Json to_json(const WorkerStatus& worker) {
  Json json = {{"name", worker.name}, {"state", worker.state}, {"stored", worker.stored}};
  if (worker.frame) json["frame"] = *worker.frame;
  return json;
}

Json to_json(const TransferStatus& status) {
  Json workers = Json::array();
  for (const WorkerStatus& worker : status.workers) workers.push_back(to_json(worker));
  Json json = {{"done", status.progress.done}, {"total", status.progress.total},
               {"unit", status.progress.unit}, {"bytes", status.progress.bytes},
               {"per_s", status.per_s},        {"workers", std::move(workers)}};
  if (status.left_s) json["left_s"] = *status.left_s;
  return json;
}

WorkerStatus worker_from_json(const Json& json) {
  WorkerStatus worker;
  worker.name = json_field<std::string>(json, "name");
  worker.state = json_field<std::string>(json, "state");
  worker.stored = json_number<std::int64_t>(json, "stored", 0, most_counted);
  if (json.contains("frame"))
    worker.frame = json_number<std::int64_t>(json, "frame", 0, most_counted);
  return worker;
}

TransferStatus status_from_json(const Json& json) {
  TransferStatus status;
  status.progress.done = json_number<std::int64_t>(json, "done", 0, most_counted);
  status.progress.total = json_number<std::int64_t>(json, "total", 0, most_counted);
  status.progress.bytes =
      static_cast<std::uint64_t>(json_number<std::int64_t>(json, "bytes", 0, most_counted));
  status.per_s = json_field<double>(json, "per_s");
  if (json.contains("left_s")) status.left_s = json_field<double>(json, "left_s");
  const auto workers = json_field<Json>(json, "workers");
  expect_field(workers.is_array() && workers.size() <= most_workers, "workers", "a list");
  for (const Json& worker : workers) status.workers.push_back(worker_from_json(worker));
  return status;
}

/// Returns whether a job holds the lock of ImportFolder.
bool is_locked(const std::filesystem::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return !fd.empty() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// The image in that size.
PlanarPicture image_at(const std::filesystem::path& file, SizePx size_px) {
  const SharedFrame image = decode_image_file(file);
  const SizePx whole{image->width, image->height};
  ConversionTarget target{
      whole,
      {0, 0, static_cast<double>(whole.width), static_cast<double>(whole.height)},
      {},
      size_px,
      Chroma::rgb};
  return PictureConverter(target, file.string()).convert(*image);
}

}  // namespace

TransferStatus TransferPace::next(const TransferProgress& progress,
                                  std::vector<WorkerStatus> workers) {
  const SteadyClock::time_point now = SteadyClock::now();
  if (done_at_begin_ < 0) {
    done_at_begin_ = progress.done;
    began_ = now;
  }
  due_ = now + tell_every;
  TransferStatus status{progress, 0, std::nullopt, std::move(workers)};
  const double elapsed_s = std::chrono::duration<double>(now - began_).count();
  if (elapsed_s > 0) status.per_s = static_cast<double>(progress.done - done_at_begin_) / elapsed_s;
  if (status.per_s > 0 && progress.total > 0)
    status.left_s = static_cast<double>(std::max<std::int64_t>(0, progress.total - progress.done)) /
                    status.per_s;
  return status;
}

StatusFile::StatusFile(std::filesystem::path folder, std::optional<PicturedFrames> frames)
    : folder_(std::move(folder)), frames_(std::move(frames)) {}

StatusFile::~StatusFile() {
  std::error_code ignored;
  for (const std::string_view name : {status_file_name, status_picture_name})
    std::filesystem::remove(folder_ / name, ignored);
}

void StatusFile::update(const TransferProgress& progress, std::vector<WorkerStatus> workers,
                        ProgressSink& sink) {
  const TransferStatus status = pace_.next(progress, std::move(workers));
  try {
    write_file_atomically(folder_ / status_file_name, json_text(to_json(status)));
    const auto began = std::chrono::steady_clock::now();
    if (frames_ && progress.newest >= 0 && began >= picture_due_ &&
        std::exchange(pictured_, progress.newest) != progress.newest) {
      write_picture(progress.newest);
      picture_due_ = began + pause_share * (std::chrono::steady_clock::now() - began);
    }
  } catch (const std::runtime_error&) {
    // The job itself finds out what is wrong with the disk.
  }
  sink.status(status);
}

void StatusFile::write_picture(std::int64_t frame) const {
  const MovieManifest& movie = frames_->movie;
  int level = movie.levels - 1;
  while (level > 0 && level_size_px(movie.size_px, level).width < least_picture_width_px) --level;
  const std::filesystem::path to = folder_ / status_picture_name;
  if (frames_->files == FrameFiles::movie)
    write_png(decode_frame_to_planes(movie, folder_, frame, level), to);
  else if (std::int64_t{movie.size_px.width} * movie.size_px.height <= huge_from_px)
    write_png(image_at(folder_ / frame_file_name(frame, frames_->files),
                       level_size_px(movie.size_px, level)),
              to);
}

void StatusSink::update(const TransferProgress& progress) {
  if (file_.is_due()) file_.update(progress, {}, to_);
  to_.update(progress);
}

void PacedSink::update(const TransferProgress& progress) {
  if (pace_.is_due()) to_.status(pace_.next(progress, {}));
  to_.update(progress);
}

std::optional<TransferStatus> running_status(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / status_file_name, ignored) || !is_locked(folder))
    return std::nullopt;
  try {
    return status_from_json(
        parse_json(read_text_file(folder / status_file_name, most_status_bytes)));
  } catch (const InputError&) {
    // The job has just ended, or has not written its status yet.
    return std::nullopt;
  }
}

}  // namespace tilewall::movie
