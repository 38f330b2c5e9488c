// What image_file.cpp asks of the codecs; one of them a file. Sizes are what headers claim,
// unchecked but for being positive. Decoders fill `pixels` and return false for anything damaged,
// or of another size.
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
  std::uint64_t read_bytes = 0;  ///< what the codec read of it
};

/// Of a whole file's bytes. Empty for CMYK, and for files too short for what they claim to hold.
[[nodiscard]] std::optional<SizePx> jpeg_size_px(std::span<const std::uint8_t> bytes) noexcept;

/// `pixels` has the image's size, or that of one of its levels 1 to 3.
[[nodiscard]] bool decode_jpeg(std::span<const std::uint8_t> bytes, tjhandle jpeg,
                               const ImageView& pixels) noexcept;

[[nodiscard]] std::optional<SizePx> png_size_px(ImageFile& file) noexcept;
[[nodiscard]] bool decode_png(ImageFile& file, const ImageView& pixels) noexcept;

[[nodiscard]] std::optional<SizePx> tiff_size_px(ImageFile& file);
/// @pre the rows of `pixels` follow each other without gaps and start on 4 bytes
[[nodiscard]] bool decode_tiff(ImageFile& file, const ImageView& pixels);

}  // namespace tilewall::movie
