#include "player/scene/scene_paths.hpp"

#include <algorithm>
#include <cmath>

#include "render/transfer/transfer_curves.hpp"

namespace tilewall::scene {

namespace {

double between(double from, double to, double share) { return from + (to - from) * share; }

/// Share of the way from `from` to `to` at which `size` is reached; `share` where they are equal.
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

double OpacityPath::at(GlobalInstant instant) const {
  if (instant >= end()) return to;
  if (instant <= start) return from;
  return between(
      from, to,
      static_cast<double>((instant - start).count()) / static_cast<double>(duration.count()));
}

namespace {

/// A number between two others, never past either end in spite of rounding.
template <typename Number>
Number even(Number from, Number to, double share) {
  const double between =
      static_cast<double>(from) + share * (static_cast<double>(to) - static_cast<double>(from));
  return std::clamp(static_cast<Number>(between), std::min(from, to), std::max(from, to));
}

double by_factors(double from, double to, double share) {
  return std::clamp(from * std::pow(to / from, share), std::min(from, to), std::max(from, to));
}

render::Lighting even(const render::Lighting& from, const render::Lighting& to, double share) {
  return {even(from.ambient, to.ambient, share), even(from.diffuse, to.diffuse, share),
          even(from.specular, to.specular, share)};
}

/// The light of a style. One without light looks like one that is all ambient.
render::Lighting light_of(const VolumeStyle& style) {
  return style.lit ? style.lighting : render::Lighting{1, 0, 0};
}

/// Whether both have points at shares of the range, or both at values that no window moves, and
/// opacities for the same length.
bool in_same_terms(const VolumeStyle& from, const VolumeStyle& to) {
  const auto moves = [](const VolumeStyle& style) {
    return style.window != 1 || style.level != 0.5;
  };
  if (from.transfer.scale != to.transfer.scale || from.transfer.unit != to.transfer.unit ||
      from.scale != to.scale)
    return false;
  return to.transfer.scale == render::TransferScale::shares || (!moves(from) && !moves(to));
}

}  // namespace

VolumeStyle blended(const VolumeStyle& from, const VolumeStyle& to, double share) {
  VolumeStyle style = to;
  style.opacity = by_factors(from.opacity, to.opacity, share);
  style.window = by_factors(from.window, to.window, share);
  style.level = even(from.level, to.level, share);
  style.iso_shift = even(from.iso_shift, to.iso_shift, share);
  if (from.iso_value && to.iso_value) style.iso_value = even(*from.iso_value, *to.iso_value, share);
  if (from.range && to.range && from.scale == to.scale) {
    const render::ValueRange range{even(from.range->min, to.range->min, share),
                                   even(from.range->max, to.range->max, share)};
    if (range.min < range.max) style.range = range;  // rounding may close a needle's eye
  }
  style.lit = from.lit || to.lit;
  if (style.lit) style.lighting = even(light_of(from), light_of(to), share);
  for (std::size_t i = 0; i < style.clip_min.size(); ++i) {
    const double min = even(from.clip_min[i], to.clip_min[i], share);
    const double max = even(from.clip_max[i], to.clip_max[i], share);
    if (!(min < max)) continue;  // rounding may close a thin box, too
    style.clip_min[i] = min;
    style.clip_max[i] = max;
  }
  if (!(from.transfer == to.transfer) && in_same_terms(from, to)) {
    auto points = render::blended(from.transfer.points, to.transfer.points, share);
    if (points.size() <= render::max_transfer_points) style.transfer.points = std::move(points);
  }
  style.background = {even(from.background.r, to.background.r, share),
                      even(from.background.g, to.background.g, share),
                      even(from.background.b, to.background.b, share),
                      even(from.background.a, to.background.a, share)};
  return style;
}

std::shared_ptr<const VolumeStyle> StylePath::at(GlobalInstant instant) const {
  if (instant >= end() || *from == *to) return to;
  if (instant <= start) return from;
  return std::make_shared<const VolumeStyle>(blended(
      *from, *to,
      static_cast<double>((instant - start).count()) / static_cast<double>(duration.count())));
}

}  // namespace tilewall::scene
