#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "wallconfigs/drawing_views.hpp"

namespace tilewall::wall::drawing {
namespace {

// Usual width of a view on a sheet; it is larger where panels would become too small for their
// labels.
constexpr double usual_width = 1340;
constexpr double usual_height = 900;
constexpr double largest_side = 30000;
constexpr double panel_width_for_labels = 72;
constexpr double panel_height_for_labels = 40;
constexpr double smallest_text = 7;       // below this size lines of labels are left out
constexpr double smallest_name_text = 4;  // below this size names are left out, too
constexpr double line_spacing = 1.35;

RectF joined(const RectF& a, const RectF& b) {
  const double left = std::min(a.x, b.x);
  const double top = std::min(a.y, b.y);
  return {left, top, std::max(a.right(), b.right()) - left, std::max(a.bottom(), b.bottom()) - top};
}

double fitting_scale(const Wall& wall, const RectF& box_mm) {
  const double fit = std::min(usual_width / box_mm.width, usual_height / box_mm.height);
  double narrowest_mm = std::numeric_limits<double>::max();
  double lowest_mm = std::numeric_limits<double>::max();
  for (const Panel& panel : wall.panels) {
    narrowest_mm = std::min(narrowest_mm, panel.size_mm.width);
    lowest_mm = std::min(lowest_mm, panel.size_mm.height);
  }
  const double readable =
      std::max(panel_width_for_labels / narrowest_mm, panel_height_for_labels / lowest_mm);
  return std::max(fit, std::min(readable, largest_side / std::max(box_mm.width, box_mm.height)));
}

}  // namespace

struct FrontView::Label {
  std::vector<std::string> lines;  ///< Most important line first
};

FrontView::FrontView(const Wall& wall, BezelMode mode)
    : wall_(wall), canvas_(wall, mode), box_mm_(wall.panels.front().frame_mm()) {
  for (const Panel& panel : wall.panels) box_mm_ = joined(box_mm_, panel.frame_mm());
  for (const Hole& hole : wall.holes)
    if (!hole.cell_mm.empty()) box_mm_ = joined(box_mm_, hole.cell_mm);
  units_per_mm_ = fitting_scale(wall, box_mm_);
}

RectF FrontView::on_sheet(const RectF& rect_mm, PointF at) const {
  return {at.x + (rect_mm.x - box_mm_.x) * units_per_mm_,
          at.y + (rect_mm.y - box_mm_.y) * units_per_mm_, rect_mm.width * units_per_mm_,
          rect_mm.height * units_per_mm_};
}

FrontView::Label FrontView::label_of(std::size_t panel) const {
  const Panel& p = wall_.panels[panel];
  const SizePx viewed = p.viewed_size_px();
  const RectF& rect = canvas_.panel_rect_px(panel);
  Label label;
  label.lines.push_back(p.name);
  label.lines.push_back(fmt::format("{} × {} px", viewed.width, viewed.height));
  if (!p.host.empty() || !p.display.empty())
    label.lines.push_back(p.host + (p.host.empty() || p.display.empty() ? "" : " ") + p.display);
  label.lines.push_back(fmt::format("at {:.0f}, {:.0f} px", rect.x, rect.y));
  label.lines.push_back(fmt::format("{} × {} mm", mm(p.size_mm.width), mm(p.size_mm.height)));
  if (p.rotation != Rotation::deg0)
    label.lines.insert(label.lines.begin() + 1,
                       fmt::format("turned {}°", 90 * static_cast<int>(p.rotation)));
  return label;
}

/// Chooses one size and number of lines for all panels, so that the drawing looks uniform.
void FrontView::choose_label_size(double largest, double& size, std::size_t& lines) const {
  for (lines = 6; lines > 0; --lines) {
    size = largest;
    for (std::size_t i = 0; i < wall_.panels.size(); ++i) {
      const RectF lit = on_sheet(wall_.panels[i].lit_mm(), {});
      const Label label = label_of(i);
      const std::size_t count = std::min(lines, label.lines.size());
      const double share = wall_.panels[i].turned_sideways() ? 0.78 : 0.9;  // beside the up mark
      for (std::size_t line = 0; line < count; ++line)
        size = std::min(size, share * lit.width / text_width(label.lines[line], 1));
      size = std::min(size, 0.7 * lit.height / (line_spacing * static_cast<double>(count)));
    }
    if (size >= (lines == 1 ? smallest_name_text : smallest_text)) return;
  }
}

void FrontView::draw(Svg& svg, PointF at, double text_size) const {
  draw_frames(svg, at);
  draw_holes(svg, at, text_size);
  draw_lit_areas(svg, at, text_size);
  draw_labels(svg, at, text_size);
  draw_dimensions(svg, at, text_size);
}

void FrontView::draw_frames(Svg& svg, PointF at) const {
  for (const Panel& panel : wall_.panels)
    if (panel.bezel_mm.any())
      svg.rect(on_sheet(panel.frame_mm(), at), frame_color, {.color = "#ffffff", .width = 0.75});
}

void FrontView::draw_lit_areas(Svg& svg, PointF at, double text_size) const {
  const double line_width = text_size / 14;
  for (const Panel& panel : wall_.panels) {
    const RectF lit = on_sheet(panel.lit_mm(), at);
    const double outline = std::min(line_width, lit.width / 40);
    svg.rect(lit, host_color(wall_, panel.host), {.color = frame_color, .width = outline});
    draw_up_mark(svg, panel, lit);
  }
  for (std::size_t i = 0; i < wall_.panels.size(); ++i)
    for (std::size_t j = i + 1; j < wall_.panels.size(); ++j) {
      const RectF shared = intersection(wall_.panels[i].lit_mm(), wall_.panels[j].lit_mm());
      if (shared.width > 1e-6 && shared.height > 1e-6)
        svg.rect(on_sheet(shared, at), "#f3d9b1",
                 {.color = turned_color, .width = line_width, .dash = 4 * line_width});
    }
}

/// Draws a triangle inside of the edge that is the panel's own upper one.
void FrontView::draw_up_mark(Svg& svg, const Panel& panel, const RectF& lit) const {
  const double size = 0.05 * std::min(lit.width, lit.height);
  const PointF centre = {lit.x + lit.width / 2, lit.y + lit.height / 2};
  const double right[] = {0, 1, 0, -1};  // the direction of "up" by quarter turns clockwise
  const double down[] = {-1, 0, 1, 0};
  const auto quarter = static_cast<std::size_t>(panel.rotation);
  const double dx = right[quarter];
  const double dy = down[quarter];
  const PointF tip = {centre.x + dx * (lit.width / 2 - size / 2),
                      centre.y + dy * (lit.height / 2 - size / 2)};
  const PointF base = {tip.x - dx * 1.5 * size, tip.y - dy * 1.5 * size};
  svg.triangle(tip, {base.x - dy * size, base.y + dx * size},
               {base.x + dy * size, base.y - dx * size},
               panel.rotation == Rotation::deg0 ? mark_color : turned_color);
}

void FrontView::draw_labels(Svg& svg, PointF at, double text_size) const {
  double size = 0;
  std::size_t most_lines = 0;
  choose_label_size(1.2 * text_size, size, most_lines);
  for (std::size_t i = 0; i < wall_.panels.size(); ++i) {
    const RectF lit = on_sheet(wall_.panels[i].lit_mm(), at);
    const Label label = label_of(i);
    const std::size_t count = std::min(most_lines, label.lines.size());
    const double step = line_spacing * size;
    double y = lit.y + lit.height / 2 - step * (static_cast<double>(count) - 1) / 2;
    for (std::size_t line = 0; line < count; ++line, y += step) {
      const bool turned = line == 1 && wall_.panels[i].rotation != Rotation::deg0;
      svg.text({lit.x + lit.width / 2, y}, label.lines[line],
               {.size = size,
                .anchor = TextAnchor::middle,
                .bold = line == 0,
                .color = turned ? turned_color : ink});
    }
  }
}

void FrontView::draw_holes(Svg& svg, PointF at, double text_size) const {
  for (const Hole& hole : wall_.holes) {
    if (hole.cell_mm.empty()) continue;
    const double inset = text_size / 4;
    RectF cell = on_sheet(hole.cell_mm, at);
    cell = {cell.x + inset, cell.y + inset, cell.width - 2 * inset, cell.height - 2 * inset};
    svg.rect(cell, "none", {.color = pale_ink, .width = text_size / 10, .dash = text_size / 2});
    const double size = std::min(text_size, 0.9 * cell.width / text_width(hole.name, 1));
    if (size >= smallest_name_text)
      svg.text({cell.x + cell.width / 2, cell.y + cell.height / 2}, hole.name,
               {.size = size, .anchor = TextAnchor::middle, .color = pale_ink});
  }
}

void FrontView::draw_dimensions(Svg& svg, PointF at, double text_size) const {
  const RectF lit_mm = wall_.lit_box_mm();
  const RectF lit = on_sheet(lit_mm, at);
  const SizePx px = canvas_.size_px();
  const double below = at.y + height() + 1.6 * text_size;
  const double beside = at.x + width() + 2.4 * text_size;
  draw_dimension(svg, {lit.x, below}, {lit.right(), below},
                 fmt::format("{} mm · {} px", mm(lit_mm.width), px.width), text_size);
  draw_dimension(svg, {beside, lit.y}, {beside, lit.bottom()},
                 fmt::format("{} mm · {} px", mm(lit_mm.height), px.height), text_size);
  draw_first_panel_dimensions(svg, at, text_size);
}

/// Draws the dimensions above and left of the first panel: its lit area, and the distance to its
/// neighbours.
void FrontView::draw_first_panel_dimensions(Svg& svg, PointF at, double text_size) const {
  const Panel& first = wall_.panels.front();
  const RectF lit = on_sheet(first.lit_mm(), at);
  const double above = at.y - 1.6 * text_size;
  const double left = at.x - 1.6 * text_size;
  const std::string width_text = mm(first.size_mm.width) + " mm";
  const std::string height_text = mm(first.size_mm.height) + " mm";
  const bool wide = lit.width > 1.5 * text_width(width_text, text_size);
  const bool high = lit.height > 1.5 * text_width(height_text, text_size);
  if (wide) draw_dimension(svg, {lit.x, above}, {lit.right(), above}, width_text, text_size);
  if (high) draw_dimension(svg, {left, lit.y}, {left, lit.bottom()}, height_text, text_size);
  for (const Panel& panel : wall_.panels) {
    const RectF other = on_sheet(panel.lit_mm(), at);
    const RectF other_mm = panel.lit_mm();
    const double gap_x_mm = other_mm.x - first.lit_mm().right();
    const double gap_y_mm = other_mm.y - first.lit_mm().bottom();
    if (wide && panel.row == first.row && panel.column == first.column + 1 && gap_x_mm > 0)
      draw_dimension(svg, {lit.right(), above}, {other.x, above}, mm(gap_x_mm), text_size);
    if (high && panel.column == first.column && panel.row == first.row + 1 && gap_y_mm > 0)
      draw_dimension(svg, {left, lit.bottom()}, {left, other.y}, mm(gap_y_mm), text_size);
  }
}

}  // namespace tilewall::wall::drawing
