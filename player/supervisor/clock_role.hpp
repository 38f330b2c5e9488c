// The show's own clock daemon, a fork of the supervisor. It is killed when it hangs or is stopped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "net/socket.hpp"
#include "player/host/hang_watch.hpp"
#include "player/host/process_state.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::supervisor {

/// Keeps the daemon's socket, so that one that is started again has the same address. Its
/// monotonic clock, which is global time, is the host's: clients notice no more than a pause.
/// Threads: one owner.
class ClockRole {
 public:
  /// Binds a port at `host`. Throws JobError.
  explicit ClockRole(const net::SocketAddress& host) : socket_(net::bind_udp(host)) {}

  /// HOST:PORT.
  [[nodiscard]] std::string address() const {
    return net::to_string(net::local_address(socket_.get()));
  }

  /// Forks the daemon, which runs `serve` with the socket. @pre the calling process has one thread
  void start(const ChildOptions& options,
             const std::function<int(int socket, SharedCounter& turns)>& serve) {
    pid_ = start_role("tw-clockd", options, [&] { return serve(socket_.get(), turns_); });
    hang_watch_.started(turns_.value(), std::chrono::steady_clock::now());
    stop_watch_.started(std::chrono::steady_clock::now());
  }

  /// Kills the daemon where it hangs or a signal has stopped it. To be called every
  /// host::StopWatch::longest_gap or more often.
  void look() {
    const auto waited = [this] {
      return run_queue_wait_of(pid_).value_or(std::chrono::nanoseconds(0));
    };
    const auto now = std::chrono::steady_clock::now();
    const bool is_silent = hang_watch_.hangs(turns_.value(), now, waited);
    if (stop_watch_.exceeded(host::is_stopped(pid_), now) || is_silent) ::kill(pid_, SIGKILL);
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  static constexpr std::chrono::milliseconds hang_limit{1000};

  const UniqueFd socket_;
  SharedCounter turns_;
  host::HangWatch hang_watch_{hang_limit};
  host::StopWatch stop_watch_{host::StopWatch::awaited_limit};
  pid_t pid_ = 0;
};

}  // namespace tilewall::supervisor
