#include "sync/clock/correction_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "sync/saturating.hpp"

namespace tilewall::sync {
namespace {

constexpr double rounding_ns = 1e-3;  // rounding error of the double arithmetic below

/// One limit as seen from the instant asked for: correction <= most_ns + rate * age_s.
struct Line {
  double age_s;
  double most_ns;
};

double reach(const Line& line, double rate_ppb) noexcept {
  return line.most_ns + rate_ppb * line.age_s;
}

/// All limits as seen from one instant.
struct View {
  std::array<Line, CeilingHull::max_ceilings> ceiling_store;
  std::array<Line, CeilingHull::max_ceilings> floor_store;
  std::span<const Line> ceilings;
  std::span<const Line> negated_floors;
};

/// The line that limits most at `rate_ppb`. @pre not empty
Line tightest(std::span<const Line> lines, double rate_ppb) noexcept {
  Line best = lines.front();
  for (const Line& line : lines)
    if (reach(line, rate_ppb) < reach(best, rate_ppb)) best = line;
  return best;
}

/// Room between the ceilings and the floors at one rate. It is concave in the rate; slope_s is that
/// of a tangent.
struct Room {
  double rate_ppb;
  double ns;
  double slope_s;
};

Room room_at(const View& view, double rate_ppb) noexcept {
  const Line ceiling = tightest(view.ceilings, rate_ppb);
  const Line floor = tightest(view.negated_floors, -rate_ppb);
  return {rate_ppb, reach(ceiling, rate_ppb) + reach(floor, -rate_ppb),
          ceiling.age_s - floor.age_s};
}

/// The rate nearest to `from.rate_ppb` that leaves room; empty where none up to `limit_ppb` does.
/// Newton's steps along a concave curve reach the edge in a few turns and never pass it.
std::optional<double> edge_of_room(const View& view, Room from, double limit_ppb) noexcept {
  const bool falling = limit_ppb < from.rate_ppb;
  for (std::size_t turn = 0; turn < 2 * CeilingHull::max_ceilings + 2; ++turn) {
    if (from.ns >= -rounding_ns) return from.rate_ppb;
    if (falling ? from.slope_s >= 0 : from.slope_s <= 0) return std::nullopt;
    const double rate_ppb = from.rate_ppb - from.ns / from.slope_s;
    if (falling ? rate_ppb < limit_ppb : rate_ppb > limit_ppb) return std::nullopt;
    from = room_at(view, rate_ppb);
  }
  return std::nullopt;
}

/// Limits of one view; empty where no line fulfils all of them.
std::optional<CorrectionRange> range_of(const View& view, double max_rate_ppb) noexcept {
  const auto high = edge_of_room(view, room_at(view, max_rate_ppb), -max_rate_ppb);
  const auto low = edge_of_room(view, room_at(view, -max_rate_ppb), max_rate_ppb);
  if (!high || !low) return std::nullopt;
  CorrectionRange range;
  range.rate_high_ppb = std::max(*low, *high);  // they may cross by a rounding
  range.rate_low_ppb = std::min(*low, *high);
  // Both limits rise with the rate: the highest correction goes with the highest rate.
  range.high_ns = reach(tightest(view.ceilings, range.rate_high_ppb), range.rate_high_ppb);
  range.low_ns = -reach(tightest(view.negated_floors, -range.rate_low_ppb), -range.rate_low_ppb);
  return range;
}

/// The line farthest from all limits. It is the likeliest where the path's least delay is the same
/// both ways, however long. Walks up the concave room by the crossing of the tangents on both
/// sides.
LikelyCorrection widest_line(const View& view, const CorrectionRange& range) noexcept {
  Room left = room_at(view, range.rate_low_ppb);
  Room right = room_at(view, range.rate_high_ppb);
  Room best = left.ns > right.ns ? left : right;
  for (std::size_t turn = 0; turn < 2 * CeilingHull::max_ceilings + 2; ++turn) {
    if (left.slope_s <= 0 || right.slope_s >= 0) break;
    const double rate_ppb =
        (right.ns - left.ns + left.slope_s * left.rate_ppb - right.slope_s * right.rate_ppb) /
        (left.slope_s - right.slope_s);
    const double crossing_ns = left.ns + left.slope_s * (rate_ppb - left.rate_ppb);
    const Room room = room_at(view, rate_ppb);
    if (room.ns > best.ns) best = room;
    if (room.ns >= crossing_ns - rounding_ns) break;
    (room.slope_s > 0 ? left : right) = room;
  }
  const double high_ns = reach(tightest(view.ceilings, best.rate_ppb), best.rate_ppb);
  return {high_ns - best.ns / 2, best.rate_ppb};
}

std::span<const Line> lines_of(const CeilingHull& hull, std::span<Line> lines, LocalInstant at,
                               Nanos base, const ClockModel& model) noexcept {
  std::size_t count = 0;
  for (const Ceiling& ceiling : hull.ceilings()) {
    const double age_s = static_cast<double>((at - ceiling.at).count()) * 1e-9;
    const double loosened_ns = model.wander_ppb_per_s * age_s * age_s / 2;
    const Nanos most = ceiling.most - base + model.stamp_error;
    lines[count++] = {age_s, static_cast<double>(most.count()) + loosened_ns};
  }
  return lines.first(count);
}

/// Loosens all limits of the view by the distance that a jump of the rate may have added since.
void allow_jumps(View& view, double jump_ppb) noexcept {
  for (auto* lines : {&view.ceiling_store, &view.floor_store})
    for (Line& line : *lines) line.most_ns += jump_ppb * line.age_s;
}

Ceiling ceiling_of(const ClockSample& sample) noexcept {
  return {sample.sent, sample.remote_received.since_epoch - sample.sent.since_epoch};
}

Ceiling negated_floor_of(const ClockSample& sample) noexcept {
  return {sample.received, sample.received.since_epoch - sample.remote_sent.since_epoch};
}

/// Rates in ppb of two clocks in a row: (1 + a)(1 + b) - 1.
double compose_ppb(double a_ppb, double b_ppb) noexcept {
  return a_ppb + b_ppb + a_ppb * b_ppb * 1e-9;
}

}  // namespace

CorrectionEstimate seen_through(const CorrectionEstimate& measured, const ClockMapping& to_axis,
                                double wander_ppb_per_s, LocalInstant at) noexcept {
  const LocalInstant measured_at = at + measured.certain.base;  // correction 0, on that clock
  const GlobalInstant on_axis = to_axis.to_global(measured_at);
  const double age_s = static_cast<double>((measured_at - to_axis.anchor_local).count()) * 1e-9;
  const bool is_exact = to_axis.bound_at_anchor == Nanos{0} && to_axis.bound_growth_ppb == 0;
  const double wandered_ppb = is_exact ? 0 : wander_ppb_per_s * std::abs(age_s);
  const double bound_ns =  // `on_axis` is rounded
      is_exact ? 0
               : static_cast<double>(to_axis.bound_at(measured_at).count()) + 1 +
                     wandered_ppb * std::abs(age_s) / 2;
  const double rate_error_ppb = to_axis.bound_growth_ppb + wandered_ppb;
  const auto stretched = [&](double ns) { return ns * (1 + to_axis.rate_ppb * 1e-9); };
  const auto composed = [&](double ppb) { return compose_ppb(ppb, to_axis.rate_ppb); };
  const CorrectionRange& certain = measured.certain;
  const LikelyCorrection& likely = measured.likely;
  return {
      {saturating_sub(on_axis.since_epoch, at.since_epoch), stretched(certain.low_ns) - bound_ns,
       stretched(certain.high_ns) + bound_ns, composed(certain.rate_low_ppb) - rate_error_ppb,
       composed(certain.rate_high_ppb) + rate_error_ppb},
      {stretched(likely.correction_ns), composed(likely.rate_ppb)}};
}

CorrectionBounds::CorrectionBounds(const ClockModel& model, Nanos window)
    : model_(model),
      window_(window),
      ceilings_(model.wander_ppb_per_s),
      negated_floors_(model.wander_ppb_per_s) {}

Nanos CorrectionBounds::gap(const ClockSample& sample) const {
  if (empty()) return Nanos{0};
  const auto estimate = at(sample.received);
  if (!estimate) return Nanos{0};
  const CorrectionRange& range = estimate->certain;
  const double moved_ns =  // between `sent` and `received`
      model_.max_rate_ppb * 1e-9 * static_cast<double>((sample.received - sample.sent).count());
  const auto past = [&](Nanos limit, double edge_ns) {
    return edge_ns - static_cast<double>(limit.count());
  };
  const double under = past(ceiling_of(sample).most - range.base, range.low_ns) - moved_ns;
  const double over = past(negated_floor_of(sample).most + range.base, -range.high_ns);
  return Nanos{static_cast<std::int64_t>(std::max({0.0, under, over}))};
}

void CorrectionBounds::add(const ClockSample& sample) {
  ceilings_.add(ceiling_of(sample));
  negated_floors_.add(negated_floor_of(sample));
  drop_older_than(sample.received - window_);
  // A changed rate contradicts the oldest exchanges, so they go until a line fits the others.
  while (count() > 2 && !at(sample.received)) drop_oldest();
}

void CorrectionBounds::clear() {
  ceilings_.clear();
  negated_floors_.clear();
}

std::optional<CorrectionEstimate> CorrectionBounds::at(LocalInstant at) const {
  View view = {};
  const Nanos base = ceilings_.ceilings().back().most;
  view.ceilings = lines_of(ceilings_, view.ceiling_store, at, base, model_);
  view.negated_floors = lines_of(negated_floors_, view.floor_store, at, -base, model_);
  std::optional<LikelyCorrection> likely;
  // Without the allowance for jumps old exchanges say more about the rate, so the likely line is
  // found first, and with the allowance only where no line fits.
  if (const auto range = range_of(view, model_.max_rate_ppb)) likely = widest_line(view, *range);
  allow_jumps(view, model_.rate_jump_ppb);
  auto certain = range_of(view, model_.max_rate_ppb);
  if (!certain) return std::nullopt;
  if (!likely) likely = widest_line(view, *certain);  // the rate did jump
  certain->base = base;
  return CorrectionEstimate{*certain, *likely};
}

void CorrectionBounds::drop_oldest() {
  const bool ceiling_is_older =
      ceilings_.ceilings().front().at < negated_floors_.ceilings().front().at;
  CeilingHull& older = ceiling_is_older ? ceilings_ : negated_floors_;
  CeilingHull& newer = ceiling_is_older ? negated_floors_ : ceilings_;
  (older.ceilings().size() > 1 ? older : newer).drop_oldest();
}

// The newest of the old exchanges stays: after a silence longer than the window it keeps the rate
// known.
void CorrectionBounds::drop_older_than(LocalInstant oldest) {
  for (CeilingHull* hull : {&ceilings_, &negated_floors_})
    while (hull->ceilings().size() > 1 && hull->ceilings()[1].at < oldest) hull->drop_oldest();
}

}  // namespace tilewall::sync
