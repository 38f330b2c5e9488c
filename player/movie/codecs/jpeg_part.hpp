// Decodes a rectangle of a JPEG image, by libjpeg.
//
// Rows below the rectangle are not decoded. Of the pixels above, left and right of it, only the
// Huffman codes are. A panel whose edges cut through blocks saves a third of its time by this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Threads: one owner. Keeps its buffers from image to image.
class JpegPartDecoder {
 public:
  JpegPartDecoder();
  ~JpegPartDecoder();
  JpegPartDecoder(const JpegPartDecoder&) = delete;
  JpegPartDecoder& operator=(const JpegPartDecoder&) = delete;

  /// Decodes `part` of the image into `dst`, which has the part's size, to the same pixels as
  /// decoding the whole image gives. False if the image has another size than `image_px`, or is
  /// damaged above or in the part; `dst` is then undefined. Does not throw for bad contents.
  [[nodiscard]] bool decode(std::span<const std::uint8_t> bytes, SizePx image_px,
                            const RectPx& part, const ImageView& dst);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
