// JPEG by TurboJPEG: whole pictures from and to pixels and planes.
//
// Threads: an object has one owner; functions work by themselves, on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "sync/base/handle.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

struct TurboJpegTraits {
  using Raw = void*;  // a tjhandle
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw handle) noexcept;
};

/// Whether a progressive JPEG may have any number of scans. A small file with many of them costs
/// seconds to decode.
enum class JpegScans { any, limited };

/// Decodes JPEGs one after the other. Functions return false if the image is damaged, even where
/// TurboJPEG would go on with a warning, and leave the pixels undefined then.
class JpegDecoder {
 public:
  JpegDecoder();

  /// Size of the image; empty if there is none.
  [[nodiscard]] std::optional<SizePx> size_px(std::span<const std::uint8_t> bytes) const noexcept;

  /// Decodes to B, G, R, 255 at the size of `dst`: the image's, or that of its levels 1 to 3.
  [[nodiscard]] bool to_bgrx(std::span<const std::uint8_t> bytes, const ImageView& dst,
                             JpegScans scans = JpegScans::any) const noexcept;

  /// Decodes to R, G, B. @pre `rgb` has room for `size` pixels, in rows without padding
  [[nodiscard]] bool to_rgb(std::span<const std::uint8_t> bytes, SizePx size,
                            std::uint8_t* rgb) const noexcept;

  /// Decodes to the part of `dst` that begins at `at` and has the image's size, `size`.
  /// @pre the image has that size and the chroma of `dst`
  [[nodiscard]] bool to_planes(std::span<const std::uint8_t> bytes, SizePx size, PlanarPicture& dst,
                               PointPx at) const noexcept;

  /// TurboJPEG's last message.
  [[nodiscard]] std::string error_text() const;

 private:
  UniqueHandle<TurboJpegTraits> turbo_;
};

/// Encodes parts of pictures one after the other, without allocating.
class JpegEncoder {
 public:
  JpegEncoder();

  /// The most bytes that a picture may take. @pre JPEG holds this chroma
  [[nodiscard]] static std::size_t max_bytes(SizePx size, Chroma chroma) noexcept;

  /// Encodes the part of the picture that begins at `at`; `quality` is 1..100. Returns the number
  /// of bytes. @pre the picture is gray or YUV; a 4:2:0 part has even sides; `out` has room for
  /// max_bytes()
  [[nodiscard]] std::size_t encode(const PlanarPicture& picture, PointPx at, SizePx size,
                                   int quality, std::span<std::uint8_t> out) const;

 private:
  UniqueHandle<TurboJpegTraits> turbo_;
};

// Whole pictures at once. All throw JobError if TurboJPEG fails.

using RgbPixels = std::vector<unsigned char>;  ///< R, G, B; rows without padding

/// A JPEG of the picture; `quality` is 1..100. @pre the picture is gray or YUV
[[nodiscard]] std::vector<unsigned char> encode_jpeg(const PlanarPicture& picture, int quality);

/// The pixels of a JPEG of this size.
[[nodiscard]] RgbPixels decode_jpeg(std::span<const unsigned char> jpeg, SizePx size);

/// The pixels of a picture of any chroma.
[[nodiscard]] RgbPixels rgb_of(const PlanarPicture& picture);

/// The 4:2:0 planes of BGRX pixels, in JPEG's colours.
[[nodiscard]] PlanarPicture planes_of(const ImageView& pixels);

}  // namespace tilewall::movie
