#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "wallconfigs/drawing_views.hpp"

namespace tilewall::wall::drawing {
namespace {

/// A panel's edge seen from above, in the room's x and z.
struct Edge {
  PointF left_mm;
  PointF right_mm;
  PointF facing;  ///< direction that the panel faces, of length 1
};

Edge edge_of(const Panel& panel) {
  const double yaw = panel.pose.yaw_deg * std::numbers::pi / 180;
  const double half_mm = panel.size_mm.width / 2;
  const PointF centre = {panel.pose.centre_mm[0], panel.pose.centre_mm[2]};
  const PointF along = {std::cos(yaw), -std::sin(yaw)};
  return {{centre.x - along.x * half_mm, centre.y - along.y * half_mm},
          {centre.x + along.x * half_mm, centre.y + along.y * half_mm},
          {std::sin(yaw), std::cos(yaw)}};
}

/// "−36°" with a true minus sign.
std::string degrees(double angle_deg) {
  return fmt::format("{}{:.4g}°", angle_deg < 0 ? "−" : "", std::abs(angle_deg));
}

}  // namespace

PlanView::PlanView(const Wall& wall, double width, double height) : wall_(wall) {
  PointF low = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  PointF high = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};
  const auto include = [&](PointF point) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  };
  double widest_mm = 0;
  for (const Panel& panel : wall.panels) {
    include(edge_of(panel).left_mm);
    include(edge_of(panel).right_mm);
    widest_mm = std::max(widest_mm, panel.size_mm.width);
  }
  if (wall.arc) {
    include({0, wall.arc->radius_mm});
    include({0, 0});
  }
  const double margin_mm = 0.25 * widest_mm;  // room for labels and frames
  box_mm_ = {low.x - margin_mm, low.y - margin_mm, high.x - low.x + 2 * margin_mm,
             high.y - low.y + 2 * margin_mm};
  units_per_mm_ = std::min(width / box_mm_.width, height / box_mm_.height);
}

PointF PlanView::on_sheet(PointF room_mm, PointF at) const {
  return {at.x + (room_mm.x - box_mm_.x) * units_per_mm_,
          at.y + (room_mm.y - box_mm_.y) * units_per_mm_};
}

void PlanView::draw(Svg& svg, PointF at, double text_size) const {
  if (wall_.arc) draw_arc(svg, at, text_size);
  std::set<std::tuple<long, long, long>> drawn;  // panels above each other are one edge in the plan
  for (const Panel& panel : wall_.panels) {
    const auto place =
        std::tuple(std::lround(panel.pose.centre_mm[0]), std::lround(panel.pose.centre_mm[2]),
                   std::lround(10 * panel.pose.yaw_deg));
    if (drawn.insert(place).second) draw_panel(svg, panel, at, text_size);
  }
}

void PlanView::draw_panel(Svg& svg, const Panel& panel, PointF at, double text_size) const {
  const Edge edge = edge_of(panel);
  const PointF left = on_sheet(edge.left_mm, at);
  const PointF right = on_sheet(edge.right_mm, at);
  const PointF middle = {(left.x + right.x) / 2, (left.y + right.y) / 2};
  svg.line(left, right, {.color = "#2f6db3", .width = text_size / 3});
  const double tick = text_size / 3;
  for (const PointF end : {left, right})
    svg.line({end.x - edge.facing.x * tick, end.y - edge.facing.y * tick},
             {end.x + edge.facing.x * tick, end.y + edge.facing.y * tick},
             {.color = ink, .width = text_size / 10});
  const double behind = 1.5 * text_size;
  const std::string label =
      wall_.arc ? fmt::format("column {} · {}", panel.column, degrees(-panel.pose.yaw_deg))
                : fmt::format("{} · {}", panel.name, degrees(panel.pose.yaw_deg));
  const bool upside_down = std::abs(std::remainder(panel.pose.yaw_deg, 360)) > 90;
  svg.text({middle.x - edge.facing.x * behind, middle.y - edge.facing.y * behind}, label,
           {.size = text_size,
            .anchor = TextAnchor::middle,
            .turn_deg = -panel.pose.yaw_deg + (upside_down ? 180 : 0)});
}

void PlanView::draw_arc(Svg& svg, PointF at, double text_size) const {
  const Arc& arc = *wall_.arc;
  const int screens = arc.screens(wall_.columns);
  const PointF centre = on_sheet({0, arc.radius_mm}, at);
  const double radius = arc.radius_mm * units_per_mm_;
  const LineStyle thin = {.color = mark_color, .width = text_size / 14, .dash = text_size / 2};
  const double half_deg = arc.increment_deg / 2;
  const double last_deg = arc.start_angle_deg + (screens - 1) * arc.increment_deg;
  svg.arc(centre, radius, arc.start_angle_deg - half_deg, last_deg + half_deg, thin);
  for (int screen = 0; screen < screens; ++screen) {
    const double angle =
        (arc.start_angle_deg + screen * arc.increment_deg) * std::numbers::pi / 180;
    const PointF end = {centre.x + radius * std::sin(angle), centre.y - radius * std::cos(angle)};
    const bool measured = screen + 1 == screens;
    svg.line(centre, end, measured ? LineStyle{.color = ink, .width = text_size / 12} : thin);
    if (measured)
      svg.text({(centre.x + 2 * end.x) / 3 - 0.9 * text_size * std::cos(angle),
                (centre.y + 2 * end.y) / 3 - 0.9 * text_size * std::sin(angle)},
               fmt::format("radius {} mm", mm(arc.radius_mm)),
               {.size = text_size,
                .anchor = TextAnchor::middle,
                .turn_deg = angle * 180 / std::numbers::pi + (angle > 0 ? -90 : 90)});
  }
  if (screens > 1) {
    const double inner = 0.35 * radius;
    const double middle_deg = arc.start_angle_deg + half_deg;
    const double middle = middle_deg * std::numbers::pi / 180;
    svg.arc(centre, inner, arc.start_angle_deg, arc.start_angle_deg + arc.increment_deg,
            {.color = ink, .width = text_size / 12});
    svg.text(
        {centre.x + 1.18 * inner * std::sin(middle), centre.y - 1.18 * inner * std::cos(middle)},
        degrees(arc.increment_deg), {.size = text_size, .anchor = TextAnchor::middle});
  }
  const double arm = text_size / 2;
  svg.line({centre.x - arm, centre.y}, {centre.x + arm, centre.y}, {.width = text_size / 10});
  svg.line({centre.x, centre.y - arm}, {centre.x, centre.y + arm}, {.width = text_size / 10});
  svg.text({centre.x, centre.y + 1.4 * text_size}, "centre of the arc",
           {.size = 0.85 * text_size, .anchor = TextAnchor::middle, .color = pale_ink});
}

}  // namespace tilewall::wall::drawing
