// Images of any size, row by row from the top: JPEG by scan lines, PNG by rows, TIFF by strips or
// tiles.
//
// Memory is bounded by a few rows, or one row of tiles, of at most max_row_store_bytes. Deeper
// samples are brought to 8 bits, palettes and foreign colour spaces to RGB, alpha is laid over
// black. Threads: one owner. Orientation tags are not followed here: turning needs the whole
// picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

inline constexpr std::size_t max_row_store_bytes = std::size_t{256} << 20;

class ImageRows {
 public:
  virtual ~ImageRows() = default;
  [[nodiscard]] SizePx size_px() const noexcept { return size_px_; }
  [[nodiscard]] int channels() const noexcept { return channels_; }  ///< 1 (gray) or 3 (R, G, B)
  /// A JPEG whose chroma is halved already.
  [[nodiscard]] bool halved_chroma() const noexcept { return halved_chroma_; }

  /// The next row: size_px().width * channels() bytes. Throws InputError naming file and row where
  /// the file is damaged. @pre fewer than size_px().height rows were read
  virtual void read_row(std::uint8_t* out) = 0;

 protected:
  SizePx size_px_;
  int channels_ = 3;
  bool halved_chroma_ = false;
};

/// Null when the file is no JPEG, PNG or TIFF by its first bytes. Throws InputError where it is one
/// but cannot be read by rows.
[[nodiscard]] std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& file);

[[nodiscard]] std::unique_ptr<ImageRows> open_jpeg_rows(const std::filesystem::path& file);
[[nodiscard]] std::unique_ptr<ImageRows> open_png_rows(const std::filesystem::path& file);
[[nodiscard]] std::unique_ptr<ImageRows> open_tiff_rows(const std::filesystem::path& file);

}  // namespace tilewall
