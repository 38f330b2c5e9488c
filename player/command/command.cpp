#include "player/command/command.hpp"

#include <pthread.h>
#include <signal.h>

#include <ctime>

#include "sync/base/error.hpp"

namespace tilewall::command {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

void wait_for_signal(const std::stop_token& ended, std::stop_source& stop) {
  const sigset_t set = stop_set();
  const timespec turn = {0, 100'000'000};
  while (!ended.stop_requested())
    if (::sigtimedwait(&set, nullptr, &turn) > 0) {
      stop.request_stop();
      ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // this thread takes the second one
    }
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::jthread([this](const std::stop_token& ended) { wait_for_signal(ended, stop_); });
}

StopSignals::~StopSignals() {
  thread_.request_stop();
  thread_.join();
  const sigset_t set = stop_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw JobError("interrupted before the show began");
}

}  // namespace tilewall::command
