// Brings the compressed blocks of frames into memory: on the caller's thread, or ahead of time on
// one of its own, so that decoding never waits for a disk that is fast enough on average.
//
// Threads: one owner, who calls everything; it owns a reading thread from the first read_ahead()
// on.
#pragma once

#include <array>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "player/movie/frames/block_reader.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall {

/// A frame's blocks in memory.
struct LoadedFrame {
  bool has_index = false;  ///< false: not even the index could be read, and there are no bytes
  BlockReader blocks;      ///< bytes(i) are of the i-th block selected
  std::uint64_t read_bytes = 0;
};

class FrameLoader {
 public:
  FrameLoader(std::filesystem::path folder, const MovieManifest& movie);
  ~FrameLoader();
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  /// From now on these blocks (numbers, ascending) of `level` are meant; what was read ahead of
  /// others is forgotten. Nothing happens where they are the ones before.
  void select(int level, std::span<const int> blocks);

  /// Starts to read `frame`, unless that is done or under way; what was read ahead before and not
  /// taken is forgotten.
  void read_ahead(std::int64_t frame);

  /// The frame, as read ahead or else read now. Valid until the next take() or select().
  [[nodiscard]] const LoadedFrame& take(std::int64_t frame);

 private:
  static constexpr std::int64_t none = -1;

  void load(std::int64_t frame, FrameIndex& index, LoadedFrame& into);
  void wait_for_reader();
  void run(const std::stop_token& stop);

  const std::filesystem::path folder_;
  const MovieManifest& movie_;
  int level_ = 0;            // changed only while nothing is being read ahead
  std::vector<int> wanted_;  // as level_
  FrameIndex index_;         // of whichever thread loads; each has its own
  FrameIndex index_ahead_;
  std::array<LoadedFrame, 2> frames_;
  std::size_t taken_ = 0;  // of frames_; the other one is the reader's

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t ahead_ = none;  // guarded by mutex_: what the reader has, or is to read
  bool reading_ = false;       // guarded by mutex_
  std::jthread reader_;        // last: stopped and joined before anything it uses
};

}  // namespace tilewall
