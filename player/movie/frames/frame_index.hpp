// Places of blocks in a frame's file: reads them through libtiff and checks them, and computes the
// layout of the index for writing.
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
  std::uint32_t size_bytes = 0;  ///< 0: the index has no place for the block, or an impossible one
};

/// The index of one level. Reused from frame to frame. Threads: one at a time.
class FrameIndex {
 public:
  /// Reads the index of `level` from `fd`, a frame of the movie. False if the file's directory does
  /// not match the manifest; problem() then holds the reason. Does not throw for bad contents.
  [[nodiscard]] bool load(int fd, const MovieManifest& manifest, int level);

  /// The places by block number. Each one lies within the file, and is no larger than a block can
  /// be.
  [[nodiscard]] std::span<const BlockPlace> blocks() const noexcept { return blocks_; }

  /// "FIELD: expected ..., found ..."; "" if the last load() succeeded.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept {
    return read_bytes_;
  }  ///< by the last load

 private:
  std::vector<BlockPlace> blocks_;
  std::string problem_;
  std::uint64_t read_bytes_ = 0;
};

/// Layout of the index, which is in front of the blocks so that one read gets it:
///
///   header | one directory (IFD) per level | colour range | places of the last level's blocks |
///   ... | places of level 0's blocks | blocks
///
/// The sizes of all parts but the blocks follow from the manifest. The index of level k and the
/// coarser ones is a prefix of the file. Files written by libtiff itself, with a directory behind
/// each level's blocks, can be read too, by a few more system calls.
struct FrameLayout {
  /// Byte offsets into the file.
  struct Level {
    std::uint64_t directory = 0;
    std::uint64_t offsets = 0;  ///< the array of the blocks' offsets, 8 bytes each
    std::uint64_t sizes = 0;    ///< the array of the blocks' sizes, 4 bytes each
    std::uint64_t end = 0;      ///< end of this level's index
    std::int64_t blocks = 0;    ///< number of blocks
  };

  explicit FrameLayout(const MovieManifest& manifest);

  std::vector<Level> levels;
  std::uint64_t colour_range = 0;  ///< offset of six rationals; 0 if the file has none
  std::uint64_t index_bytes = 0;   ///< size of the whole index; the blocks follow it
};

/// The index of a frame without blocks: header, directories, and zeros for the places.
[[nodiscard]] std::vector<std::uint8_t> empty_frame_index(const MovieManifest& manifest,
                                                          const FrameLayout& layout);

/// The value of TIFF's Compression tag for blocks of this compression.
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
