#include "player/movie/frames/frame_loader.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {

FrameLoader::FrameLoader(std::filesystem::path folder, const MovieManifest& movie)
    : folder_(std::move(folder)), movie_(movie) {}

FrameLoader::~FrameLoader() = default;

void FrameLoader::select(int level, std::span<const int> blocks) {
  if (level == level_ && std::ranges::equal(blocks, wanted_)) return;
  wait_for_reader();
  ahead_ = none;
  likely_.forget();
  level_ = level;
  wanted_.assign(blocks.begin(), blocks.end());
}

void FrameLoader::expect(std::span<const std::int64_t> frames) {
  wait_for_reader();
  if (frames.empty() || ahead_ == frames.front() || wanted_.empty()) return;
  if (!thread_.joinable())
    thread_ = std::jthread([this, parent = sync::trace_parent()](const std::stop_token& stop) {
      const sync::TraceThread trace(parent, "read");
      name_this_thread("read");
      run(stop);
    });
  {
    const std::scoped_lock lock(mutex_);
    ahead_ = frames.front();
    reading_ = true;
  }
  changed_.notify_all();
}

const LoadedFrame* FrameLoader::take(std::int64_t frame) {
  {
    const sync::TraceSpan span("wait for read");
    wait_for_reader();
  }
  const bool there = ahead_ == frame && frames_[1 - taken_].frame.has_index;
  if (there)
    taken_ = 1 - taken_;
  else  // the file may have been written since it was read ahead
    load(frame, index_, frames_[taken_]);
  ahead_ = none;
  return &frames_[taken_].frame;
}

void FrameLoader::load(std::int64_t frame, FrameIndex& index, Loaded& loaded) {
  const sync::TraceSpan span("read", {frame, sync::TraceLabels::none});
  const std::filesystem::path file = folder_ / frame_file_name(frame);
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
  likely_.prefetch(fd.get());
  into.has_index = index.load(fd.get(), movie_, level_);
  into.read_bytes = index.read_bytes();
  if (!into.has_index) return;
  loaded.reader.read(fd.get(), index.blocks(), wanted_);
  likely_.learn(index.blocks(), wanted_);
  for (std::size_t i = 0; i < wanted_.size(); ++i) into.blocks.push_back(loaded.reader.bytes(i));
  into.read_bytes += loaded.reader.read_bytes();
}

void FrameLoader::wait_for_reader() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !reading_; });
}

void FrameLoader::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return reading_; })) {
    const std::int64_t frame = ahead_;
    lock.unlock();
    Loaded& into = frames_[1 - taken_];
    try {
      load(frame, index_ahead_, into);
    } catch (const std::exception&) {  // out of memory: take() tries again, and throws
      into.frame.has_index = false;
    }
    lock.lock();
    reading_ = false;
    changed_.notify_all();
  }
}

}  // namespace tilewall::movie
