// Processes that give no sign of life any more.

#include "player/host/hang_watch.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "player/host/kept_program.hpp"
#include "player/host/process_state.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

/// Looks twice a second from `from` to `to`, at a panel that has made `turns`; whether it ever
/// hangs.
bool ever_hangs(HangWatch& watch, HangWatch::TimePoint from, std::chrono::milliseconds span,
                std::uint64_t turns) {
  bool hangs = false;
  for (auto at = from; at <= from + span; at += 500ms) hangs |= watch.hangs(turns, at);
  return hangs;
}

}  // namespace

TEST_CASE("a panel that makes no more turns hangs after five seconds", "[host]") {
  const HangWatch::TimePoint start(1h);
  HangWatch watch;
  watch.started(0, start);
  CHECK_FALSE(watch.hangs(7, start + 500ms));  // the first look finds it at work
  CHECK_FALSE(ever_hangs(watch, start + 1s, 4500ms, 7));
  CHECK(watch.hangs(7, start + 6s));
}

TEST_CASE("a panel may take long to start, and begins anew after a restart", "[host]") {
  const HangWatch::TimePoint start(1h);
  HangWatch watch;
  watch.started(0, start);
  CHECK_FALSE(ever_hangs(watch, start, 30s, 0));
  CHECK(ever_hangs(watch, start + 30s, 2s, 0));
  watch.started(100, start + 40s);
  CHECK_FALSE(ever_hangs(watch, start + 40s, 29s, 100));  // what the one before had counted
  CHECK_FALSE(watch.hangs(101, start + 69500ms));
  CHECK(ever_hangs(watch, start + 70s, 6s, 101));
}

TEST_CASE("a panel that waits for a processor is starved and does not hang", "[host]") {
  const HangWatch::TimePoint start(1h);
  HangWatch watch;
  watch.started(0, start);
  CHECK_FALSE(watch.hangs(7, start));
  std::chrono::nanoseconds waited = 3s;
  bool hangs = false;
  const auto look_until = [&](std::chrono::seconds from, std::chrono::seconds to,
                              std::chrono::milliseconds wait_per_look) {
    for (auto at = start + from; at < start + to; at += 500ms) {
      hangs |= watch.hangs(7, at, [&] { return waited; });
      waited += wait_per_look;
    }
  };
  look_until(1s, 40s, 200ms);
  CHECK_FALSE(hangs);
  look_until(40s, 52s, 10ms);  // it has a processor when it wants one
  CHECK(hangs);
}

TEST_CASE("a keeper that was stopped itself does not blame its panel", "[host]") {
  const HangWatch::TimePoint start(1h);
  HangWatch watch;
  watch.started(0, start);
  CHECK_FALSE(watch.hangs(0, start));
  CHECK_FALSE(watch.hangs(5, start + 500ms));
  CHECK_FALSE(watch.hangs(5, start + 10min));
  CHECK_FALSE(watch.hangs(5, start + 10min + 1s));
  CHECK(ever_hangs(watch, start + 10min + 2s, 6s, 5));
}

