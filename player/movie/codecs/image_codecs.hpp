// Whole images of ordinary size: what kind a file is of, and its pixels. JPEGs are decoded by
// jpeg_codec.hpp.
//
// Sizes are those of the files' headers; they are positive, and not checked further. Decoders fill
// `pixels` with BGRX, and return false if the file is damaged or has another size than `pixels`.
//
// Threads: any; each file belongs to one call at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

enum class ImageKind { jpeg, png, tiff };

/// The kind of a file by its first bytes; empty for other files.
[[nodiscard]] std::optional<ImageKind> kind_of_image(int fd) noexcept;

struct ImageFile {
  int fd = -1;                   ///< not owned
  std::uint64_t read_bytes = 0;  ///< bytes that the codecs have read from the file
};

[[nodiscard]] std::optional<SizePx> png_size_px(ImageFile& file) noexcept;
[[nodiscard]] bool decode_png(ImageFile& file, const ImageView& pixels) noexcept;

[[nodiscard]] std::optional<SizePx> tiff_size_px(ImageFile& file);

/// @pre the rows of `pixels` are contiguous and aligned to 4 bytes
[[nodiscard]] bool decode_tiff(ImageFile& file, const ImageView& pixels);

struct RgbaPicture {
  SizePx size_px;
  std::vector<std::uint32_t> pixels;  ///< R, G, B, A from the low byte up, multiplied by alpha
};

/// All that libtiff can make of a TIFF; empty if that is nothing, or more than `max_px` pixels.
[[nodiscard]] std::optional<RgbaPicture> read_tiff(const std::filesystem::path& file,
                                                   std::uint64_t max_px);

}  // namespace tilewall::movie
