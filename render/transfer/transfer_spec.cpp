#include "render/transfer/transfer_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "render/transfer/transfer_curves.hpp"

namespace tilewall {
namespace {

constexpr double max_light = 10;

bool same(const Lighting& a, const Lighting& b) noexcept {
  return a.ambient == b.ambient && a.diffuse == b.diffuse && a.specular == b.specular;
}

void check_point(const TransferSpec& spec, std::size_t i, const InputPlace& place) {
  const auto refuse = [&](std::string_view part, std::string_view expected, double found) {
    throw InputError(place, fmt::format("points[{}].{}", i, part), expected,
                     fmt::format("{}", found));
  };
  const TransferPoint& point = spec.points[i];
  const bool shares = spec.scale == TransferScale::shares;
  const double lowest = shares ? 0 : -max_transfer_value;
  const double highest = shares ? 1 : max_transfer_value;
  if (!(point.value >= lowest && point.value <= highest))
    refuse("value", fmt::format("a number in [{}, {}]", lowest, highest), point.value);
  if (i > 0 && point.value < spec.points[i - 1].value)
    refuse("value", fmt::format("at least the one before, {}", spec.points[i - 1].value),
           point.value);
  const Rgba& c = point.colour;
  for (const float channel : {c.r, c.g, c.b})
    if (!(channel >= 0 && channel <= 1))
      refuse("colour", "numbers in [0, 1]", static_cast<double>(channel));
  if (!(c.a >= 0 && c.a <= 1)) refuse("opacity", "a number in [0, 1]", static_cast<double>(c.a));
}

ValueRange with_width(ValueRange range) noexcept {
  if (range.empty()) return {0, 1};
  if (range.min < range.max) return range;
  const float half = std::max(0.5F, std::abs(range.min) * 1e-3F);
  return {range.min - half, range.max + half};
}

}  // namespace

bool TransferLook::operator==(const TransferLook& other) const noexcept {
  return shading == other.shading && same(lighting, other.lighting);
}

bool TransferSpec::operator==(const TransferSpec& other) const noexcept {
  const auto same_point = [](const TransferPoint& a, const TransferPoint& b) {
    return a.value == b.value && a.colour == b.colour;
  };
  return name == other.name && scale == other.scale && unit == other.unit && look == other.look &&
         notes == other.notes &&
         std::equal(points.begin(), points.end(), other.points.begin(), other.points.end(),
                    same_point);
}

void check_transfer_spec(const TransferSpec& spec, const InputPlace& place) {
  if (spec.name.size() > max_transfer_name_bytes)
    throw InputError(place, "name", fmt::format("at most {} bytes", max_transfer_name_bytes),
                     fmt::format("{}", spec.name.size()));
  if (spec.points.size() < 2 || spec.points.size() > max_transfer_points)
    throw InputError(place, "points", fmt::format("2 to {} points", max_transfer_points),
                     fmt::format("{}", spec.points.size()));
  for (std::size_t i = 0; i < spec.points.size(); ++i) check_point(spec, i, place);
  if (spec.points.front().value == spec.points.back().value)
    throw InputError(place, "points", "values that differ",
                     fmt::format("all at {}", spec.points.front().value));
  if (spec.unit && !(*spec.unit > 0 && *spec.unit <= max_transfer_value))
    throw InputError(place, "unit", "a length above 0", fmt::format("{}", *spec.unit));
  if (!spec.look) return;
  const Lighting& light = spec.look->lighting;
  for (const float strength : {light.ambient, light.diffuse, light.specular})
    if (!(strength >= 0 && strength <= static_cast<float>(max_light)))
      throw InputError(place, "lighting", fmt::format("numbers in [0, {}]", max_light),
                       fmt::format("{}", strength));
}

TransferSpec as_shares(TransferSpec spec) {
  stretch_to_shares(spec.points);
  spec.scale = TransferScale::shares;
  return spec;
}

TransferFunction make_transfer_function(const TransferSpec& spec, ValueRange range,
                                        double default_unit) {
  check_transfer_spec(spec, {"transfer function"});
  std::vector<TransferPoint> points = spec.points;
  if (spec.scale == TransferScale::shares) {
    const ValueRange wide = with_width(range);
    for (TransferPoint& point : points)
      point.value =
          std::lerp(static_cast<double>(wide.min), static_cast<double>(wide.max), point.value);
  }
  return TransferFunction(std::move(points), spec.unit.value_or(default_unit));
}

}  // namespace tilewall
