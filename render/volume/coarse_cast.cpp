#include "render/volume/coarse_cast.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "render/volume/shared_work.hpp"

namespace tilewall::render {

namespace {

/// Interpolates between four pixels, in 1/256ths.
struct Between {
  int first = 0;
  int share = 0;
};

Between between_pixels(double place) {
  const double first = std::floor(place);
  return {static_cast<int>(first), static_cast<int>(std::lround((place - first) * 256))};
}

/// Blends two rows; the results are 1/256ths of a level.
void blend_rows(const ImageView& coarse, Between rows, std::vector<std::uint16_t>& to) {
  const std::uint8_t* const above = coarse.row(rows.first);
  const std::uint8_t* const below = coarse.row(rows.first + 1);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::uint16_t>(above[i] * (256 - rows.share) + below[i] * rows.share);
}

/// Enlarges a row. Every `side`th pixel from `from` on has the same place between its neighbours.
void enlarge_row(const std::vector<std::uint16_t>& coarse, const std::vector<Between>& columns,
                 int side, std::vector<std::uint32_t>& alike, std::uint8_t* to) {
  const std::size_t width = columns.size();
  const auto step = static_cast<std::size_t>(side);
  for (std::size_t from = 0; from < std::min(step, width); ++from) {
    const std::uint16_t* const left = &coarse[static_cast<std::size_t>(columns[from].first) * 4];
    const std::uint16_t* const right = left + 4;
    const auto share = static_cast<std::uint32_t>(columns[from].share);
    const std::size_t count = (width - from + step - 1) / step;
    auto* const pixels = reinterpret_cast<std::uint8_t*>(alike.data());
    for (std::size_t i = 0; i < count * 4; ++i)
      pixels[i] =
          static_cast<std::uint8_t>((left[i] * (256 - share) + right[i] * share + 32768) >> 16);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(to + (from + i * step) * 4, &alike[i], sizeof alike[i]);
  }
}

}  // namespace

std::uint64_t cast_coarse(PictureCaster& caster, const CastView& view, const RectPx& part, int side,
                          const ImageView& to, int threads) {
  const auto coarse_length = [&](int length) { return (length + side - 1) / side + 2; };
  CastView coarse =
      sub_view(view, {-1.0 * side, -1.0 * side}, side,
               {coarse_length(view.picture_px.width), coarse_length(view.picture_px.height)});
  coarse.rough = true;
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
  columns.reserve(static_cast<std::size_t>(part.width));
  for (int x = 0; x < part.width; ++x) columns.push_back(between_pixels(place(part.x + x) - left));
  share_work(part.height, threads, [&](int y) {
    std::vector<std::uint16_t> row(static_cast<std::size_t>(cells.width) * 4);
    std::vector<std::uint32_t> alike(static_cast<std::size_t>(part.width));
    blend_rows(small, between_pixels(place(part.y + y) - top), row);
    enlarge_row(row, columns, side, alike, to.row(y));
  });
  return samples;
}

CastView sub_view(const CastView& view, PointF first, double side, SizePx size_px) {
  CastView sub = view;
  sub.picture_px = size_px;
  VolumeCamera& camera = sub.camera;
  const double share = size_px.height * side / view.picture_px.height;
  camera.fov_rad = 2 * std::atan(std::tan(camera.fov_rad / 2) * share);
  camera.view_height *= share;
  const auto offset = [&](int whole, double offset_px, double at, int length) {
    return (whole / 2.0 + offset_px - at) / side - length / 2.0;
  };
  camera.centre_offset_px = {
      offset(view.picture_px.width, view.camera.centre_offset_px.x, first.x, size_px.width),
      offset(view.picture_px.height, view.camera.centre_offset_px.y, first.y, size_px.height)};
  if (view.tilt)
    sub.tilt = view.tilt->after(wall::PanelMap({side, 0, first.x, 0, side, first.y, 0, 0, 1}))
                   .moved({-first.x, -first.y})
                   .scaled(1 / side, 1 / side);
  return sub;
}

}  // namespace tilewall::render
