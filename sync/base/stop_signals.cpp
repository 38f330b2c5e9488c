#include "sync/base/stop_signals.hpp"

#include <pthread.h>
#include <sys/signalfd.h>

#include <ctime>

#include "sync/base/check.hpp"

namespace tilewall {

sigset_t signal_set(std::initializer_list<int> signals) noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

sigset_t stop_signal_set() noexcept { return signal_set({SIGINT, SIGTERM}); }

UniqueFd signal_fd(const sigset_t& signals) {
  return UniqueFd(check_sys(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
}

namespace {

volatile std::sig_atomic_t stop_received = 0;

void note_stop(int) { stop_received = 1; }

void wait_for_stop(const std::stop_token& ended, std::stop_source& stop) {
  const sigset_t set = stop_signal_set();
  const timespec turn = {0, 100'000'000};
  while (!ended.stop_requested())
    if (::sigtimedwait(&set, nullptr, &turn) > 0) {
      stop.request_stop();
      ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // this thread takes the second one
    }
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = &note_stop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool stop_signal_received() noexcept { return stop_received != 0; }

UniqueFd stop_signal_fd() {
  const sigset_t set = stop_signal_set();
  check_sys(::sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
  return signal_fd(set);
}

StopSignals::StopSignals() {
  const sigset_t set = stop_signal_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::jthread([this](const std::stop_token& ended) {
    waits_.count_down();
    wait_for_stop(ended, stop_);
  });
  waits_.wait();
}

StopSignals::~StopSignals() {
  thread_.request_stop();
  thread_.join();
  const sigset_t set = stop_signal_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace tilewall
