// Reads the compressed blocks of frames from files: on the caller's thread, or one frame ahead on a
// thread of its own, so that decoding does not wait for a disk that is fast enough on average.
//
// Threads: one owner, who makes all calls. From the first expect() on it has a reading thread.
#pragma once

#include <array>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "player/movie/frames/block_prefetcher.hpp"
#include "player/movie/frames/block_reader.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/likely_ranges.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

class FrameLoader final : public BlockPrefetcher {
 public:
  FrameLoader(std::filesystem::path folder, const MovieManifest& movie);
  ~FrameLoader() override;
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  void select(int level, std::span<const int> blocks) override;
  /// Starts to read the first of these frames, unless it has been read or is being read.
  void expect(std::span<const std::int64_t> frames) override;
  [[nodiscard]] const LoadedFrame* take(std::int64_t frame) override;

 private:
  static constexpr std::int64_t none = -1;

  struct Loaded {
    LoadedFrame frame;
    BlockReader reader;  // owns the bytes of frame.blocks
  };
  void load(std::int64_t frame, FrameIndex& index, Loaded& into);
  void wait_for_reader();
  void run(const std::stop_token& stop);

  const std::filesystem::path folder_;
  const MovieManifest movie_;
  int level_ = 0;            // changed only while nothing is being read ahead
  std::vector<int> wanted_;  // changed only while nothing is being read ahead
  LikelyRanges likely_;      // used by the thread that loads; never both at once
  FrameIndex index_;         // used by the owner's thread
  FrameIndex index_ahead_;   // used by the reading thread
  std::array<Loaded, 2> frames_;
  std::size_t taken_ = 0;  // index of the owner's frame; the other one is the reading thread's

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t ahead_ = none;  // guarded by mutex_: the frame that was read ahead, or is being read
  bool reading_ = false;       // guarded by mutex_: the reading thread is at work
  std::jthread thread_;        // last: stopped and joined before anything it uses
};

}  // namespace tilewall::movie
