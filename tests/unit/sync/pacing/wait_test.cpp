#include "sync/pacing/wait.hpp"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

#include <catch2/catch.hpp>
#include <thread>

#include "sync/base/handle.hpp"
#include "sync/pacing/thread_priority.hpp"

using namespace tilewall;
using namespace tilewall::sync;
using namespace std::chrono_literals;

namespace {

constexpr LocalInstant never{Nanos::max()};

UniqueFd make_eventfd(unsigned int value) {
  UniqueFd fd(::eventfd(value, EFD_CLOEXEC | EFD_NONBLOCK));
  REQUIRE_FALSE(fd.empty());
  return fd;
}

}  // namespace

TEST_CASE("a wait never ends before its instant", "[sync][pacing]") {
  const UniqueFd quiet = make_eventfd(0);
  for (const Nanos spin : {Nanos{0}, Nanos{200us}, Nanos{1s}})
    for (const int wake_fd : {-1, quiet.get()})
      for (const Nanos ahead : {Nanos{-1s}, Nanos{0}, Nanos{30us}, Nanos{500us}, Nanos{5ms}}) {
        const LocalInstant instant = local_now() + ahead;
        CHECK(wait_until(instant, spin, wake_fd) == WaitEnd::reached);
        CHECK(local_now() >= instant);
      }
}

TEST_CASE("a wait for a far instant ends when its descriptor fires", "[sync][pacing]") {
  const UniqueFd fired = make_eventfd(1);
  CHECK(wait_until(never, 200us, fired.get()) == WaitEnd::interrupted);
  const UniqueFd later = make_eventfd(0);
  const std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    ::eventfd_write(later.get(), 1);
  });
  CHECK(wait_until(local_now() + 10min, 0ns, later.get()) == WaitEnd::interrupted);
}

TEST_CASE("watching a descriptor ends at the instant, or when it fires", "[sync][pacing]") {
  const UniqueFd quiet = make_eventfd(0);
  for (const Nanos ahead : {Nanos{-1s}, Nanos{0}, Nanos{3ms}}) {
    const LocalInstant instant = local_now() + ahead;
    CHECK(watch_until(instant, quiet.get()) == WaitEnd::reached);
    CHECK(local_now() >= instant);
  }
  const UniqueFd fired = make_eventfd(1);
  CHECK(watch_until(local_now() - 1s, fired.get()) == WaitEnd::interrupted);
  CHECK(watch_until(never, fired.get()) == WaitEnd::interrupted);
}

TEST_CASE("a thread can give up its timer slack", "[sync][pacing]") {
  std::jthread([] {
    use_finest_timer_slack();
    CHECK(::prctl(PR_GET_TIMERSLACK) == 1);
  }).join();
}

TEST_CASE("realtime priority is told truly", "[sync][pacing]") {
  std::jthread([] {
    const bool granted = try_realtime_priority();
    const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    CHECK(granted == (policy == SCHED_FIFO));
  }).join();
}

TEST_CASE("an instant that has passed is waited for no more, with any descriptor",
          "[sync][pacing]") {
  const UniqueFd quiet = make_eventfd(0);
  const UniqueFd fired = make_eventfd(1);
  for (const Nanos ago : {Nanos{0}, Nanos{1us}, Nanos{1s}}) {
    CHECK(wait_until(local_now() - ago, 0ns, quiet.get()) == WaitEnd::reached);
    CHECK(wait_until(local_now() - ago, 200us, -1) == WaitEnd::reached);
    CHECK(wait_until(local_now() - ago, 200us, fired.get()) == WaitEnd::interrupted);
  }
}
