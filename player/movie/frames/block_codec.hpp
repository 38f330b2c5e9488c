// One block's pixels to compressed bytes and back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

// Decodes one block of a wall movie, to BGRX pixels or to planes.

/// One per thread; keeps its buffers. Both return false for bytes that are not one whole, clean
/// block of the movie (what was written by then is undefined), and never throw for them.
class BlockDecoder {
 public:
  explicit BlockDecoder(const MovieManifest& manifest);
  ~BlockDecoder();
  BlockDecoder(BlockDecoder&&) noexcept;
  BlockDecoder& operator=(BlockDecoder&&) noexcept;

  /// The part of the block (in its own pixels) into `dst`, which has the part's size.
  [[nodiscard]] bool to_bgrx(std::span<const std::uint8_t> bytes, const RectPx& part,
                             const ImageView& dst);

  /// The whole block into `dst` from `at` (multiples of block_step_px) on.
  /// @pre dst has the movie's chroma and room for the block
  [[nodiscard]] bool to_planes(std::span<const std::uint8_t> bytes, PlanarPicture& dst, PointPx at);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compresses one block of a picture: a whole JPEG stream, or samples with horizontal differencing
// in deflate or zstd, as TIFF stores them.

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

}  // namespace tilewall::movie
