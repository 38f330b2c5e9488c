// Where a frame file's index stands: in front, so that one read gets it.
//
//   header | one directory (IFD) a level | colour range | places of the last level's blocks | ...
//   | places of level 0's blocks | blocks
//
// All of it but the blocks has a size that follows from the manifest. The index of level k and of
// those below is a prefix of the file. Files by libtiff alone, with a directory behind each level's
// blocks, are read as well, by a few more reads.
#pragma once

#include <cstdint>
#include <vector>

#include "player/movie/frames/manifest.hpp"

namespace tilewall {

struct FrameLayout {
  /// Byte offsets into the file.
  struct Level {
    std::uint64_t directory = 0;
    std::uint64_t offsets = 0;  ///< of its blocks, 8 bytes each
    std::uint64_t sizes = 0;    ///< 4 bytes each
    std::uint64_t end = 0;      ///< of this level's index
    std::int64_t blocks = 0;
  };

  explicit FrameLayout(const MovieManifest& manifest);

  std::vector<Level> levels;
  std::uint64_t colour_range = 0;  ///< six rationals, or 0 where there are none
  std::uint64_t index_bytes = 0;   ///< the blocks follow
};

/// The index of a frame without any block: header, directories, and zeros for the places.
[[nodiscard]] std::vector<std::uint8_t> empty_frame_index(const MovieManifest& manifest,
                                                          const FrameLayout& layout);

}  // namespace tilewall
