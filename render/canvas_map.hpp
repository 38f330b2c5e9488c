// Maps between a panel's picture and the canvas, for drawings that go on from panel to panel.
#pragma once

#include "render/pattern.hpp"

namespace tilewall::render {

/// The map of one axis. Pixel number p of the picture stands for the canvas coordinate of its
/// centre, so that canvas pixel n is at coordinate n exactly where scales agree.
class AxisMap {
 public:
  AxisMap(double start_canvas_px, double length_canvas_px, int picture_px) noexcept
      : start_(start_canvas_px), scale_(length_canvas_px / picture_px), picture_px_(picture_px) {}

  [[nodiscard]] double to_canvas(int pixel) const noexcept {
    return start_ + (pixel + 0.5) * scale_ - 0.5;
  }
  [[nodiscard]] double to_picture(double canvas_px) const noexcept {
    return (canvas_px + 0.5 - start_) / scale_ - 0.5;
  }
  [[nodiscard]] int picture_px() const noexcept { return picture_px_; }

 private:
  double start_;
  double scale_;
  int picture_px_;
};

struct CanvasMap {
  AxisMap x;
  AxisMap y;
  CanvasMap(const PatternInfo& info, const ImageView& picture) noexcept
      : x(info.panel_on_canvas_px.x, info.panel_on_canvas_px.width, picture.size_px.width),
        y(info.panel_on_canvas_px.y, info.panel_on_canvas_px.height, picture.size_px.height) {}
};

/// Share of the pixel at `position`, 0 to 1, that is covered by lines drawn at every multiple of
/// `step`, each `width` wide. Canvas pixels.
[[nodiscard]] double line_share(double position, double step, double width) noexcept;

/// Distance of grid lines that suits a panel of this size: 10, 50 or 100 canvas pixels.
[[nodiscard]] int grid_step_px(const RectF& panel_on_canvas_px) noexcept;

}  // namespace tilewall::render
