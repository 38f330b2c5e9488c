// Brings the compressed blocks of frames from files into memory: on the caller's thread, or ahead
// of time on one of its own, so that decoding never waits for a disk that is fast enough on
// average.
//
// Threads: one owner, who calls everything; it owns a reading thread from the first expect() on.
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
  /// Starts to read the first of them, unless that is done or under way.
  void expect(std::span<const std::int64_t> frames) override;
  [[nodiscard]] const LoadedFrame* take(std::int64_t frame) override;

 private:
  static constexpr std::int64_t none = -1;

  struct Loaded {
    LoadedFrame frame;
    BlockReader reader;  // holds its bytes
  };
  void load(std::int64_t frame, FrameIndex& index, Loaded& into);
  void wait_for_reader();
  void run(const std::stop_token& stop);

  const std::filesystem::path folder_;
  const MovieManifest movie_;
  int level_ = 0;            // changed only while nothing is being read ahead
  std::vector<int> wanted_;  // as level_
  LikelyRanges likely_;      // of whichever thread loads
  FrameIndex index_;         // of whichever thread loads; each has its own
  FrameIndex index_ahead_;
  std::array<Loaded, 2> frames_;
  std::size_t taken_ = 0;  // of frames_; the other one is the reader's

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t ahead_ = none;  // guarded by mutex_: what the reader has, or is to read
  bool reading_ = false;       // guarded by mutex_
  std::jthread thread_;        // last: stopped and joined before anything it uses
};

}  // namespace tilewall::movie
