// Decodes a part of a JPEG image: rows below it are not decoded, pixels left and right of it only
// as far as its Huffman codes need. A panel whose edges cut through blocks saves a third of its
// time by this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// One per thread; keeps its buffers.
class JpegPartDecoder {
 public:
  JpegPartDecoder();
  ~JpegPartDecoder();
  JpegPartDecoder(const JpegPartDecoder&) = delete;
  JpegPartDecoder& operator=(const JpegPartDecoder&) = delete;

  /// `part` of the image into `dst`, which has the part's size: the same pixels that the whole
  /// image has there. False when the image is not `image_px` large, or damaged up to the part's
  /// last row; what was written by then is undefined. Never throws for bad contents.
  [[nodiscard]] bool decode(std::span<const std::uint8_t> bytes, SizePx image_px,
                            const RectPx& part, const ImageView& dst);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
