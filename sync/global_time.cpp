#include "sync/global_time.hpp"

#include <time.h>

#include <cmath>

#include "sync/saturating.hpp"

namespace tilewall {
namespace {

constexpr double per_ppb = 1e-9;

}  // namespace

// Only the small correction goes through a double: the elapsed time itself stays an exact integer.
GlobalInstant ClockMapping::to_global(LocalInstant local) const noexcept {
  const Nanos elapsed = sync::saturating_sub(local.since_epoch, anchor_local.since_epoch);
  const Nanos correction = sync::saturating_nanos(as_double(elapsed) * rate_ppb * per_ppb);
  return {
      sync::saturating_add(anchor_global.since_epoch, sync::saturating_add(elapsed, correction))};
}

LocalInstant ClockMapping::to_local(GlobalInstant global) const noexcept {
  const Nanos elapsed = sync::saturating_sub(global.since_epoch, anchor_global.since_epoch);
  const double rate = rate_ppb * per_ppb;
  const Nanos correction = sync::saturating_nanos(as_double(elapsed) * rate / (1.0 + rate));
  return {
      sync::saturating_add(anchor_local.since_epoch, sync::saturating_sub(elapsed, correction))};
}

Nanos ClockMapping::bound_at(LocalInstant local) const noexcept {
  const Nanos elapsed = sync::saturating_sub(local.since_epoch, anchor_local.since_epoch);
  const double growth_ns = std::abs(as_double(elapsed)) * bound_growth_ppb * per_ppb;
  return sync::saturating_add(bound_at_anchor, sync::saturating_nanos(std::ceil(growth_ns)));
}

LocalInstant local_now() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return {std::chrono::seconds{now.tv_sec} + Nanos{now.tv_nsec}};
}

}  // namespace tilewall
