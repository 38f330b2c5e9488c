// Asks the kernel for the bytes that a frame is likely to need before its index is read, so that a
// file system with slow answers brings both at once: one round trip a frame instead of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/movie/frames/frame_index.hpp"

namespace tilewall::movie {

/// Blocks of the same numbers lie in nearly the same places of each frame's file: it is the ranges
/// of the last frame, moved in proportion to the files' sizes. One thread at a time.
class LikelyRanges {
 public:
  /// Starts to read them from a frame's file, and does not wait. Does nothing before learn(), and
  /// nothing that anybody notices where the guess is wrong.
  void prefetch(int fd);

  /// What was read from the file given to prefetch(): blocks `wanted` of `index`.
  void learn(std::span<const BlockPlace> index, std::span<const int> wanted);

  /// Other blocks are wanted from here on.
  void forget() noexcept { ranges_.clear(); }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  std::vector<Range> ranges_;     // of the last frame, by their places; none overlap
  std::uint64_t file_bytes_ = 0;  // of the file given to prefetch() last
  std::uint64_t learnt_bytes_ = 0;
};

}  // namespace tilewall::movie
