// Where the blocks of one level stand in a frame's file, read through libtiff and checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "player/movie/frames/manifest.hpp"

namespace tilewall {

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

}  // namespace tilewall
