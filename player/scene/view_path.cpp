#include "player/scene/view_path.hpp"

#include <cmath>

namespace tilewall {
namespace {

double between(double from, double to, double share) { return from + (to - from) * share; }

/// How far of the way `size` is from `from` to `to`; `share` where they are equal.
double share_of_way(double from, double to, double size, double share) {
  return std::abs(to - from) > 1e-9 * to ? (size - from) / (to - from) : share;
}

}  // namespace

RectF ViewPath::at(GlobalInstant instant) const {
  if (instant >= end()) return to_px;
  if (instant <= start) return from_px;
  const double share =
      static_cast<double>((instant - start).count()) / static_cast<double>(duration.count());
  const double width = from_px.width * std::pow(to_px.width / from_px.width, share);
  const double height = from_px.height * std::pow(to_px.height / from_px.height, share);
  const double across = share_of_way(from_px.width, to_px.width, width, share);
  const double down = share_of_way(from_px.height, to_px.height, height, share);
  return {between(from_px.x, to_px.x, across), between(from_px.y, to_px.y, down), width, height};
}

}  // namespace tilewall
