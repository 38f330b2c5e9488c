#include "render/volume/transfer_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

float between(float from, float to, float part) noexcept { return from + (to - from) * part; }

Rgba between(const Rgba& from, const Rgba& to, float part) noexcept {
  return {between(from.r, to.r, part), between(from.g, to.g, part), between(from.b, to.b, part),
          between(from.a, to.a, part)};
}

}  // namespace

TransferFunction::TransferFunction(std::vector<TransferPoint> points, double unit, ValueCurve curve)
    : points_(std::move(points)), unit_(unit), curve_(curve) {
  if (points_.empty()) throw InputError("a transfer function: expected at least one point");
  if (!(unit_ > 0) || !std::isfinite(unit_))
    throw InputError("a transfer function's unit: expected a length above 0");
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Rgba& c = points_[i].colour;
    if (!std::isfinite(points_[i].value) || (i > 0 && points_[i].value < points_[i - 1].value))
      throw InputError("a transfer function's points: expected rising values");
    for (const float channel : {c.r, c.g, c.b, c.a})
      if (!(channel >= 0 && channel <= 1))
        throw InputError("a transfer function's colours: expected numbers in [0, 1]");
  }
  if (!curve_.takes(points_.front().value))
    throw InputError({"transfer function"}, "points",
                     fmt::format("values that the scale {} takes", to_string(curve_)),
                     fmt::format("{}", points_.front().value));
}

Rgba TransferFunction::at(double value) const noexcept {
  if (!curve_.takes(value)) return {};
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), value,
                       [](double v, const TransferPoint& point) { return v < point.value; });
  if (above == points_.begin()) return points_.front().colour;
  if (above == points_.end()) return points_.back().colour;
  const TransferPoint& below = above[-1];
  const double from = curve_.place_of(below.value);
  return between(
      below.colour, above->colour,
      static_cast<float>((curve_.place_of(value) - from) / (curve_.place_of(above->value) - from)));
}

double opacity_of_step(double opacity, double step, double unit) noexcept {
  return 1 - std::pow(1 - opacity, step / unit);
}

TransferTable::TransferTable(const TransferFunction& function, double step) {
  double first = function.points().front().value;
  double last = function.points().back().value;
  if (!function.curve().is_linear()) {
    key_.emplace(function.curve(), std::max(std::abs(first), std::abs(last)));
    first = static_cast<double>(key_->of(static_cast<float>(first)));
    last = static_cast<double>(key_->of(static_cast<float>(last)));
  }
  const double span = std::max(last - first, 1e-30);
  first_value_ = static_cast<float>(first);
  per_value_ = static_cast<float>(intervals / span);
  entries_.reserve(intervals + 1);
  changes_.reserve(intervals + 1);
  opaque_before_ = {0};
  for (int i = 0; i <= intervals; ++i) {
    const double place = first + span * i / intervals;
    Rgba entry = function.at(key_ ? key_->value_of(place) : place);
    entry.a =
        static_cast<float>(opacity_of_step(static_cast<double>(entry.a), step, function.unit()));
    changes_.push_back(i == 0 ? 0 : changes_.back() + std::abs(entry.a - entries_.back().a));
    entries_.push_back(entry);
    opaque_before_.push_back(opaque_before_.back() + (entry.a > 0 ? 1 : 0));
  }
}

float TransferTable::place(float value) const noexcept {
  if (key_ && !key_->takes(value)) return 0;
  return std::clamp(unlimited_place(value), 0.0F, static_cast<float>(intervals));
}

float TransferTable::change_up_to(float value) const noexcept {
  return changes_[static_cast<std::size_t>(std::lround(place(value)))];
}

float TransferTable::unlimited_place(float value) const noexcept {
  const float place = key_ ? key_->of(value) : value;
  return (place - first_value_) * per_value_;
}

Rgba TransferTable::at(float value) const noexcept {
  if (std::isnan(value) || (key_ && !key_->takes(value))) return {};
  const float at = place(value);
  const int below = std::min(static_cast<int>(at), intervals - 1);
  return between(entries_[static_cast<std::size_t>(below)],
                 entries_[static_cast<std::size_t>(below) + 1], at - static_cast<float>(below));
}

bool TransferTable::any_opacity(float min, float max) const noexcept {
  if (!(min <= max) || (key_ && !key_->takes(max))) return false;
  // All values beyond the table by more than rounding have its end's colour.
  if (unlimited_place(max) < -1) return entries_.front().a > 0;
  if ((!key_ || key_->takes(min)) && unlimited_place(min) > intervals + 1)
    return entries_.back().a > 0;
  const int first = std::max(static_cast<int>(place(min)) - 1, 0);
  const int last = std::min(static_cast<int>(place(max)) + 2, intervals);
  return opaque_before_[static_cast<std::size_t>(last) + 1] >
         opaque_before_[static_cast<std::size_t>(first)];
}

}  // namespace tilewall::render
