// Where the blocks of one level stand in a frame's file, read through libtiff and checked.
#pragma once

#include <tiff.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

struct BlockPlace {
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;  ///< 0: the file names no place, or one that cannot be
};

/// Kept from frame to frame. One thread at a time.
class FrameIndex {
 public:
  /// Reads level `level`'s index from `fd`, a frame of the movie. False when the file's directory
  /// is not the one that the manifest asks for; problem() says why. Never throws for bad file
  /// contents.
  [[nodiscard]] bool load(int fd, const MovieManifest& manifest, int level);

  /// By block number. Each place lies within the file and is no larger than a block can be.
  [[nodiscard]] std::span<const BlockPlace> blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept {
    return read_bytes_;
  }  ///< by the last load

 private:
  std::vector<BlockPlace> blocks_;
  std::string problem_;
  std::uint64_t read_bytes_ = 0;
};

/// Where a frame file's index stands: in front, so that one read gets it.
///
///   header | one directory (IFD) a level | colour range | places of the last level's blocks | ...
///   | places of level 0's blocks | blocks
///
/// All of it but the blocks has a size that follows from the manifest. The index of level k and of
/// those below is a prefix of the file. Files by libtiff alone, with a directory behind each
/// level's blocks, are read as well, by a few more reads.
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

/// What TIFF calls a wall movie's ways of storing blocks.
[[nodiscard]] constexpr std::uint16_t compression_tag(BlockCompression compression) noexcept {
  switch (compression) {
    case BlockCompression::jpeg:
      return COMPRESSION_JPEG;
    case BlockCompression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case BlockCompression::zstd:
      return COMPRESSION_ZSTD;
  }
  return COMPRESSION_NONE;
}

}  // namespace tilewall::movie
