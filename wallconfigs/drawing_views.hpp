// The two views of a wall's drawing, and helpers of both. Internal to drawing.cpp and its views.
#pragma once

#include <string>
#include <string_view>

#include "wallconfigs/svg.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::wall::drawing {

inline constexpr std::string_view ink = "#1f2933";
inline constexpr std::string_view pale_ink = "#66727f";
inline constexpr std::string_view frame_color = "#454c55";
inline constexpr std::string_view mark_color = "#8794a3";
inline constexpr std::string_view turned_color = "#c2570c";

/// Fill of the lit areas that `host` drives; the first colour for a wall without hosts.
[[nodiscard]] std::string_view host_color(const Wall& wall, std::string_view host);

/// Millimetres as people write them, to a tenth: "641.2", "1280".
[[nodiscard]] std::string mm(double value);

/// Draws a dimension line between two points, with ticks across its ends and its text beside its
/// middle. `size` is the text's. The text of an upright dimension is read from the right, or stands
/// above the line where that is too short.
void draw_dimension(Svg& svg, PointF from, PointF to, std::string_view text, double size);

/// Draws a scale bar of a round length, at most `longest` units, with its left end at `at`.
void draw_scale_bar(Svg& svg, PointF at, double units_per_mm, double longest, double size);

/// The front of the wall, to scale.
class FrontView {
 public:
  FrontView(const Wall& wall, BezelMode mode);

  /// Width of frames, lit areas and holes, in the drawing's units.
  [[nodiscard]] double width() const noexcept { return box_mm_.width * units_per_mm_; }
  [[nodiscard]] double height() const noexcept { return box_mm_.height * units_per_mm_; }
  [[nodiscard]] double units_per_mm() const noexcept { return units_per_mm_; }

  /// Draws the view with its upper left corner at `at`, and dimensions around it with text of
  /// `text_size`.
  void draw(Svg& svg, PointF at, double text_size) const;

 private:
  struct Label;
  [[nodiscard]] RectF on_sheet(const RectF& rect_mm, PointF at) const;
  [[nodiscard]] Label label_of(std::size_t panel) const;
  void choose_label_size(double largest, double& size, std::size_t& lines) const;
  void draw_frames(Svg& svg, PointF at) const;
  void draw_lit_areas(Svg& svg, PointF at, double text_size) const;
  void draw_up_mark(Svg& svg, const Panel& panel, const RectF& lit) const;
  void draw_labels(Svg& svg, PointF at, double text_size) const;
  void draw_holes(Svg& svg, PointF at, double text_size) const;
  void draw_dimensions(Svg& svg, PointF at, double text_size) const;
  void draw_first_panel_dimensions(Svg& svg, PointF at, double text_size) const;

  const Wall& wall_;
  Canvas canvas_;
  RectF box_mm_;
  double units_per_mm_ = 1;
};

/// The wall from above: where its panels stand in the room.
class PlanView {
 public:
  /// Scales the view to fit into width x height units.
  PlanView(const Wall& wall, double width, double height);

  [[nodiscard]] double width() const noexcept { return box_mm_.width * units_per_mm_; }
  [[nodiscard]] double height() const noexcept { return box_mm_.height * units_per_mm_; }
  [[nodiscard]] double units_per_mm() const noexcept { return units_per_mm_; }
  void draw(Svg& svg, PointF at, double text_size) const;

 private:
  [[nodiscard]] PointF on_sheet(PointF room_mm, PointF at) const;
  void draw_arc(Svg& svg, PointF at, double text_size) const;
  void draw_panel(Svg& svg, const Panel& panel, PointF at, double text_size) const;

  const Wall& wall_;
  RectF box_mm_;  // x and z of the room
  double units_per_mm_ = 1;
};

}  // namespace tilewall::wall::drawing
