#include "tests/sim/clock_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tilewall::test {
using namespace sync;
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::int64_t daemon_hold_ns = 8'000;
constexpr std::int64_t given_up_ns = 20'000'000;
constexpr std::int64_t silent_step_ns = 100'000'000;

}  // namespace

std::int64_t ClockTruth::global_ns(std::int64_t local_ns) const noexcept {
  const double seconds = static_cast<double>(local_ns) * 1e-9;
  const double turns = 2 * pi / wave_period_s;
  const double moved_ns = drift_ppb * seconds + wave_ppb / turns * (1 - std::cos(turns * seconds));
  return local_ns + offset_ns + static_cast<std::int64_t>(std::floor(moved_ns));
}

std::int64_t ClockSimulation::delay_ns(double least_us) {
  double jitter_us = 0;
  if (path.jitter_us > 0) {
    jitter_us = path.shape == JitterShape::uniform
                    ? std::uniform_real_distribution<double>(0, path.jitter_us)(random_)
                    : std::exponential_distribution<double>(1 / path.jitter_us)(random_);
  }
  return static_cast<std::int64_t>((least_us + jitter_us) * 1e3);
}

void ClockSimulation::exchange() {
  const std::int64_t sent = local_ns_;
  exchanges++;
  if (std::uniform_real_distribution<double>(0, 1)(random_) < path.loss) {
    inspect_until(sent + given_up_ns);
    steer_at(local_ns_);
    return;
  }
  const std::int64_t arrived = sent + delay_ns(path.to_daemon_us);
  const std::int64_t left = arrived + daemon_hold_ns;
  const std::int64_t back = left + delay_ns(path.to_host_us);
  inspect_until(back);
  filter.add({{Nanos{sent}},
              {Nanos{truth.global_ns(arrived)}},
              {Nanos{truth.global_ns(left)}},
              {Nanos{back}}});
  steer_at(back);
  inspect_until(back + filter.next_interval().count() + 1);
}

void ClockSimulation::run_for(Nanos span) {
  const std::int64_t end = local_ns_ + span.count();
  while (local_ns_ < end) exchange();
}

void ClockSimulation::silence(Nanos span) {
  const std::int64_t end = local_ns_ + span.count();
  while (local_ns_ < end) {
    inspect_until(std::min(end, local_ns_ + silent_step_ns));
    steer_at(local_ns_);
  }
}

void ClockSimulation::jump_rate(double by_ppb) noexcept {
  const std::int64_t before = truth.global_ns(local_ns_);
  truth.drift_ppb += by_ppb;
  truth.offset_ns += before - truth.global_ns(local_ns_);
}

std::int64_t ClockSimulation::error_ns(LocalInstant at) const noexcept {
  return filter.status().mapping.to_global(at).since_epoch.count() -
         truth.global_ns(at.since_epoch.count());
}

void ClockSimulation::steer_at(std::int64_t local_ns) {
  const LocalInstant at{Nanos{local_ns}};
  const ClockMapping before = filter.status().mapping;
  const bool may_step = filter.status().state == ClockState::collecting;
  filter.steer(at);
  const Nanos step = filter.status().mapping.to_global(at) - before.to_global(at);
  if (!may_step && filter.status().state != ClockState::collecting)
    largest_step_ns = std::max(largest_step_ns, static_cast<std::uint64_t>(std::abs(step.count())));
}

// Looks at the mapping where it was published, where it is replaced, and in between.
void ClockSimulation::inspect_until(std::int64_t local_ns) {
  const std::int64_t start = local_ns_;
  local_ns_ = local_ns;
  if (filter.status().samples == 0) return;
  for (const std::int64_t at_ns : {start, start + (local_ns - start) / 2, local_ns}) {
    const LocalInstant at{Nanos{at_ns}};
    if (std::abs(error_ns(at)) > filter.status().mapping.bound_at(at).count()) violations++;
    if (look) look(at);
  }
}

}  // namespace tilewall::test
