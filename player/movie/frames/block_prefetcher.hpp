// Interface through which a wall movie gets its compressed blocks: from files, one frame ahead
// (FrameLoader), or from files or a server, many frames ahead (player/movie/staging).
//
// Threads: one owner, who makes all calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// A frame's blocks in memory.
struct LoadedFrame {
  bool has_index = false;   ///< false: the frame's index could not be read, and there are no blocks
  bool is_missing = false;  ///< the frame does not exist
  std::vector<std::span<const std::uint8_t>> blocks;  ///< one for each selected block; empty: lost
  std::uint64_t read_bytes = 0;
};

class BlockPrefetcher {
 public:
  virtual ~BlockPrefetcher() = default;

  /// Sets the blocks of `level`, by ascending numbers, that later calls fetch of each frame.
  virtual void select(int level, std::span<const int> blocks) = 0;

  /// Announces the frames that are likely to be taken after the coming one, the next one first.
  /// Fetches as many of them as there is room for, and drops fetched frames that are not announced.
  virtual void expect(std::span<const std::int64_t> frames) = 0;

  /// Waits for the selected blocks of a frame. Null if they are not needed any more. Valid until
  /// the next select() or take().
  [[nodiscard]] virtual const LoadedFrame* take(std::int64_t frame) = 0;

  /// The functions of the same names in PictureSource. `stays`: the frame that was due last is
  /// drawn again.
  [[nodiscard]] virtual bool is_busy() const { return false; }
  [[nodiscard]] virtual bool is_late(bool /*stays*/) { return is_busy(); }

  /// Writes the counts of received, lost, repaired and staged data to `counters`.
  virtual void count(picture::DrawCounters& counters) const { static_cast<void>(counters); }

  /// The functions of the same names in PictureSource.
  [[nodiscard]] virtual std::optional<picture::ReadyPictures> ready(std::int64_t /*frame*/) {
    return std::nullopt;
  }
  virtual void await(std::int64_t /*frame*/, LocalInstant /*until*/) {}
};

}  // namespace tilewall::movie
