#include "wallconfigs/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "wallconfigs/drawing_views.hpp"

namespace tilewall::wall {
namespace drawing {

std::string_view host_color(const Wall& wall, std::string_view host) {
  constexpr std::string_view colors[] = {"#e3ecf7", "#e4f3e3", "#fbeedb", "#f3e5f5",
                                         "#e0f4f4", "#fbe4e4", "#f0f0dc", "#e8e6f8"};
  const auto found = std::find_if(wall.hosts.begin(), wall.hosts.end(),
                                  [&](const Host& known) { return known.name == host; });
  if (found == wall.hosts.end()) return colors[0];
  return colors[static_cast<std::size_t>(found - wall.hosts.begin()) % std::size(colors)];
}

std::string mm(double value) { return fmt::format("{:.9g}", std::round(10 * value) / 10); }

void draw_dimension(Svg& svg, PointF from, PointF to, std::string_view text, double size) {
  const LineStyle style = {.color = pale_ink, .width = size / 14};
  const double tick = 0.35 * size;
  const bool upright = from.x == to.x;
  svg.line(from, to, style);
  for (const PointF end : {from, to})
    svg.line({end.x - tick, end.y + tick}, {end.x + tick, end.y - tick}, style);
  const PointF middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
  if (upright && to.y - from.y < text_width(text, size))
    svg.text({to.x + size, from.y - size}, text, {.size = size, .anchor = TextAnchor::end});
  else if (upright)
    svg.text({middle.x - 0.8 * size, middle.y}, text,
             {.size = size, .anchor = TextAnchor::middle, .turn_deg = -90});
  else
    svg.text({middle.x, middle.y - 0.8 * size}, text, {.size = size, .anchor = TextAnchor::middle});
}

void draw_scale_bar(Svg& svg, PointF at, double units_per_mm, double longest, double size) {
  const double longest_mm = longest / units_per_mm;
  double length_mm = std::pow(10, std::floor(std::log10(longest_mm)));
  for (const double step : {5.0, 2.0})
    if (length_mm * step <= longest_mm) {
      length_mm *= step;
      break;
    }
  const double length = length_mm * units_per_mm;
  const double height = size / 3;
  svg.rect({at.x, at.y - height / 2, length, height}, "none", {.color = ink, .width = size / 14});
  svg.rect({at.x, at.y - height / 2, length / 2, height}, ink);
  const std::string text = length_mm >= 1000 ? fmt::format("{:.6g} m", length_mm / 1000)
                                             : fmt::format("{:.6g} mm", length_mm);
  svg.text({at.x + length + 0.6 * size, at.y}, text, {.size = size});
}

namespace {

constexpr double usual_sheet_width = 1600;

/// The whole sheet: title, front, legend and plan, one below the other.
class Sheet {
 public:
  Sheet(const Wall& wall, BezelMode mode) : wall_(wall), mode_(mode), front_(wall, mode) {
    width_ = std::max(usual_sheet_width, front_.width() / 0.84);
    unit_ = std::max(1.0, width_ / usual_sheet_width);
  }

  std::string draw() {
    draw_title();
    front_.draw(svg_, {(width_ - front_.width()) / 2, y_}, text_size());
    y_ += front_.height() + 5 * text_size();
    draw_legend();
    if (!wall_.flat()) draw_plan();
    return svg_.document(width_, y_ + margin() / 2, wall_.name);
  }

 private:
  [[nodiscard]] double text_size() const { return 14 * unit_; }
  [[nodiscard]] double margin() const { return 60 * unit_; }

  void draw_title() {
    y_ = margin();
    const double size = std::min(28 * unit_, (width_ - 2 * margin()) / text_width(wall_.name, 1));
    svg_.text({margin(), y_}, wall_.name, {.size = size, .bold = true});
    y_ += 34 * unit_;
    svg_.text({margin(), y_}, subtitle(), {.size = text_size(), .color = pale_ink});
    y_ += 72 * unit_;
  }

