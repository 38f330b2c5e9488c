#include "sync/base/stop_signal.hpp"

#include <csignal>

namespace tilewall {
namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int) { received = 1; }

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool stop_signal_received() noexcept { return received != 0; }

}  // namespace tilewall
