#include <algorithm>
#include <limits>

#include "player/scene/volume_style.hpp"

namespace tilewall::scene {
namespace {

bool is_as_it_comes(const VolumeStyle& style) { return style.window == 1 && style.level == 0.5; }

float as_float(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

render::ValueRange windowed(const VolumeStyle& style, render::ValueRange range) {
  if (range.empty() || is_as_it_comes(style)) return range;
  const double span = static_cast<double>(range.max) - static_cast<double>(range.min);
  const double middle = static_cast<double>(range.min) + style.level * span;
  const double half = style.window * span / 2;
  return {as_float(middle - half), as_float(middle + half)};
}

}  // namespace

render::ValueRange covered_range(const VolumeStyle& style, render::ValueRange values) {
  return windowed(style, style.range.value_or(values));
}

render::TransferFunction styled_function(const VolumeStyle& style, render::ValueRange values,
                                         double default_unit) {
  render::TransferSpec spec = style.transfer;
  render::ValueRange range = covered_range(style, values);
  if (spec.scale == render::TransferScale::values && !is_as_it_comes(style)) {
    range =
        windowed(style, {as_float(spec.points.front().value), as_float(spec.points.back().value)});
    spec = render::as_shares(std::move(spec));
  }
  spec.unit = spec.unit.value_or(default_unit) / style.opacity;
  return render::make_transfer_function(spec, range, default_unit);
}

double styled_iso(const VolumeStyle& style, render::ValueRange values) {
  const render::ValueRange range = style.range.value_or(values);
  if (range.empty()) return style.iso_value.value_or(0);
  const double min = range.min;
  const double max = range.max;
  return style.iso_value.value_or((min + max) / 2) + style.iso_shift * (max - min);
}

}  // namespace tilewall::scene
