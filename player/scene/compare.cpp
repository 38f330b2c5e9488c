#include "player/scene/compare.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::scene {
namespace {

RectF whole(SizePx canvas_px) {
  return {0, 0, static_cast<double>(canvas_px.width), static_cast<double>(canvas_px.height)};
}

}  // namespace

std::optional<CompareMode> parse_compare_mode(std::string_view text) {
  for (std::size_t i = 0; i < std::size(compare_mode_names); ++i)
    if (compare_mode_names[i] == text) return static_cast<CompareMode>(i);
  return std::nullopt;
}

void lay_out_comparison(Region& first, Region& second, CompareMode mode, SizePx canvas_px,
                        double line) {
  const RectF all = whole(canvas_px);
  const double middle = std::round(all.width / 2);
  const bool halves = mode == CompareMode::side_by_side;
  first.group = second.group = compare_region;
  first.canvas_px = halves ? RectF{0, 0, middle, all.height} : all;
  second.canvas_px = halves ? RectF{middle, 0, all.width - middle, all.height} : all;
  first.clip_px.reset();
  second.clip_px.reset();
  if (mode == CompareMode::swipe) set_swipe_line(second, all.width * line);
  second.blend = mode == CompareMode::difference ? BlendMode::difference : BlendMode::over;
  second.opacity = OpacityPath::at_rest(1);
}

std::optional<double> swipe_line_px(const Scene& scene) {
  for (const Region& region : scene.regions)
    if (region.name == compare_region && region.clip_px && region.blend == BlendMode::over)
      return region.clip_px->x;
  return std::nullopt;
}

void set_swipe_line(Region& second, double x_px) {
  const RectF& all = second.canvas_px;
  const double cut = std::clamp(std::round(x_px), 0.0, all.width - 1);
  second.clip_px = RectF{cut, 0, all.width - cut, all.height};
}

void end_comparison(Region& first, SizePx canvas_px) {
  first.group.clear();
  first.canvas_px = whole(canvas_px);
}

}  // namespace tilewall::scene
