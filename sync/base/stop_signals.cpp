#include "sync/base/stop_signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>

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

// `timeout` and launchers send a signal twice: to the process and to its group.
constexpr int longest_repetition_ms = 200;

void take_pending(int signals) {
  signalfd_siginfo taken = {};
  while (retry_eintr([&] { return ::read(signals, &taken, sizeof taken); }) > 0) {
  }
}

/// Waits for the first stop signal and requests a stop, until `ended` is readable.
void wait_for_stop(int signals, int ended, std::stop_source& stop) {
  pollfd watched[] = {{ended, POLLIN, 0}, {signals, POLLIN, 0}};
  retry_eintr([&] { return ::poll(watched, std::size(watched), -1); });
  if (watched[0].revents != 0) return;
  take_pending(signals);
  stop.request_stop();
  if (retry_eintr([&] { return ::poll(watched, 1, longest_repetition_ms); }) > 0) return;
  take_pending(signals);
  const sigset_t set = stop_signal_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // this thread takes the second one
  retry_eintr([&] { return ::poll(watched, 1, -1); });
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

StopSignals::StopSignals()
    : ended_(check_sys(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      signals_(signal_fd(stop_signal_set())) {
  const sigset_t set = stop_signal_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] {
    waits_.count_down();
    wait_for_stop(signals_.get(), ended_.get(), stop_);
  });
  waits_.wait();
}

StopSignals::~StopSignals() {
  constexpr std::uint64_t end = 1;
  retry_eintr([&] { return ::write(ended_.get(), &end, sizeof end); });
  thread_.join();
  if (stop_.stop_requested()) take_pending(signals_.get());
  const sigset_t set = stop_signal_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace tilewall
