#include "player/panel/panel_warp.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"

namespace tilewall::panel {

namespace {

// Within this factor, canvas pixels are drawn one to one: no loss is visible, and a scaling is
// saved.
constexpr double one_to_one = 1.25;
constexpr double max_enlargement = 4;      // drawn pixels per canvas pixel, along one axis
constexpr double max_drawn_per_panel = 4;  // drawn pixels per panel pixel
constexpr double max_drawn_px = 1U << 28;  // 1 GiB
constexpr double max_drawn_side_px = 16384;

// A row of a tilted panel crosses many rows of the drawn picture. The part of them below a strip of
// this width stays in the cache, and its pages in the TLB.
constexpr int strip_px = 256;

RectF whole_px_around(const RectF& rect, SizePx canvas_px) {
  const double left =
      std::floor(rect.x) - 1;  // one more on each side, for what lies between pixels
  const double top = std::floor(rect.y) - 1;
  const RectF around = {left, top, std::ceil(rect.right()) + 1 - left,
                        std::ceil(rect.bottom()) + 1 - top};
  return intersection(
      around, {0, 0, static_cast<double>(canvas_px.width), static_cast<double>(canvas_px.height)});
}

/// The smallest sides, along each axis, that a pixel of the panel has on the canvas.
wall::PanelMap::PixelSides smallest_pixel(const wall::PanelMap& map, SizePx viewed_px) {
  wall::PanelMap::PixelSides smallest = map.pixel_sides({0, 0});
  for (const double x : {0.0, viewed_px.width / 2.0, static_cast<double>(viewed_px.width)})
    for (const double y : {0.0, viewed_px.height / 2.0, static_cast<double>(viewed_px.height)}) {
      const wall::PanelMap::PixelSides sides = map.pixel_sides({x, y});
      smallest.across = std::min(smallest.across, sides.across);
      smallest.down = std::min(smallest.down, sides.down);
    }
  return smallest;
}

/// Drawn pixels per canvas pixel. `pixel_side` is the smallest panel pixel in canvas pixels.
double drawn_per_canvas_px(double pixel_side) {
  if (pixel_side < one_to_one && pixel_side > 1 / one_to_one) return 1;
  return std::min(1 / pixel_side, max_enlargement);
}

SizePx drawn_size(const RectF& part_px, const wall::PanelMap::PixelSides& smallest,
                  SizePx viewed_px) {
  double width = part_px.width * drawn_per_canvas_px(smallest.across);
  double height = part_px.height * drawn_per_canvas_px(smallest.down);
  const double panel_px = static_cast<double>(viewed_px.width) * viewed_px.height;
  // The constant leaves small panels room for the border of whole pixels around their part.
  const double most_px = std::min(max_drawn_px, max_drawn_per_panel * panel_px + 4096);
  const double shrink = std::min({1.0, std::sqrt(most_px / (width * height)),
                                  max_drawn_side_px / width, max_drawn_side_px / height});
  const auto side = [&](double length_px) {
    return std::max(2, static_cast<int>(std::lround(length_px * shrink)));
  };
  return {side(width), side(height)};
}

}  // namespace

PanelWarp::PanelWarp(const wall::PanelMap& map, SizePx viewed_px, SizePx canvas_px)
    : part_px_(whole_px_around(map.bounds_px(viewed_px), canvas_px)),
      drawn_px_(drawn_size(part_px_, smallest_pixel(map, viewed_px), viewed_px)),
      map_(map.moved({-part_px_.x, -part_px_.y})
               .scaled(drawn_px_.width / part_px_.width, drawn_px_.height / part_px_.height)),
      warp_row_(pick_warp_row()) {
  TW_CHECK(!part_px_.empty());
}

void PanelWarp::run(const ImageView& drawn, const ImageView& picture) const noexcept {
  // WarpRow takes places relative to pixel centres, in 128ths of a pixel.
  const wall::PanelMap::Matrix m = map_.moved({-0.5, -0.5}).scaled(128, 128).matrix();
  const auto [width, height] = picture.size_px;
  for (int x = 0; x < width; x += strip_px)
    for (int y = 0; y < height; ++y) {
      const auto start = [&](std::size_t row) {
        return static_cast<float>(m[row] * (x + 0.5) + m[row + 1] * (y + 0.5) + m[row + 2]);
      };
      const WarpRow row = {start(0),
                           start(3),
                           start(6),
                           static_cast<float>(m[0]),
                           static_cast<float>(m[3]),
                           static_cast<float>(m[6])};
      warp_row_(row, drawn, picture.pixel(x, y), std::min(strip_px, width - x));
    }
}

FlatView flat_view(const scene::PanelConfig& config, wall::BezelMode bezels,
                   wall::ContentMode content) {
  const scene::CanvasPlace& place = config.places.in(bezels, content);
  const SizePx viewed_px = config.viewed_size_px();
  FlatView view{place.canvas_px, {place.rect_px, viewed_px}, std::nullopt};
  if (place.map.is_upright(viewed_px)) return view;
  view.warp.emplace(place.map, viewed_px, place.canvas_px);
  view.drawn = {view.warp->canvas_part_px(), view.warp->drawn_size_px()};
  return view;
}

}  // namespace tilewall::panel
