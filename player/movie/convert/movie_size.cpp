#include "player/movie/convert/movie_size.hpp"

#include <algorithm>
#include <cmath>

#include "player/movie/frames/view_plan.hpp"

namespace tilewall::movie {

namespace {

constexpr double exact_scale = 1e-4;  // a scale this close to 1 comes from the size's rounding

struct Scale {
  double x = 1;
  double y = 1;
};

// The scale at which a picture of size `from` is drawn on `canvas`; it may exceed 1.
Scale fitting_scale(SizePx from, SizePx canvas, SizeFit fit) noexcept {
  const double x = static_cast<double>(canvas.width) / from.width;
  const double y = static_cast<double>(canvas.height) / from.height;
  switch (fit) {
    case SizeFit::contain:
      return {std::min(x, y), std::min(x, y)};
    case SizeFit::cover:
      return {std::max(x, y), std::max(x, y)};
    default:
      return {x, y};
  }
}

int scaled(int side, double scale) noexcept {
  return std::max(1, static_cast<int>(std::lround(side * scale)));
}

}  // namespace

SizePx stored_size_px(SizePx source_px, SizePx canvas_px, SizeFit fit,
                      std::optional<SizePx> exact_px) noexcept {
  if (exact_px) return *exact_px;
  if (canvas_px.width <= 0 || canvas_px.height <= 0) return source_px;
  const Scale scale = fitting_scale(source_px, canvas_px, fit);
  return {scaled(source_px.width, std::min(1.0, scale.x)),
          scaled(source_px.height, std::min(1.0, scale.y))};
}

SizePx panel_share_px(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept {
  if (wall.abutting_px.width <= 0 || wall.abutting_px.height <= 0) return {0, 0};
  const Scale scale = fitting_scale(movie_px, wall.abutting_px, fit);
  return {scaled(wall.panel_px.width, 1 / scale.x), scaled(wall.panel_px.height, 1 / scale.y)};
}

std::vector<RectF> panel_shares_px(SizePx movie_px, const WallTarget& wall, SizeFit fit) {
  if (movie_px == wall.abutting_px && !wall.abutting_panels_px.empty())
    return wall.abutting_panels_px;
  if (wall.panels_px.empty()) return {};
  std::vector<RectF> shares;
  const Scale scale = fitting_scale(movie_px, wall.canvas_px, fit);
  const double left_px = (wall.canvas_px.width - movie_px.width * scale.x) / 2;
  const double top_px = (wall.canvas_px.height - movie_px.height * scale.y) / 2;
  const auto reach = [](double axis_scale) {
    return std::abs(axis_scale - 1) < exact_scale ? 0 : filter_reach_px(1 / axis_scale);
  };
  for (const RectF& panel : wall.panels_px)
    shares.push_back({(panel.x - left_px) / scale.x - reach(scale.x),
                      (panel.y - top_px) / scale.y - reach(scale.y),
                      panel.width / scale.x + 2 * reach(scale.x),
                      panel.height / scale.y + 2 * reach(scale.y)});
  return shares;
}

bool fills_canvas(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept {
  if (wall.abutting_px.width <= 0 || wall.abutting_px.height <= 0) return false;
  const Scale scale = fitting_scale(movie_px, wall.abutting_px, fit);
  return std::abs(movie_px.width * scale.x - wall.abutting_px.width) < 0.5 &&
         std::abs(movie_px.height * scale.y - wall.abutting_px.height) < 0.5;
}

namespace {

SizePx commonest_viewed_size_px(const wall::Wall& wall) {
  SizePx best;
  std::ptrdiff_t best_count = 0;
  for (const wall::Panel& panel : wall.panels) {
    const SizePx size = panel.viewed_size_px();
    const auto count =
        std::count_if(wall.panels.begin(), wall.panels.end(),
                      [&](const wall::Panel& other) { return other.viewed_size_px() == size; });
    if (count > best_count) {
      best = size;
      best_count = count;
    }
  }
  return best;
}

}  // namespace

WallTarget wall_target_of(const wall::Wall& wall, std::optional<wall::BezelMode> bezels) {
  const wall::Canvas canvas(wall, bezels.value_or(wall.default_bezel_mode()));
  const wall::Canvas abutting(wall, wall::BezelMode::show);
  WallTarget target;
  target.canvas_px = canvas.size_px();
  target.abutting_px = abutting.size_px();
  target.panel_px = commonest_viewed_size_px(wall);
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    target.panels_px.push_back(canvas.panel_rect_px(i));
    if (!bezels) target.abutting_panels_px.push_back(abutting.panel_rect_px(i));
  }
  return target;
}

}  // namespace tilewall::movie
