#include "render/volume/value_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace tilewall::render {
namespace {

constexpr std::string_view kind_names[] = {"linear", "log", "symlog", "sqrt"};
// A root's table has equal steps of a key that is even below the greatest value's 2^-16: there the
// root has 1/256 of the colours.
constexpr double root_octaves = 65536;

std::optional<double> threshold_of(std::string_view text) {
  double threshold = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, threshold);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  if (!is_number || !(threshold >= least_threshold && threshold <= greatest_threshold))
    return std::nullopt;
  return threshold;
}

}  // namespace

bool ValueCurve::takes(double value) const noexcept {
  switch (kind) {
    case CurveKind::log:
      return value > 0;
    case CurveKind::sqrt:
      return value >= 0;
    case CurveKind::linear:
    case CurveKind::symlog:
      break;
  }
  return !std::isnan(value);
}

double ValueCurve::place_of(double value) const noexcept {
  if (!takes(value)) return -std::numeric_limits<double>::infinity();
  switch (kind) {
    case CurveKind::log:
      return std::log10(value);
    case CurveKind::symlog:
      return std::copysign(std::log10(1 + std::abs(value) / threshold), value);
    case CurveKind::sqrt:
      return std::sqrt(value);
    case CurveKind::linear:
      break;
  }
  return value;
}

double ValueCurve::value_at(double place) const noexcept {
  switch (kind) {
    case CurveKind::log:
      return std::pow(10, place);
    case CurveKind::symlog:
      return std::copysign((std::pow(10, std::abs(place)) - 1) * threshold, place);
    case CurveKind::sqrt:
      return place > 0 ? place * place : 0;
    case CurveKind::linear:
      break;
  }
  return place;
}

ValueRange ValueCurve::taken(ValueRange range, float least_above_zero) const noexcept {
  if (range.empty()) return range;
  if (kind == CurveKind::sqrt) range.min = std::max(range.min, 0.0F);
  if (kind == CurveKind::log && !(range.min > 0)) range.min = least_above_zero;
  if (!takes(static_cast<double>(range.min)) || range.empty()) return {1, 0};
  return range;
}

std::string to_string(const ValueCurve& curve) {
  const std::string name(kind_names[static_cast<std::size_t>(curve.kind)]);
  if (curve.kind != CurveKind::symlog || curve.threshold == 1) return name;
  return fmt::format("{}:{}", name, curve.threshold);
}

std::optional<ValueCurve> parse_value_curve(std::string_view text) {
  constexpr std::string_view with_threshold = "symlog:";
  if (text.starts_with(with_threshold)) {
    const auto threshold = threshold_of(text.substr(with_threshold.size()));
    if (!threshold) return std::nullopt;
    return ValueCurve{CurveKind::symlog, *threshold};
  }
  const auto* const found = std::find(std::begin(kind_names), std::end(kind_names), text);
  if (found == std::end(kind_names)) return std::nullopt;
  return ValueCurve{static_cast<CurveKind>(found - std::begin(kind_names)), 1};
}

CurveKey::CurveKey(const ValueCurve& curve, double greatest) noexcept {
  constexpr float most = std::numeric_limits<float>::max();
  if (curve.kind == CurveKind::log) return;
  bias = 1;
  above = curve.kind == CurveKind::sqrt ? -std::numeric_limits<float>::min() : -most;
  const double unit = curve.kind == CurveKind::sqrt ? greatest / root_octaves : curve.threshold;
  gain = static_cast<float>(std::clamp(1 / unit, 1e-30, 1e30));
}

float CurveKey::of(float value) const noexcept {
  const float v = gain * value;
  const auto key =
      static_cast<float>(std::bit_cast<std::int32_t>(std::abs(v) + bias) - key_base_bits);
  return std::signbit(v) ? -key : key;
}

double CurveKey::value_of(double key) const noexcept {
  // A logarithm's keys below 0 are those of values below 1; other curves' are of values below 0.
  const bool is_mirrored = bias > 0 && key < 0;
  constexpr double greatest_bits = 0x7F7FFFFF;
  const double bits = std::clamp((is_mirrored ? -key : key) + key_base_bits, 1.0, greatest_bits);
  const double octave = std::floor(bits / 0x800000);
  const double part = bits / 0x800000 - octave;
  const double size = std::ldexp(octave > 0 ? 1 + part : part,  // below: denormal numbers
                                 static_cast<int>(std::max(octave, 1.0)) - 127);
  const double value = (size - static_cast<double>(bias)) / static_cast<double>(gain);
  return is_mirrored ? -value : value;
}

}  // namespace tilewall::render