TEST_CASE("silence counts up to and without the limit, over looks two seconds apart at most",
          "[host]") {
  const HangWatch::TimePoint start(1h);
  HangWatch watch;
  watch.started(0, start);
  CHECK_FALSE(watch.hangs(7, start));
  SECTION("two seconds between looks are no absence") {
    CHECK_FALSE(watch.hangs(7, start + 2s));
    CHECK_FALSE(watch.hangs(7, start + 4s));
    CHECK_FALSE(watch.hangs(7, start + 5s));
    CHECK(watch.hangs(7, start + 5s + 1ns));
  }
  SECTION("longer ones are") {
    CHECK_FALSE(watch.hangs(7, start + 2s + 1ns));
    CHECK_FALSE(watch.hangs(7, start + 4s));
    CHECK_FALSE(watch.hangs(7, start + 6s));
    CHECK_FALSE(watch.hangs(7, start + 7s + 1ns));
    CHECK(watch.hangs(7, start + 7s + 2ns));
  }
  SECTION("it has no processor for a quarter of the limit, and not for less") {
    const auto starved = [](std::chrono::nanoseconds waited) { return [=] { return waited; }; };
    for (const auto at : {2s, 4s}) CHECK_FALSE(watch.hangs(7, start + at, starved(10s)));
    CHECK_FALSE(watch.hangs(7, start + 5s + 1ns, starved(11'250ms)));  // another 5 s
    for (const auto at : {7s, 9s}) CHECK_FALSE(watch.hangs(7, start + at, starved(12s)));
    CHECK(watch.hangs(7, start + 10s + 2ns, starved(13'250ms - 1ns)));
  }
}

TEST_CASE("a process that a signal has stopped is given half a second", "[host]") {
  const StopWatch::TimePoint start(1h);
  StopWatch watch(StopWatch::awaited_limit);
  watch.started(start);
  CHECK_FALSE(watch.exceeded(false, start + 200ms));
  CHECK_FALSE(watch.exceeded(true, start + 400ms));
  CHECK_FALSE(watch.exceeded(true, start + 600ms));
  CHECK_FALSE(watch.exceeded(true, start + 800ms));
  SECTION("it goes on") {
    CHECK_FALSE(watch.exceeded(false, start + 900ms));
    CHECK_FALSE(watch.exceeded(true, start + 1000ms));
    CHECK_FALSE(watch.exceeded(true, start + 1200ms));
  }
  SECTION("it is stopped for good") { CHECK(watch.exceeded(true, start + 1000ms)); }
  SECTION("another process takes its place") {
    watch.started(start + 900ms);
    CHECK_FALSE(watch.exceeded(true, start + 1000ms));
  }
}

TEST_CASE("a watcher that was stopped together with the process lets that go on", "[host]") {
  const StopWatch::TimePoint start(1h);
  StopWatch watch(StopWatch::awaited_limit);
  watch.started(start);
  CHECK_FALSE(watch.exceeded(true, start + 100ms));  // the whole job is stopped just after
  CHECK_FALSE(watch.exceeded(true, start + 10min));  // and goes on, the watcher first
  CHECK_FALSE(watch.exceeded(false, start + 10min + 100ms));
}

TEST_CASE("a process that may compute for long is not taken for a silent one", "[host]") {
  const TemporaryFolder folder;
  SharedCounter turns;
  RestartLimits limits;
  limits.hang = 100ms;
  ProgramStart start{{"sh", "-c", "while :; do :; done"}, {}, folder / "pid", {}, &turns};
  start.computes = true;
  KeptProgram program(start, limits);
  turns.increment();
  pid_t pid = 0;
  std::ifstream(folder / "pid") >> pid;
  REQUIRE(pid > 0);
  for (int i = 0; i < 20; ++i) {
    program.look();
    std::this_thread::sleep_for(20ms);
  }
  CHECK(::kill(pid, 0) == 0);
  CHECK_FALSE(reap_any());
  program.end(0ms);
}

TEST_CASE("a kept program that a signal has stopped is killed and started again", "[host]") {
  const TemporaryFolder folder;
  // It need not count its turns, and may not have made the first.
  RestartLimits limits;
  limits.stopped = 300ms;
  KeptProgram program({{"sleep", "600"}, {}, folder / "pid"}, limits);
  const auto noted_pid = [&] {
    pid_t pid = 0;
    std::ifstream(folder / "pid") >> pid;
    return pid;
  };
  const pid_t first = noted_pid();
  REQUIRE(first > 0);
  CHECK_FALSE(is_stopped(first));
  REQUIRE(::kill(first, SIGSTOP) == 0);
  CHECK(eventually([&] { return is_stopped(first); }));
  CHECK(eventually([&] {
    program.look();
    while (const auto end = reap_any()) program.take_end(*end);
    const pid_t now = noted_pid();
    return now > 0 && now != first;
  }));
  CHECK(::kill(first, 0) != 0);
  program.end(0ms);
}

TEST_CASE("a kept program that hangs is killed and started again", "[host]") {
  const TemporaryFolder folder;
  SharedCounter turns;
  RestartLimits limits;
  limits.hang = 200ms;
  KeptProgram program({{"sleep", "600"}, {}, folder / "pid", {}, &turns}, limits);
  const auto noted_pid = [&] {
    pid_t pid = 0;
    std::ifstream(folder / "pid") >> pid;
    return pid;
  };
  const pid_t first = noted_pid();
  REQUIRE(first > 0);
  turns.increment();  // it made one turn, and no more
  CHECK(eventually([&] {
    program.look();
    while (const auto end = reap_any()) program.take_end(*end);
    const pid_t now = noted_pid();
    return now > 0 && now != first;
  }));
  CHECK(::kill(first, 0) != 0);
  program.end(0ms);
}
