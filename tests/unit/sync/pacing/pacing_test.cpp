#include <sched.h>

#include <catch2/catch.hpp>
#include <thread>

#include "sync/pacing/commit_pacer.hpp"

using namespace tilewall;
using namespace tilewall::sync;
using namespace std::chrono_literals;

namespace {

int policy() { return ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }

int level() {
  sched_param parameters = {};
  ::sched_getparam(0, &parameters);
  return parameters.sched_priority;
}

}  // namespace

TEST_CASE("a thread stays awake for twice its latest wake-up of late", "[sync][pacing]") {
  AwakeTime awake;
  CHECK(awake.value() == AwakeTime::longest);
  for (int i = 0; i < 63; ++i) awake.woke_late_by(20us);
  CHECK(awake.value() == AwakeTime::longest);  // not enough is known
  awake.woke_late_by(125us);
  CHECK(awake.value() == 250us);
  for (int i = 0; i < 64; ++i) awake.woke_late_by(1us);
  CHECK(awake.value() == AwakeTime::shortest);
  awake.woke_late_by(5s);
  CHECK(awake.value() == AwakeTime::longest);
  for (int i = 0; i < 64; ++i) awake.woke_late_by(-5us);
  CHECK(awake.value() == AwakeTime::shortest);
}

TEST_CASE("a commit never comes before its instant", "[sync][pacing]") {
  std::jthread([] {
    CommitPacer pacer;
    for (const Nanos ahead : {Nanos(-1s), Nanos(0), Nanos(30us), Nanos(400us), Nanos(5ms)}) {
      const LocalInstant instant = local_now() + ahead;
      pacer.wait_until(instant);
      CHECK(local_now() >= instant);
      pacer.committed();
    }
  }).join();
}

TEST_CASE("a pacer raises its thread for the commit alone, and gives all back", "[sync][pacing]") {
  std::jthread([] {
    const int before = policy();
    {
      CommitPacer pacer;
      CHECK(pacer.realtime() == (policy() == SCHED_FIFO));
      const int between = level();
      pacer.wait_until(local_now() + 1ms);
      if (pacer.realtime()) CHECK(level() > between);
      pacer.committed();
      CHECK(level() == between);
    }
    CHECK(policy() == before);
  }).join();
}
