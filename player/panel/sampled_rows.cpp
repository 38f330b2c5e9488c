#include "player/panel/sampled_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tilewall::panel {
namespace {

// Each pixel of the smaller picture is the mean of samples from up to so many rows and columns.
constexpr int most_rows = 2;
constexpr int most_columns = 4;

/// The pixel of sample `index`, where `samples` of them lie evenly over `length` pixels.
int sample_place(int index, int samples, int length) noexcept {
  return static_cast<int>((2 * std::int64_t{index} + 1) * length / (2 * std::int64_t{samples}));
}

int samples_per_one(int length, int reduced, int most) noexcept {
  return std::clamp(length / reduced, 1, most);
}

/// Sums of pixels 0xXXRRGGBB, each channel in 16 bits. @pre at most 257 pixels are added
struct PixelSum {
  std::uint32_t red_blue = 0;
  std::uint32_t green = 0;

  void add(std::uint32_t pixel) noexcept {
    red_blue += pixel & 0x00ff00ffU;
    green += pixel >> 8 & 0xffU;
  }
  /// `scale`: 65536 over the number of pixels, rounded up.
  [[nodiscard]] std::uint32_t mean(std::uint32_t scale) const noexcept {
    const auto channel = [&](std::uint32_t sum) { return (sum * scale + 0x8000U) >> 16; };
    return 0xff000000U | channel(red_blue >> 16) << 16 | channel(green) << 8 |
           channel(red_blue & 0xffffU);
  }
};

std::uint32_t pixel_of(const std::uint8_t* row, int x) noexcept {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, row + std::size_t{4} * static_cast<std::size_t>(x), sizeof pixel);
  return pixel;
}

}  // namespace

SizePx reduced_size_px(SizePx picture_px, int side_px) noexcept {
  const int longer = std::max(picture_px.width, picture_px.height);
  if (longer <= side_px) return picture_px;
  const auto reduced = [&](int px) {
    const std::int64_t twice = 2 * std::int64_t{px} * side_px + longer;
    return std::max(1, static_cast<int>(twice / (2 * std::int64_t{longer})));
  };
  return {reduced(picture_px.width), reduced(picture_px.height)};
}

void SampledRows::prepare(SizePx picture_px, SizePx reduced_px) {
  const int rows_per_row = samples_per_one(picture_px.height, reduced_px.height, most_rows);
  // It comes first, as it may fail: the rest must not name rows for which there is no room.
  pixels_.resize(std::size_t{4} * static_cast<std::size_t>(picture_px.width) *
                 static_cast<std::size_t>(rows_per_row * reduced_px.height));
  reduced_px_ = reduced_px;
  width_px_ = picture_px.width;
  rows_per_row_ = rows_per_row;
}

void SampledRows::take(const ImageView& picture, const present::Inset& inset) noexcept {
  const int rows = rows_per_row_ * reduced_px_.height;
  const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(width_px_);
  const present::Inset visible = present::clipped(inset, picture.size_px);
  for (int i = 0; i < rows; ++i)
    copy_row(picture, visible, sample_place(i, rows, picture.size_px.height),
             pixels_.data() + row_bytes * static_cast<std::size_t>(i));
}

void SampledRows::copy_row(const ImageView& picture, const present::Inset& inset, int y,
                           std::uint8_t* to) noexcept {
  std::copy_n(picture.row(y), std::size_t{4} * static_cast<std::size_t>(width_px_), to);
  const int inset_y = y - inset.at_px.y;
  if (inset.empty() || inset_y < 0 || inset_y >= inset.image.size_px.height) return;
  std::copy_n(inset.image.row(inset_y),
              std::size_t{4} * static_cast<std::size_t>(inset.image.size_px.width),
              to + std::size_t{4} * static_cast<std::size_t>(inset.at_px.x));
}

const std::uint8_t* SampledRows::row(int index) const noexcept {
  return pixels_.data() +
         std::size_t{4} * static_cast<std::size_t>(width_px_) * static_cast<std::size_t>(index);
}

void SampledRows::reduce(const ImageView& reduced) const {
  const int columns = samples_per_one(width_px_, reduced_px_.width, most_columns);
  const int samples = columns * reduced_px_.width;
  const auto count = static_cast<std::uint32_t>(columns * rows_per_row_);
  const std::uint32_t scale = (65536U + count - 1) / count;
  std::vector<int> places(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i)
    places[static_cast<std::size_t>(i)] = sample_place(i, samples, width_px_);
  for (int y = 0; y < reduced_px_.height; ++y) {
    std::array<const std::uint8_t*, most_rows> from{};
    for (int i = 0; i < rows_per_row_; ++i)
      from[static_cast<std::size_t>(i)] = row(y * rows_per_row_ + i);
    const int* place = places.data();
    for (int x = 0; x < reduced_px_.width; ++x) {
      PixelSum sum;
      for (int column = 0; column < columns; ++column, ++place)
        for (int i = 0; i < rows_per_row_; ++i)
          sum.add(pixel_of(from[static_cast<std::size_t>(i)], *place));
      const std::uint32_t mean = sum.mean(scale);
      std::memcpy(reduced.pixel(x, y), &mean, sizeof mean);
    }
  }
}

}  // namespace tilewall::panel
