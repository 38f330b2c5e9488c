// Compresses one block of a picture: a whole JPEG stream, or samples with horizontal differencing
// in deflate or zstd, as TIFF stores them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// One thread at a time; buffers are kept from block to block.
class BlockEncoder {
 public:
  explicit BlockEncoder(const MovieManifest& manifest);
  ~BlockEncoder();
  BlockEncoder(const BlockEncoder&) = delete;
  BlockEncoder& operator=(const BlockEncoder&) = delete;

  /// The manifest's block size of `picture` from `origin` (multiples of block_step_px) on; beyond
  /// the picture its edge pixels go on. The bytes are valid until the next call.
  /// @pre origin lies in the picture, whose chroma is the manifest's
  [[nodiscard]] std::span<const std::uint8_t> encode(const PlanarPicture& picture, PointPx origin);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall
