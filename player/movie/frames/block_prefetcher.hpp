// Where a wall movie's compressed blocks come from: files, read ahead by one frame; or files or a
// server, asked for many frames ahead.
//
// Threads: one owner, who calls everything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// A frame's blocks in memory.
struct LoadedFrame {
  bool has_index = false;   ///< false: not even the index could be had, and there are no bytes
  bool is_missing = false;  ///< there is no such frame at all
  std::vector<std::span<const std::uint8_t>> blocks;  ///< of the i-th block selected; empty: none
  std::uint64_t read_bytes = 0;
};

class BlockPrefetcher {
 public:
  virtual ~BlockPrefetcher() = default;

  /// From now on these blocks (numbers, ascending) of `level` are meant.
  virtual void select(int level, std::span<const int> blocks) = 0;

  /// The frames that are likely to be taken after the coming one, the next first: as many of them
  /// are fetched as the prefetcher has room for, and others that were fetched are forgotten.
  virtual void expect(std::span<const std::int64_t> frames) = 0;

  /// The frame's blocks, waited for. Null: nobody wants them any more. Valid until the next
  /// select() or take().
  [[nodiscard]] virtual const LoadedFrame* take(std::int64_t frame) = 0;

  /// Tells how far it is: received, lost, repaired, staged.
  virtual void count(picture::DrawCounters& counters) const { static_cast<void>(counters); }

  /// As PictureSource's.
  [[nodiscard]] virtual std::optional<picture::ReadyPictures> ready(std::int64_t /*frame*/) {
    return std::nullopt;
  }
  virtual void await(std::int64_t /*frame*/, LocalInstant /*until*/) {}
};

}  // namespace tilewall::movie
