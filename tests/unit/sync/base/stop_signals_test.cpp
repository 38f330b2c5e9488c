// The signals that ask a process to stop, as a stop_token.

#include "sync/base/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

using namespace tilewall;

namespace {

/// Runs `body` in a child process, which exits with its result, and returns the status of its end.
int status_of(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);  // not Catch2's
    ::alarm(30);  // so that a signal that is never taken fails the test
    ::_exit(body());
  }
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  return status;
}

/// Waits until a stop is requested. A process that waits for ever is ended by its alarm.
void wait_for_request(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any requested;
  std::unique_lock lock(mutex);
  requested.wait(lock, stop, [] { return false; });
}

}  // namespace

TEST_CASE("the first stop signal requests a stop, a later one ends the process", "[base]") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  const int status = status_of([signal] {
    const StopSignals signals;
    if (signals.token().stop_requested()) return 1;
    ::kill(::getpid(), signal);
    wait_for_request(signals.token());
    for (;;) {
      ::kill(::getpid(), signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
}

TEST_CASE("a stop signal that is sent twice at once is one", "[base]") {
  const bool ends_at_once = GENERATE(true, false);
  const int status = status_of([ends_at_once] {
    const StopSignals signals;
    ::kill(::getpid(), SIGTERM);
    wait_for_request(signals.token());
    ::kill(::getpid(), SIGTERM);
    sigset_t pending = stop_signal_set();
    while (!ends_at_once && sigismember(&pending, SIGTERM) == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ::sigpending(&pending);
    }
    return 0;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("after a job that was not stopped, the first stop signal ends the process", "[base]") {
  const int status = status_of([] {
    { const StopSignals signals; }
    ::raise(SIGTERM);
    return 0;
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("thousands of jobs may follow each other, as a job that ends waits for nothing",
          "[base]") {
  const int status = status_of([] {  // at a tenth of a second each, its alarm would end it
    for (int i = 0; i < 2000; ++i) const StopSignals signals;
    return 0;
  });
  CHECK(WIFEXITED(status));
}
