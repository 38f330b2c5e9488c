#include <algorithm>
#include <cmath>

#include "render/volume/cast_plan.hpp"

namespace tilewall::render {
namespace {

constexpr double most_opacity_error = 2e-3;  // half a level of an 8-bit channel
constexpr double place_tolerance = 1e-4;     // distance in intervals

bool points_lie_between(const TransferFunction& function, double first, double per_value) {
  for (const TransferPoint& point : function.points()) {
    const double place = (point.value - first) * per_value;
    if (std::abs(place - std::round(place)) > place_tolerance) return false;
  }
  return true;
}

/// Whether the function has steps: two colours at one value, which a line cannot have.
bool has_steps(const TransferFunction& function) {
  const auto& points = function.points();
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].value == points[i - 1].value && !(points[i].colour == points[i - 1].colour))
      return true;
  return false;
}

struct Line {
  double from;
  double to;
};

void set_line(TransferBins::Channel& channel, int i, Line line) {
  channel.slope[i] = static_cast<float>(line.to - line.from);
  channel.base[i] = static_cast<float>(line.from - (line.to - line.from) * i);
}

double opacity_error(const TransferFunction& function, double step, double first, double per_value,
                     int i, Line opacity) {
  double worst = 0;
  for (const double part : {0.25, 0.5, 0.75}) {
    const double exact = opacity_of_step(
        static_cast<double>(function.at(first + (i + part) / per_value).a), step, function.unit());
    worst = std::max(worst, std::abs(exact - (opacity.from + part * (opacity.to - opacity.from))));
  }
  return worst;
}

/// Fills the bins. Returns the worst error of an opacity.
double fill_bins(const TransferFunction& function, double step, double first, double per_value,
                 TransferBins& bins) {
  double worst = 0;
  for (int i = 0; i < bins.count; ++i) {
    const Rgba from = function.at(first + i / per_value);
    const Rgba to = function.at(first + (i + 1) / per_value);
    const Line opacity = {opacity_of_step(static_cast<double>(from.a), step, function.unit()),
                          opacity_of_step(static_cast<double>(to.a), step, function.unit())};
    set_line(bins.a, i, opacity);
    set_line(bins.r, i, {static_cast<double>(from.r), static_cast<double>(to.r)});
    set_line(bins.g, i, {static_cast<double>(from.g), static_cast<double>(to.g)});
    set_line(bins.b, i, {static_cast<double>(from.b), static_cast<double>(to.b)});
    worst = std::max(worst, opacity_error(function, step, first, per_value, i, opacity));
  }
  return worst;
}

}  // namespace

TransferBins bins_of(const TransferFunction& function, double opacity_step, ValueScale scale) {
  TransferBins bins;
  const double first = function.points().front().value;
  const double span = function.points().back().value - first;
  if (!(span > 0) || has_steps(function) || !function.curve().is_linear()) return bins;
  for (int count = TransferBins::max_count; count >= 1; --count) {
    const double per_value = count / span;
    if (!points_lie_between(function, first, per_value)) continue;
    bins.count = count;
    if (fill_bins(function, opacity_step, first, per_value, bins) > most_opacity_error) break;
    bins.per_stored = static_cast<float>(scale.scale * per_value);
    bins.at_zero = static_cast<float>((scale.offset - first) * per_value);
    return bins;
  }
  bins.count = 0;
  return bins;
}

double flat_difference(const TransferFunction& function) noexcept {
  const ValueCurve& curve = function.curve();
  const double first = function.points().front().value;
  const double last = function.points().back().value;
  const double steepest = std::clamp(0.0, first, last);
  const double width = curve.place_of(last) - curve.place_of(first);
  return curve.value_at(curve.place_of(steepest) +
                        static_cast<double>(flat_gradient_share) * width) -
         steepest;
}

void fill_levels(const TransferTable& table, ValueScale scale, TransferLevels& levels) {
  constexpr int skip = TransferTable::intervals / TransferLevels::count;
  const double per_value = static_cast<double>(table.per_value()) / skip;
  levels.is_keyed = table.key().has_value();
  if (table.key()) {
    const auto gain = static_cast<double>(table.key()->gain);
    levels.key = {static_cast<float>(scale.scale * gain), static_cast<float>(scale.offset * gain),
                  table.key()->bias, table.key()->above};
    levels.per_stored = static_cast<float>(per_value);
    levels.at_zero = static_cast<float>(-static_cast<double>(table.first_value()) * per_value);
  } else {
    levels.per_stored = static_cast<float>(scale.scale * per_value);
    levels.at_zero =
        static_cast<float>((scale.offset - static_cast<double>(table.first_value())) * per_value);
  }
  for (int i = 0; i <= TransferLevels::count; ++i) {
    const Rgba& entry = table.entries()[static_cast<std::size_t>(i) * skip];
    levels.r[i] = entry.r;
    levels.g[i] = entry.g;
    levels.b[i] = entry.b;
    levels.a[i] = entry.a;
  }
}

void fill_refinement(const TransferTable& table, const TransferTable& fine,
                     TransferRefinement& refinement) {
  constexpr int count = TransferRefinement::count;
  constexpr int skip = TransferTable::intervals / count;
  for (int i = 0; i <= count; ++i) {
    const auto entry = static_cast<std::size_t>(i) * skip;
    refinement.a[i] = fine.entries()[entry].a;
    refinement.changes[i] = table.changes()[entry];
  }
  const float* const begin = refinement.changes;
  const float* const end = begin + count + 1;
  // Below the first place and above the last one all entries are alike.
  refinement.first = static_cast<float>(std::upper_bound(begin, end, begin[0]) - begin) - 1;
  refinement.last = static_cast<float>(std::lower_bound(begin, end, begin[count]) - begin);
}

}  // namespace tilewall::render
