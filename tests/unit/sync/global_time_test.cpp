#include "sync/global_time.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "sync/clock/clock_status.hpp"
#include "sync/clock/manual_clock.hpp"
#include "sync/saturating.hpp"

using namespace tilewall;
using namespace tilewall::sync;

TEST_CASE("mapping there and back again loses at most a nanosecond", "[sync][clock]") {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> instant(0, 1'000'000'000'000'000'000);
  std::uniform_int_distribution<std::int64_t> distance(-3'600'000'000'000, 3'600'000'000'000);
  std::uniform_real_distribution<double> rate(-500'000, 500'000);
  for (int round = 0; round < 100'000; ++round) {
    ClockMapping mapping;
    mapping.anchor_local = {Nanos{instant(random)}};
    mapping.anchor_global = {Nanos{instant(random)}};
    mapping.rate_ppb = rate(random);
    const LocalInstant local = mapping.anchor_local + Nanos{distance(random)};
    const Nanos back = mapping.to_local(mapping.to_global(local)) - local;
    if (std::abs(back.count()) > 1) FAIL("round " << round << ": " << back.count() << " ns");
  }
}

TEST_CASE("a mapping runs at its rate and its bound grows on both sides", "[sync][clock]") {
  ClockMapping mapping;
  mapping.anchor_local = {Nanos{1'000'000'000'000}};
  mapping.anchor_global = {Nanos{5'000'000'000'000}};
  mapping.rate_ppb = 100'000;
  mapping.bound_at_anchor = Nanos{500};
  mapping.bound_growth_ppb = 1'000;
  const LocalInstant later = mapping.anchor_local + std::chrono::seconds(2);
  CHECK(mapping.to_global(later) - mapping.anchor_global == Nanos{2'000'200'000});
  CHECK(mapping.bound_at(mapping.anchor_local) == Nanos{500});
  for (const LocalInstant at : {later, mapping.anchor_local - std::chrono::seconds(2)}) {
    CHECK(mapping.bound_at(at) >= Nanos{2'500});
    CHECK(mapping.bound_at(at) <= Nanos{2'501});  // rounded up
  }
}

TEST_CASE("instants at the end of the axis stay there", "[sync][clock]") {
  ClockMapping mapping;
  mapping.anchor_local = {Nanos{2'000}};
  mapping.anchor_global = {Nanos{1'000}};
  mapping.rate_ppb = -100;
  CHECK(mapping.to_local({Nanos::max()}).since_epoch == Nanos::max());
  CHECK(mapping.to_global({Nanos::max()}).since_epoch >
        Nanos::max() - std::chrono::hours(24 * 365));
  mapping.bound_at_anchor = Nanos::max();
  CHECK(mapping.bound_at({Nanos{5'000}}) == Nanos::max());
  CHECK(saturating_sub(Nanos::min(), Nanos{1}) == Nanos::min());
  CHECK(saturating_sub(Nanos::max(), Nanos{-1}) == Nanos::max());
  CHECK(saturating_add(Nanos::min(), Nanos{-1}) == Nanos::min());
  CHECK(saturating_nanos(-1e30) == Nanos::min());
}

TEST_CASE("a manual clock shows the instant it was set to", "[sync][clock]") {
  ManualClock clock({Nanos{1'000}});
  CHECK(clock.mapping().to_global(clock.local()) == GlobalInstant{Nanos{1'000}});
  clock.advance(Nanos{500});
  CHECK(clock.mapping().to_global(clock.local()) == GlobalInstant{Nanos{1'500}});
  CHECK(clock.mapping().bound_at(clock.local()) == Nanos{0});
}

TEST_CASE("the time without an answer counts in holdover alone", "[sync][clock]") {
  ClockStatus status;
  status.heard = LocalInstant{Nanos{1'000'000'000}};
  const LocalInstant now{Nanos{3'500'000'000}};
  for (const ClockState state : {ClockState::collecting, ClockState::locked}) {
    status.state = state;
    CHECK(status.holdover_at(now) == Nanos{0});
  }
  status.state = ClockState::holdover;
  CHECK(status.holdover_at(now) == Nanos{2'500'000'000});
}

TEST_CASE("a local clock that is ahead has a positive offset", "[sync][clock]") {
  ClockStatus status;
  status.mapping.anchor_local = {Nanos{1'000'000}};
  status.mapping.anchor_global = {Nanos{999'300}};
  CHECK(status.offset_at({Nanos{1'000'000}}) == Nanos{700});
  CHECK(status.offset_at({Nanos{2'000'000}}) == Nanos{700});
}
