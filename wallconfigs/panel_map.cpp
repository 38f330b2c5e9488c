#include "wallconfigs/panel_map.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::wall {
namespace {

using Matrix = PanelMap::Matrix;

struct Homogeneous {
  double x = 0;
  double y = 0;
  double w = 1;
};

Homogeneous product(const Matrix& m, PointF at) noexcept {
  return {m[0] * at.x + m[1] * at.y + m[2], m[3] * at.x + m[4] * at.y + m[5],
          m[6] * at.x + m[7] * at.y + m[8]};
}

/// The inverse up to a factor, which does not change a projective map.
Matrix adjugate(const Matrix& m) noexcept {
  return {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
          m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
          m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
}

std::array<PointF, 4> corners_of(SizePx size) noexcept {
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  return {{{0, 0}, {width, 0}, {width, height}, {0, height}}};
}

}  // namespace

PanelMap PanelMap::onto(const RectF& canvas_px, SizePx viewed_px) noexcept {
  return PanelMap({canvas_px.width / viewed_px.width, 0, canvas_px.x, 0,
                   canvas_px.height / viewed_px.height, canvas_px.y, 0, 0, 1});
}

PointF PanelMap::to_canvas(PointF panel_px) const noexcept {
  const Homogeneous at = product(matrix_, panel_px);
  return {at.x / at.w, at.y / at.w};
}

PointF PanelMap::to_panel(PointF canvas_px) const noexcept {
  const Homogeneous at = product(adjugate(matrix_), canvas_px);
  return {at.x / at.w, at.y / at.w};
}

PanelMap::PixelSides PanelMap::pixel_sides(PointF panel_px) const noexcept {
  const Matrix& m = matrix_;
  const Homogeneous at = product(m, panel_px);
  const auto side = [&](std::size_t axis) {  // derivative of (x / w, y / w), by the quotient rule
    const double dx = (m[axis] * at.w - m[6 + axis] * at.x) / (at.w * at.w);
    const double dy = (m[3 + axis] * at.w - m[6 + axis] * at.y) / (at.w * at.w);
    return std::hypot(dx, dy);
  };
  return {side(0), side(1)};
}

RectF PanelMap::bounds_px(SizePx viewed_px) const noexcept {
  const std::array<PointF, 4> corners = corners_of(viewed_px);
  PointF low = to_canvas(corners[0]);
  PointF high = low;
  for (const PointF corner : corners) {
    const PointF at = to_canvas(corner);
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

bool PanelMap::is_upright(SizePx viewed_px) const noexcept {
  constexpr double tolerance_px = 0.01;
  const RectF bounds = bounds_px(viewed_px);
  const PanelMap upright = onto(bounds, viewed_px);
  const std::array<PointF, 4> corners = corners_of(viewed_px);
  return std::all_of(corners.begin(), corners.end(), [&](PointF corner) {
    const PointF is = to_canvas(corner);
    const PointF should = upright.to_canvas(corner);
    return std::abs(is.x - should.x) <= tolerance_px && std::abs(is.y - should.y) <= tolerance_px;
  });
}

PanelMap PanelMap::scaled(double across, double down) const noexcept {
  Matrix m = matrix_;
  for (std::size_t i = 0; i < 3; ++i) {
    m[i] *= across;
    m[3 + i] *= down;
  }
  return PanelMap(m);
}

PanelMap PanelMap::moved(PointF by_px) const noexcept {
  Matrix m = matrix_;
  for (std::size_t i = 0; i < 3; ++i) {
    m[i] += by_px.x * m[6 + i];
    m[3 + i] += by_px.y * m[6 + i];
  }
  return PanelMap(m);
}

PanelMap PanelMap::after(const PanelMap& first) const noexcept {
  Matrix m;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i)
        sum += matrix_[3 * row + i] * first.matrix_[3 * i + column];
      m[3 * row + column] = sum;
    }
  return PanelMap(m);
}

}  // namespace tilewall::wall
