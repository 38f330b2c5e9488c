#include <algorithm>
#include <limits>

#include "player/scene/volume_style.hpp"

namespace tilewall {
namespace {

bool is_as_it_comes(const VolumeStyle& style) { return style.window == 1 && style.level == 0.5; }

float as_float(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

ValueRange windowed(const VolumeStyle& style, ValueRange range) {
  if (range.empty() || is_as_it_comes(style)) return range;
  const double span = static_cast<double>(range.max) - static_cast<double>(range.min);
  const double middle = static_cast<double>(range.min) + style.level * span;
  const double half = style.window * span / 2;
  return {as_float(middle - half), as_float(middle + half)};
}

}  // namespace

ValueRange covered_range(const VolumeStyle& style, ValueRange values) {
  return windowed(style, style.range.value_or(values));
}

TransferFunction styled_function(const VolumeStyle& style, ValueRange values, double default_unit) {
  TransferSpec spec = style.transfer;
  ValueRange range = covered_range(style, values);
  if (spec.scale == TransferScale::values && !is_as_it_comes(style)) {
    range =
        windowed(style, {as_float(spec.points.front().value), as_float(spec.points.back().value)});
    spec = as_shares(std::move(spec));
  }
  spec.unit = spec.unit.value_or(default_unit) / style.opacity;
  return make_transfer_function(spec, range, default_unit);
}

double styled_iso(const VolumeStyle& style, ValueRange values) {
  const ValueRange range = style.range.value_or(values);
  if (range.empty()) return style.iso_value.value_or(0);
  const double min = range.min;
  const double max = range.max;
  return style.iso_value.value_or((min + max) / 2) + style.iso_shift * (max - min);
}

}  // namespace tilewall
