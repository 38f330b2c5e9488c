#include "sync/timeline/timeline.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <vector>

using namespace tilewall;
using namespace tilewall::sync;

namespace {

constexpr Nanos one_ns{1};
constexpr std::int64_t nanos_per_s = 1'000'000'000;
constexpr std::int64_t seconds_in_ten_years = 10LL * 365 * 24 * 3600;

Timeline looping(Rational rate_fps, GlobalInstant start = {Nanos{123'456'789}}) {
  Timeline timeline;
  timeline.start = start;
  timeline.rate_fps = rate_fps;
  timeline.end_frame = 240;
  timeline.loop = LoopMode::loop;
  return timeline;
}

const std::vector<Rational> rates = {{24, 1},
                                     {25, 1},
                                     {30, 1},
                                     {60, 1},
                                     {120, 1},
                                     {1, 1},
                                     {1, 3600},
                                     {1, 86'400},
                                     {24000, 1001},
                                     {30000, 1001},
                                     {60000, 1001},
                                     {120000, 1001},
                                     {7, 3},
                                     {997, 991},
                                     {999'999'937, 1},
                                     {1'000'000'000, 1},
                                     {1'000'000'000, 999'999'937}};

std::vector<std::int64_t> frames_of(const Timeline& timeline, std::int64_t ticks) {
  std::vector<std::int64_t> frames;
  for (std::int64_t tick = 0; tick < ticks; ++tick) frames.push_back(timeline.frame_of(tick));
  return frames;
}

using Frames = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a tick is due at its instant and not a nanosecond before", "[sync][timeline]") {
  for (const Rational rate : rates) {
    const Timeline timeline = looping(rate);
    CAPTURE(to_string(rate));
    REQUIRE(timeline.well_formed());
    GlobalInstant before = timeline.due(0);
    CHECK_FALSE(timeline.tick_at(before - one_ns));
    for (std::int64_t tick = 1; tick <= 20'000; ++tick) {
      const GlobalInstant due = timeline.due(tick);
      if (!(due > before && timeline.tick_at(due) == tick &&
            timeline.tick_at(due - one_ns) == tick - 1))
        FAIL("tick " << tick);
      before = due;
    }
  }
}

TEST_CASE("random rates, starts and ticks keep due and tick_at inverse", "[sync][timeline]") {
  std::mt19937_64 random(20261120);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  for (int round = 0; round < 200'000; ++round) {
    const Rational rate =
        reduced(up_to(1'000'000'000), up_to(round % 2 == 0 ? 1001 : 1'000'000'000));
    const Timeline timeline = looping(rate, {Nanos{up_to(1LL << 60)}});
    const double ticks_on_axis = 8e9 * rate.value();  // 8e9 s of the axis's 9.2e9 s
    const std::int64_t most =
        ticks_on_axis > 4e18 ? INT64_MAX / 4 : static_cast<std::int64_t>(ticks_on_axis);
    const std::int64_t tick = up_to(std::max<std::int64_t>(most, 1));
    const GlobalInstant due = timeline.due(tick);
    if (due.since_epoch == Nanos::max()) continue;
    const bool inverse =
        timeline.tick_at(due) == tick && timeline.tick_at(due - one_ns) == tick - 1;
    if (!inverse) FAIL(to_string(rate) << " tick " << tick << " round " << round);
  }
}

TEST_CASE("nothing drifts in ten years", "[sync][timeline]") {
  const Timeline ntsc = looping({30000, 1001});
  // 1001 s are 30000 ticks exactly, however often.
  const std::int64_t spans = seconds_in_ten_years / 1001;
  CHECK(ntsc.due(spans * 30000) - ntsc.start == Nanos{spans * 1001 * nanos_per_s});
  CHECK(ntsc.tick_at(ntsc.start + Nanos{spans * 1001 * nanos_per_s}) == spans * 30000);
  const Timeline film = looping({24, 1});
  CHECK(film.due(24 * seconds_in_ten_years) - film.start ==
        Nanos{seconds_in_ten_years * nanos_per_s});
}

TEST_CASE("periods follow one another evenly to a nanosecond", "[sync][timeline]") {
  const Timeline timeline = looping({60000, 1001});
  std::set<std::int64_t> gaps;
  for (std::int64_t tick = 0; tick < 100'000; ++tick)
    gaps.insert((timeline.due(tick + 1) - timeline.due(tick)).count());
  CHECK(gaps == std::set<std::int64_t>{16'683'333, 16'683'334});
  CHECK(timeline.period() == Nanos{16'683'333});
}

TEST_CASE("a loop is seamless in both directions and from any start", "[sync][timeline]") {
  Timeline timeline = looping({24, 1});
  timeline.first_frame = 10;
  timeline.end_frame = 13;
  timeline.start_frame = 11;
  CHECK(frames_of(timeline, 7) == Frames{11, 12, 10, 11, 12, 10, 11});
  timeline.direction = -1;
  CHECK(frames_of(timeline, 7) == Frames{11, 10, 12, 11, 10, 12, 11});
  CHECK_FALSE(timeline.tick_count());
  const std::int64_t far = 3'000'000'000'000'000;  // a multiple of the length
  CHECK(timeline.frame_of(far) == 11);
  CHECK(timeline.frame_of(far + 1) == 10);
  timeline.end_frame = 11;
  timeline.start_frame = 10;
  CHECK(frames_of(timeline, 3) == Frames{10, 10, 10});
}

TEST_CASE("played once, the schedule ends on its last frame", "[sync][timeline]") {
  Timeline timeline;
  timeline.start = {Nanos{1'000}};
  timeline.end_frame = 5;
  timeline.start_frame = 2;
  CHECK(timeline.tick_count() == 3);
  CHECK(frames_of(timeline, 5) == Frames{2, 3, 4, 4, 4});
  CHECK(timeline.tick_at(timeline.due(100)) == 2);
  CHECK(timeline.tick_at({Nanos::max()}) == 2);
  timeline.direction = -1;
  CHECK(timeline.tick_count() == 3);
  CHECK(frames_of(timeline, 5) == Frames{2, 1, 0, 0, 0});
}

TEST_CASE("a tick limit ends a loop in the middle, and never lengthens a range",
          "[sync][timeline]") {
  Timeline timeline = looping({24, 1});
  timeline.end_frame = 3;
  timeline.tick_limit = 5;
  CHECK(timeline.tick_count() == 5);
  CHECK(frames_of(timeline, 7) == Frames{0, 1, 2, 0, 1, 1, 1});
  CHECK(timeline.tick_at(timeline.due(6)) == 4);
  timeline.loop = LoopMode::once;
  CHECK(timeline.tick_count() == 3);
  timeline.tick_limit = 2;
  CHECK(timeline.tick_count() == 2);
}

TEST_CASE("a timeline that begins anew has the ticks left that were not due before",
          "[sync][timeline]") {
  Timeline timeline = looping({10, 1});
  timeline.tick_limit = 10;
  const auto restarted_at = [&](std::int64_t ms) {
    return timeline.restarted(timeline.start + Nanos(ms * 1'000'000));
  };
  CHECK(restarted_at(-50).tick_limit == 10);
  CHECK(restarted_at(-50).start_frame == 0);
  CHECK(restarted_at(300).tick_limit == 7);  // tick 3 is due at that instant: it is the first one
  CHECK(restarted_at(300).start_frame == 3);
  CHECK(restarted_at(350).tick_limit == 6);  // it has been due
  CHECK(restarted_at(350).start_frame == 3);
  CHECK(restarted_at(350).start == timeline.start + Nanos(350'000'000));
  CHECK(restarted_at(5000).tick_limit == 1);
  CHECK(restarted_at(5000).start_frame == 9);
}

TEST_CASE("the first tick of a frame is the first that shows it, in every order",
          "[sync][timeline]") {
  for (const LoopMode loop : {LoopMode::once, LoopMode::loop, LoopMode::ping_pong})
    for (const int direction : {1, -1})
      for (const std::int64_t start : {3, 5, 8})
        for (const std::int64_t limit : {0, 1, 4, 9}) {
          CAPTURE(static_cast<int>(loop), direction, start, limit);
          Timeline line;
          line.first_frame = 3;
          line.end_frame = 9;
          line.start_frame = start;
          line.direction = direction;
          line.loop = loop;
          if (limit > 0) line.tick_limit = limit;
          const std::int64_t ticks = line.tick_count().value_or(20);
          for (std::int64_t frame = 2; frame <= 9; ++frame) {
            std::optional<std::int64_t> first;
            for (std::int64_t tick = 0; tick < ticks && !first; ++tick)
              if (line.frame_of(tick) == frame) first = tick;
            CAPTURE(frame);
            CHECK(line.first_tick_of(frame) == first);
          }
        }
}

TEST_CASE("a paused timeline shows its start frame for ever", "[sync][timeline]") {
  Timeline timeline = looping({0, 1});
  timeline.start_frame = 17;
  timeline.tick_limit = 4;
  CHECK(timeline.paused());
  CHECK_FALSE(timeline.tick_count());
  CHECK(timeline.due(0) == timeline.start);
  CHECK(timeline.due(1).since_epoch == Nanos::max());
  CHECK_FALSE(timeline.tick_at(timeline.start - one_ns));
  CHECK(timeline.tick_at({Nanos::max()}) == 0);
  CHECK(timeline.frame_of(0) == 17);
  CHECK(timeline.frame_of(9) == 17);
}

TEST_CASE("the ends of the axis are held, not wrapped", "[sync][timeline]") {
  Timeline timeline = looping({24, 1}, {Nanos::max() - Nanos{10}});
  CHECK(timeline.due(1).since_epoch == Nanos::max());
  CHECK(timeline.due(INT64_MAX).since_epoch == Nanos::max());
  timeline.start = {Nanos::min()};
  CHECK(timeline.tick_at({Nanos::max()}).value() > 0);
  timeline.rate_fps = {1'000'000'000, 1};
  timeline.start = {Nanos{0}};
  CHECK(timeline.tick_at({Nanos::max()}) == INT64_MAX);
  timeline.rate_fps = Rational{1'000'000'000, 1} * Rational{1, 999'999'937};
  CHECK(timeline.tick_at(timeline.due(9'000'000'000)) == 9'000'000'000);
}

TEST_CASE("timelines that no schedule can follow are told apart", "[sync][timeline]") {
  const Timeline good = looping({24, 1});
  REQUIRE(good.well_formed());
  const auto broken = [&](auto&& change) {
    Timeline timeline = good;
    change(timeline);
    return !timeline.well_formed();
  };
  CHECK(broken([](Timeline& t) { t.rate_fps = {-24, 1}; }));
  CHECK(broken([](Timeline& t) { t.rate_fps = {24, 0}; }));
  CHECK(broken([](Timeline& t) { t.rate_fps = {2'000'000'000, 1}; }));
  CHECK(broken([](Timeline& t) { t.first_frame = -1; }));
  CHECK(broken([](Timeline& t) { t.end_frame = 0; }));
  CHECK(broken([](Timeline& t) { t.start_frame = 240; }));
  CHECK(broken([](Timeline& t) { t.direction = 0; }));
  CHECK(broken([](Timeline& t) { t.tick_limit = 0; }));
}

TEST_CASE("a paused timeline that begins anew keeps its limit, or has none", "[sync][timeline]") {
  Timeline timeline = looping({0, 1});
  timeline.start_frame = 17;
  const GlobalInstant later = timeline.start + Nanos{5 * nanos_per_s};
  CHECK_FALSE(timeline.restarted(later).tick_limit);
  timeline.tick_limit = 4;
  CHECK(timeline.restarted(later).tick_limit == 4);
  CHECK(timeline.restarted(later).start == later);
  CHECK(timeline.restarted(later).start_frame == 17);
  timeline.rate_fps = {1, 1};
  timeline.tick_limit.reset();
  CHECK_FALSE(timeline.restarted(later).tick_limit);
}
