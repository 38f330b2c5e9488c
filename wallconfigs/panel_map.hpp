// A projective map from a panel's pixels to canvas pixels, which every flat screen has.
//
// Panel pixels are those of the picture as seen (before rotation into the frame buffer). Pixel (x,
// y) covers [x, x + 1) x [y, y + 1); its centre is at (x + 0.5, y + 0.5).
#pragma once

#include <array>

#include "wallconfigs/geometry.hpp"

namespace tilewall::wall {

class PanelMap {
 public:
  /// A 3x3 matrix, row by row, for (x, y, 1).
  using Matrix = std::array<double, 9>;

  /// The identity: panel pixels are canvas pixels.
  PanelMap() = default;
  explicit PanelMap(const Matrix& matrix) noexcept : matrix_(matrix) {}

  /// The map of a panel of this size that covers that rectangle.
  [[nodiscard]] static PanelMap onto(const RectF& canvas_px, SizePx viewed_px) noexcept;

  [[nodiscard]] const Matrix& matrix() const noexcept { return matrix_; }
  [[nodiscard]] PointF to_canvas(PointF panel_px) const noexcept;
  [[nodiscard]] PointF to_panel(PointF canvas_px) const noexcept;

  /// Lengths of a pixel's sides on the canvas at a place, in canvas pixels.
  struct PixelSides {
    double across = 1;
    double down = 1;
  };
  [[nodiscard]] PixelSides pixel_sides(PointF panel_px) const noexcept;

  /// The smallest rectangle that holds all of the panel.
  [[nodiscard]] RectF bounds_px(SizePx viewed_px) const noexcept;

  /// Whether the panel is a rectangle with the canvas's own axes, to a hundredth of a pixel. Then a
  /// crop and a scaling draw its picture.
  [[nodiscard]] bool is_upright(SizePx viewed_px) const noexcept;

  /// The map with every canvas place scaled, then moved.
  [[nodiscard]] PanelMap scaled(double across, double down) const noexcept;
  [[nodiscard]] PanelMap moved(PointF by_px) const noexcept;

  /// The map that applies `first`, then this one. Its argument is in pixels of `first`.
  [[nodiscard]] PanelMap after(const PanelMap& first) const noexcept;

  bool operator==(const PanelMap&) const = default;

 private:
  Matrix matrix_ = {1, 0, 0, 0, 1, 0, 0, 0, 1};
};

}  // namespace tilewall::wall
