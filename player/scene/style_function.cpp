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
  const render::ValueCurve& scale = style.scale;
  const double first = scale.place_of(static_cast<double>(range.min));
  const double span = scale.place_of(static_cast<double>(range.max)) - first;
  const double middle = first + style.level * span;
  const double half = style.window * span / 2;
  const auto value = [&](double place) { return as_float(scale.value_at(place)); };
  const render::ValueRange wide{value(middle - half), value(middle + half)};
  if (scale.kind != render::CurveKind::log) return wide;
  return {std::max(wide.min, std::numeric_limits<float>::min()), wide.max};
}

}  // namespace

render::ValueRange covered_range(const VolumeStyle& style, render::ValueRange values) {
  const render::TransferSpec& spec = style.transfer;
  if (spec.scale == render::TransferScale::values)
    return windowed(style,
                    {as_float(spec.points.front().value), as_float(spec.points.back().value)});
  return windowed(style, style.range.value_or(values));
}

render::TransferFunction styled_function(const VolumeStyle& style, render::ValueRange values,
                                         double default_unit) {
  render::TransferSpec spec = style.low_values && style.transfer.has_default_opacity
                                  ? render::with_low_values(style.transfer)
                                  : style.transfer;
  if (spec.scale == render::TransferScale::values && !is_as_it_comes(style))
    spec = render::as_shares(std::move(spec), style.scale);
  spec.unit = spec.unit.value_or(default_unit) / style.opacity;
  return render::make_transfer_function(spec, covered_range(style, values), default_unit,
                                        style.scale);
}

double styled_iso(const VolumeStyle& style, render::ValueRange values) {
  const render::ValueRange range = style.range.value_or(values);
  if (range.empty()) return style.iso_value.value_or(0);
  if (style.iso_value && (style.iso_shift == 0 || !style.scale.takes(*style.iso_value)))
    return *style.iso_value;
  const double min = style.scale.place_of(static_cast<double>(range.min));
  const double max = style.scale.place_of(static_cast<double>(range.max));
  const double from = style.iso_value ? style.scale.place_of(*style.iso_value) : (min + max) / 2;
  return style.scale.value_at(from + style.iso_shift * (max - min));
}

}  // namespace tilewall::scene
