#include "render/volume/coarse_cast.hpp"

#include <cmath>
#include <vector>

#include "render/volume/shared_work.hpp"
#include "render/volume/sub_view.hpp"

namespace tilewall {
namespace {

/// Between four pixels, in 1/256ths.
struct Between {
  int first = 0;
  int share = 0;
};

Between between_pixels(double place) {
  const double first = std::floor(place);
  return {static_cast<int>(first), static_cast<int>(std::lround((place - first) * 256))};
}

void enlarge_row(const ImageView& coarse, Between row, const std::vector<Between>& columns,
                 std::uint8_t* to) {
  const std::uint8_t* const above = coarse.row(row.first);
  const std::uint8_t* const below = coarse.row(row.first + 1);
  for (const Between& column : columns) {
    const std::size_t left = static_cast<std::size_t>(column.first) * 4;
    for (std::size_t c = 0; c < 4; ++c) {
      const int upper = above[left + c] * (256 - column.share) + above[left + 4 + c] * column.share;
      const int lower = below[left + c] * (256 - column.share) + below[left + 4 + c] * column.share;
      *to++ =
          static_cast<std::uint8_t>((upper * (256 - row.share) + lower * row.share + 32768) >> 16);
    }
  }
}

}  // namespace

std::uint64_t cast_coarse(PictureCaster& caster, const CastView& view, const RectPx& part, int side,
                          const ImageView& to, int threads) {
  const auto coarse_length = [&](int length) { return (length + side - 1) / side + 2; };
  const CastView coarse =
      sub_view(view, {-1.0 * side, -1.0 * side}, side,
               {coarse_length(view.picture_px.width), coarse_length(view.picture_px.height)});
  // Pixel x of the picture lies at (x + 0.5) / side + 1 - 0.5 of the coarse one's pixels.
  const auto place = [&](int px) { return (px + 0.5) / side + 0.5; };
  const int left = static_cast<int>(place(part.x));
  const int top = static_cast<int>(place(part.y));
  const RectPx cells{left, top, static_cast<int>(place(part.right() - 1)) + 2 - left,
                     static_cast<int>(place(part.bottom() - 1)) + 2 - top};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(cells.width) *
                                   static_cast<std::size_t>(cells.height) * 4);
  const ImageView small{
      pixels.data(), {cells.width, cells.height}, static_cast<std::size_t>(cells.width) * 4};
  const std::uint64_t samples = caster.cast(coarse, cells, small, threads);
  std::vector<Between> columns;
  for (int x = 0; x < part.width; ++x) columns.push_back(between_pixels(place(part.x + x) - left));
  share_work(part.height, threads, [&](int y) {
    enlarge_row(small, between_pixels(place(part.y + y) - top), columns, to.row(y));
  });
  return samples;
}

}  // namespace tilewall
