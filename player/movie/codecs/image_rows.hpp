// Reads images of any size row by row from the top: JPEG by scan lines, PNG by rows, TIFF by scan
// lines, strips or tiles.
//
// A reader keeps a few rows, one strip or one row of tiles, of at most max_row_store_bytes; only a
// progressive JPEG is kept whole as coefficients. Deeper samples are rounded to 8 bits, palettes
// and other colour spaces are converted to RGB, and alpha is laid over black. Orientation tags are
// ignored, because turning needs the whole picture. Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

inline constexpr std::size_t max_row_store_bytes = std::size_t{256} << 20;

class ImageRows {
 public:
  virtual ~ImageRows() = default;
  [[nodiscard]] SizePx size_px() const noexcept { return size_px_; }
  [[nodiscard]] int channels() const noexcept { return channels_; }  ///< 1 (gray) or 3 (R, G, B)
  /// Whether the file is a JPEG with chroma of half the width and height.
  [[nodiscard]] bool halved_chroma() const noexcept { return halved_chroma_; }

  /// Writes the next row to `out`: size_px().width * channels() bytes. Throws InputError naming the
  /// file and the row if the file is damaged. @pre fewer than size_px().height rows were read
  virtual void read_row(std::uint8_t* out) = 0;

 protected:
  SizePx size_px_;
  int channels_ = 3;
  bool halved_chroma_ = false;
};

/// Opens an image by its first bytes; null if it is no JPEG, PNG or TIFF. Throws InputError naming
/// the file if it is one of these but cannot be read by rows.
[[nodiscard]] std::unique_ptr<ImageRows> open_image_rows(const std::filesystem::path& file);

/// Open an image of the named format. Throw InputError naming the file.
[[nodiscard]] std::unique_ptr<ImageRows> open_jpeg_rows(const std::filesystem::path& file);
[[nodiscard]] std::unique_ptr<ImageRows> open_png_rows(const std::filesystem::path& file);
[[nodiscard]] std::unique_ptr<ImageRows> open_tiff_rows(const std::filesystem::path& file);

}  // namespace tilewall::movie
