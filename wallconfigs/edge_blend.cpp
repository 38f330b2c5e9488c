#include "wallconfigs/edge_blend.hpp"

#include <algorithm>

namespace tilewall::wall {
namespace {

constexpr double touching_px = 0.5;

bool overlap(const RectF& a, const RectF& b) noexcept {
  const RectF shared = intersection(a, b);
  return shared.width > touching_px && shared.height > touching_px;
}

/// Fades `panel` towards those of its edges that `other` reaches across.
void fade_towards(const RectF& other, double most_across_px, double most_down_px,
                  FadedRect& panel) noexcept {
  const RectF& own = panel.rect_px;
  if (!overlap(own, other)) return;
  const RectF shared = intersection(own, other);
  const double across = std::min(shared.width, most_across_px);
  const double down = std::min(shared.height, most_down_px);
  if (other.x < own.x - touching_px) panel.left_px = std::max(panel.left_px, across);
  if (other.right() > own.right() + touching_px) panel.right_px = std::max(panel.right_px, across);
  if (other.y < own.y - touching_px) panel.top_px = std::max(panel.top_px, down);
  if (other.bottom() > own.bottom() + touching_px)
    panel.bottom_px = std::max(panel.bottom_px, down);
}

/// The fading rectangle in pixels of the panel whose map is `map`.
FadedRect on_panel(const FadedRect& canvas, const PanelMap& map) noexcept {
  const PointF first = map.to_panel({canvas.rect_px.x, canvas.rect_px.y});
  const PointF end = map.to_panel({canvas.rect_px.right(), canvas.rect_px.bottom()});
  const double across = (end.x - first.x) / canvas.rect_px.width;
  const double down = (end.y - first.y) / canvas.rect_px.height;
  return {{first.x, first.y, end.x - first.x, end.y - first.y},
          canvas.left_px * across,
          canvas.right_px * across,
          canvas.top_px * down,
          canvas.bottom_px * down};
}

/// The fading of one panel, in pixels of the unrolled wall's canvas.
FadedRect faded_rect(const Wall& wall, const Canvas& canvas, std::size_t panel) {
  const RectF& rect = canvas.panel_rect_px(panel);
  const SizeMm& size_mm = wall.panels[panel].size_mm;
  // Half a pixel more, because positions are rounded to whole pixels.
  const auto most = [](double mm, double px_per_mm) { return mm > 0 ? mm * px_per_mm + 0.5 : 0; };
  const double across_px = most(wall.overlap_mm.horizontal, rect.width / size_mm.width);
  const double down_px = most(wall.overlap_mm.vertical, rect.height / size_mm.height);
  FadedRect faded{rect};
  for (std::size_t i = 0; i < canvas.panel_count(); ++i)
    if (i != panel) fade_towards(canvas.panel_rect_px(i), across_px, down_px, faded);
  return faded;
}

}  // namespace

PanelBlend panel_blend(const Wall& wall, std::size_t panel) {
  PanelBlend blend;
  blend.gamma = wall.edge_blend.gamma;
  const bool overlaps = wall.overlap_mm.horizontal > 0 || wall.overlap_mm.vertical > 0;
  if (!wall.edge_blend.on || !overlaps) return blend;
  // The light of panels overlaps by their places on the wall, whatever canvas the picture has.
  const Canvas canvas(wall, BezelMode::hide, ContentMode::arc_length);
  const PanelMap& map = canvas.panel_map(panel);
  blend.own = on_panel(faded_rect(wall, canvas, panel), map);
  for (std::size_t i = 0; i < canvas.panel_count(); ++i)
    if (i != panel && overlap(canvas.panel_rect_px(panel), canvas.panel_rect_px(i)))
      blend.others.push_back(on_panel(faded_rect(wall, canvas, i), map));
  return blend;
}

}  // namespace tilewall::wall
