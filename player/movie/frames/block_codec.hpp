// Compresses and decodes single blocks of wall movies.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/manifest.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Decodes blocks of one movie to BGRX pixels or to planes. Both functions return false for bytes
/// that are not one whole, intact block of the movie; the output is then undefined. They do not
/// throw for bad contents.
///
/// Threads: one owner. Keeps its buffers from block to block.
class BlockDecoder {
 public:
  explicit BlockDecoder(const MovieManifest& manifest);
  ~BlockDecoder();
  BlockDecoder(BlockDecoder&&) noexcept;
  BlockDecoder& operator=(BlockDecoder&&) noexcept;

  /// Decodes `part` of a block, in pixels of the block, into `dst`, which has the part's size.
  [[nodiscard]] bool to_bgrx(std::span<const std::uint8_t> bytes, const RectPx& part,
                             const ImageView& dst);

  /// Decodes the whole block into `dst`, with its upper left corner at `at`, which is a multiple of
  /// block_step_px. @pre dst has the movie's chroma and room for the block
  [[nodiscard]] bool to_planes(std::span<const std::uint8_t> bytes, PlanarPicture& dst, PointPx at);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses blocks of pictures: to a complete JPEG stream each, or to deflate or zstd of samples
/// with horizontal differencing, as TIFF stores them.
///
/// Threads: one owner. Keeps its buffers from block to block.
class BlockEncoder {
 public:
  explicit BlockEncoder(const MovieManifest& manifest);
  ~BlockEncoder();
  BlockEncoder(const BlockEncoder&) = delete;
  BlockEncoder& operator=(const BlockEncoder&) = delete;

  /// Compresses the block of `picture` with its upper left corner at `origin`, which is a multiple
  /// of block_step_px. Beyond the picture, its edge pixels are repeated. The bytes are valid until
  /// the next call. @pre origin lies in the picture, whose chroma is the manifest's
  [[nodiscard]] std::span<const std::uint8_t> encode(const PlanarPicture& picture, PointPx origin);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