  [[nodiscard]] std::string subtitle() const {
    const RectF lit = wall_.lit_box_mm();
    const SizePx canvas = Canvas(wall_, mode_).size_px();
    std::string text =
        fmt::format("{} panel{}, {} × {} · lit area {:.3f} × {:.3f} m · canvas {} × {} px",
                    wall_.panels.size(), wall_.panels.size() == 1 ? "" : "s", wall_.columns,
                    wall_.rows, lit.width / 1000, lit.height / 1000, canvas.width, canvas.height);
    if (wall_.has_bezels)
      text += mode_ == BezelMode::hide ? " with bezels hidden" : " with bezels shown";
    return text + fmt::format(" · {:.4g} px/mm · front view", Canvas(wall_, mode_).px_per_mm());
  }

  void draw_legend() {
    draw_scale_bar(svg_, {margin(), y_}, front_.units_per_mm(), 260 * unit_, text_size());
    double x = margin() + 380 * unit_;
    const double mark = 0.4 * text_size();
    svg_.triangle({x, y_ - mark}, {x - mark, y_ + mark}, {x + mark, y_ + mark}, mark_color);
    svg_.text({x + text_size(), y_}, "panel's own upper edge", {.size = text_size()});
    x += 230 * unit_;
    if (wall_.has_bezels) {
      svg_.rect({x - mark, y_ - mark, 2 * mark, 2 * mark}, frame_color);
      svg_.text({x + text_size(), y_}, "frame", {.size = text_size()});
      x += 110 * unit_;
    }
    if (wall_.overlap_mm.horizontal > 0 || wall_.overlap_mm.vertical > 0)
      svg_.text({x, y_},
                fmt::format("neighbours overlap by {} × {} mm", mm(wall_.overlap_mm.horizontal),
                            mm(wall_.overlap_mm.vertical)),
                {.size = text_size(), .color = turned_color});
    y_ += 2 * text_size();
    for (const Host& host : wall_.hosts) draw_host(host);
  }

  void draw_host(const Host& host) {
    const auto driven = std::count_if(wall_.panels.begin(), wall_.panels.end(),
                                      [&](const Panel& panel) { return panel.host == host.name; });
    const double side = 0.9 * text_size();
    svg_.rect({margin(), y_ - side / 2, side, side}, host_color(wall_, host.name),
              {.color = frame_color, .width = unit_});
    std::string text = host.name;
    if (host.address != host.name) text += " (" + host.address + ")";
    svg_.text({margin() + 1.6 * text_size(), y_},
              fmt::format("{}: {} panel{}", text, driven, driven == 1 ? "" : "s"),
              {.size = text_size()});
    y_ += 1.6 * text_size();
  }

  void draw_plan() {
    const PlanView plan(wall_, 0.84 * width_, 700 * unit_);
    y_ += 2.5 * text_size();
    svg_.text({margin(), y_}, "Plan, seen from above", {.size = 18 * unit_, .bold = true});
    y_ += 2 * text_size();
    if (wall_.arc) draw_arc_summary();
    y_ += 1.5 * text_size();
    plan.draw(svg_, {(width_ - plan.width()) / 2, y_}, text_size());
    y_ += plan.height() + 2 * text_size();
    draw_scale_bar(svg_, {margin(), y_}, plan.units_per_mm(), 260 * unit_, text_size());
    y_ += 2 * text_size();
  }

  void draw_arc_summary() {
    const Arc& arc = *wall_.arc;
    const int screens = arc.screens(wall_.columns);
    svg_.text({margin(), y_},
              fmt::format("{} screens, {:.4g}° from one to the next, {:.4g}° in all", screens,
                          arc.increment_deg, screens * arc.increment_deg),
              {.size = text_size(), .color = pale_ink});
  }

  const Wall& wall_;
  BezelMode mode_;
  FrontView front_;
  Svg svg_;
  double width_ = 0;
  double unit_ = 1;  // size of lettering; 1 on a sheet of usual width
  double y_ = 0;     // where the next part begins
};

}  // namespace
}  // namespace drawing

std::string draw_wall(const Wall& wall, BezelMode mode) {
  return drawing::Sheet(wall, mode).draw();
}

}  // namespace tilewall::wall
