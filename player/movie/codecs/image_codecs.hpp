// The codecs that image_file.cpp uses: image_jpeg.cpp, image_png.cpp and image_tiff.cpp.
//
// Sizes are those of the files' headers; they are positive, and not checked further. Decoders fill
// `pixels` with BGRX, and return false if the file is damaged or has another size than `pixels`.
//
// Threads: any; each file belongs to one call at a time.
#pragma once

#include <turbojpeg.h>

#include <cstdint>
#include <optional>
#include <span>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

struct ImageFile {
  int fd = -1;                   ///< not owned
  std::uint64_t read_bytes = 0;  ///< bytes that the codecs have read from the file
};

/// Size of the JPEG in `bytes`, which are the whole file. Empty for CMYK, and for files that are
/// too short for their size.
[[nodiscard]] std::optional<SizePx> jpeg_size_px(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes at the size of `pixels`: the image's, or that of one of its levels 1 to 3.
[[nodiscard]] bool decode_jpeg(std::span<const std::uint8_t> bytes, tjhandle jpeg,
                               const ImageView& pixels) noexcept;

[[nodiscard]] std::optional<SizePx> png_size_px(ImageFile& file) noexcept;
[[nodiscard]] bool decode_png(ImageFile& file, const ImageView& pixels) noexcept;

[[nodiscard]] std::optional<SizePx> tiff_size_px(ImageFile& file);

/// @pre the rows of `pixels` are contiguous and aligned to 4 bytes
[[nodiscard]] bool decode_tiff(ImageFile& file, const ImageView& pixels);

}  // namespace tilewall::movie
