// Sizes, points and rectangles. The suffix of every name gives the unit: whose pixels, or
// millimetres.
//
// Pixel axes: x to the right, y down, origin in the upper left corner. Rectangles are half open:
// [x, x + width) x [y, y + height).
#pragma once

#include <algorithm>

namespace tilewall {

struct SizePx {
  int width = 0;
  int height = 0;
  bool operator==(const SizePx&) const = default;
};

struct PointPx {
  int x = 0;
  int y = 0;
  bool operator==(const PointPx&) const = default;
};

/// A place between pixels, in pixels or in millimetres.
struct PointF {
  double x = 0;
  double y = 0;
  bool operator==(const PointF&) const = default;
};

/// Whole pixels.
struct RectPx {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const RectPx&) const = default;
  [[nodiscard]] bool empty() const noexcept { return width <= 0 || height <= 0; }
  [[nodiscard]] int right() const noexcept { return x + width; }
  [[nodiscard]] int bottom() const noexcept { return y + height; }
};

/// A rectangle between pixels, in pixels or in millimetres.
struct RectF {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  bool operator==(const RectF&) const = default;
  [[nodiscard]] bool empty() const noexcept { return width <= 0 || height <= 0; }
  [[nodiscard]] double right() const noexcept { return x + width; }
  [[nodiscard]] double bottom() const noexcept { return y + height; }
};

/// The common part of two rectangles; empty() where there is none.
template <typename Rect>
[[nodiscard]] Rect intersection(const Rect& a, const Rect& b) noexcept {
  const auto left = std::max(a.x, b.x);
  const auto top = std::max(a.y, b.y);
  return {left, top, std::min(a.right(), b.right()) - left, std::min(a.bottom(), b.bottom()) - top};
}

}  // namespace tilewall
