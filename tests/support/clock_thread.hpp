// A clock daemon on a thread, for tests of what needs global time.
#pragma once

#include <sys/eventfd.h>

#include <atomic>
#include <string>
#include <thread>

#include "net/clock/clock_daemon.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::test {

class ClockThread {
 public:
  ClockThread()
      : thread_([this] {
          const net::ClockDaemonOptions options{"127.0.0.1:0", {}, {}, {}, {}};
          net::run_clock_daemon(options, stop_.get(), [this](const net::SocketAddress& address) {
            address_ = net::to_string(address);
            ready_.test_and_set();
            ready_.notify_all();
          });
        }) {
    ready_.wait(false);
  }
  ~ClockThread() { ::eventfd_write(stop_.get(), 1); }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::atomic_flag ready_;
  std::string address_;
  std::jthread thread_;
};

}  // namespace tilewall::test
