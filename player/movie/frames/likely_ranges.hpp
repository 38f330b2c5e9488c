// Prefetches the bytes that a frame is likely to need while its index is being read. On a file
// system with a long round trip, a frame then takes one round trip instead of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/movie/frames/frame_index.hpp"

namespace tilewall::movie {

/// Guesses from the last frame: blocks of the same numbers lie in nearly the same places of each
/// frame's file, in proportion to the files' sizes. Threads: one at a time.
class LikelyRanges {
 public:
  /// Tells the kernel to read the likely ranges of a frame's file, and does not wait. Does nothing
  /// before learn(). A wrong guess costs only reads that are not needed.
  void prefetch(int fd);

  /// Notes the places of the blocks `wanted` by the index of the file given to prefetch().
  void learn(std::span<const BlockPlace> index, std::span<const int> wanted);

  /// Drops the places, when other blocks are needed from now on.
  void forget() noexcept { ranges_.clear(); }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  std::vector<Range> ranges_;       // ranges of the last frame, ascending, without overlap
  std::uint64_t file_bytes_ = 0;    // size of the file given to prefetch() last
  std::uint64_t learnt_bytes_ = 0;  // size of the file that ranges_ belong to; 0 = none yet
};

}  // namespace tilewall::movie
