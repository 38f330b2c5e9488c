// Pictures for tests: owned pixels with guard bytes after every row, noise, comparison, PNG
// reading.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "wallconfigs/image_view.hpp"

namespace tilewall {

using Bgrx = std::array<std::uint8_t, 4>;

[[nodiscard]] Bgrx pixel_at(const ImageView& picture, PointPx at);

/// Owns its pixels; rows are longer than the picture, so that a write past a row's end shows.
class TestPicture {
 public:
  explicit TestPicture(SizePx size_px);
  [[nodiscard]] ImageView view() const;
  [[nodiscard]] bool padding_untouched() const;
  /// Whether every pixel has been painted: alpha is 255.
  [[nodiscard]] bool all_painted() const;

 private:
  SizePx size_px_;
  std::size_t stride_bytes_;
  mutable std::vector<std::uint8_t> bytes_;
};

[[nodiscard]] TestPicture random_picture(SizePx size_px, unsigned seed);

/// Compares B, G and R.
[[nodiscard]] bool same_pixels(const ImageView& a, const ImageView& b);

/// Throws std::runtime_error.
[[nodiscard]] TestPicture read_png(const std::filesystem::path& file);

}  // namespace tilewall
