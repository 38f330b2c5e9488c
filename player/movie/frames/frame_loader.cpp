#include "player/movie/frames/frame_loader.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {

FrameLoader::FrameLoader(std::filesystem::path folder, const MovieManifest& movie,
                         std::function<bool()> abandon)
    : folder_(std::move(folder)),
      movie_(movie),
      abandon_(std::move(abandon)),
      io_([this] { run_order(); }) {}

FrameLoader::~FrameLoader() = default;

void FrameLoader::select(int level, std::span<const int> blocks) {
  if (level == level_ && std::ranges::equal(blocks, wanted_)) return;
  ++selection_;
  level_ = level;
  wanted_.assign(blocks.begin(), blocks.end());
}

void FrameLoader::expect(std::span<const std::int64_t> frames) {
  if (frames.empty() || wanted_.empty() || io_.is_busy() || has(frames.front())) return;
  start(frames.front());
}

const LoadedFrame* FrameLoader::take(std::int64_t frame) {
  {
    const sync::TraceSpan span("wait for read", {frame, sync::TraceLabels::none});
    if (!io_.wait(abandon_)) return nullptr;
    // A frame without an index is read again, because its file may have been written since.
    const bool is_there = has(frame) && frames_[1 - taken_].frame.has_index;
    if (!is_there) {
      start(frame);
      if (!io_.wait(abandon_)) return nullptr;
    }
  }
  taken_ = 1 - taken_;
  ahead_ = none;
  return &frames_[taken_].frame;
}

void FrameLoader::start(std::int64_t frame) {
  ahead_ = frame;
  order_.frame = frame;
  order_.level = level_;
  order_.blocks.assign(wanted_.begin(), wanted_.end());
  order_.selection = selection_;
  io_.start();
}

bool FrameLoader::has(std::int64_t frame) const noexcept {
  return ahead_ == frame && order_.selection == selection_;
}

void FrameLoader::run_order() noexcept {
  Loaded& into = frames_[1 - taken_];
  try {
    load(into);
  } catch (const std::exception&) {  // out of memory counts as a damaged frame
    into.frame.blocks.clear();
    into.frame.has_index = false;
  }
}

void FrameLoader::load(Loaded& loaded) {
  const sync::TraceSpan span("read", {order_.frame, sync::TraceLabels::none});
  const std::filesystem::path file = folder_ / frame_file_name(order_.frame);
  LoadedFrame& into = loaded.frame;
  into.blocks.clear();
  into.has_index = false;
  into.is_missing = false;
  into.read_bytes = 0;
  const UniqueFd fd(
      retry_eintr([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.empty()) {
    into.is_missing = errno == ENOENT;
    return;
  }
  if (std::exchange(likely_selection_, order_.selection) != order_.selection) likely_.forget();
  likely_.prefetch(fd.get());
  into.has_index = index_.load(fd.get(), movie_, order_.level);
  into.read_bytes = index_.read_bytes();
  if (!into.has_index) return;
  loaded.reader.read(fd.get(), index_.blocks(), order_.blocks);
  likely_.learn(index_.blocks(), order_.blocks);
  for (std::size_t i = 0; i < order_.blocks.size(); ++i)
    into.blocks.push_back(loaded.reader.bytes(i));
  into.read_bytes += loaded.reader.read_bytes();
}

}  // namespace tilewall::movie
