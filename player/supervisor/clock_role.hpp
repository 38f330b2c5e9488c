// The show's own clock daemon, a fork of the supervisor. It is killed when it hangs or is stopped,
// and started again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "net/socket.hpp"
#include "player/host/hang_watch.hpp"
#include "player/host/process_state.hpp"
#include "player/host/restart_plan.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/global_time.hpp"

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

  /// Forks the daemon, which runs `serve` with the socket. Throws JobError.
  /// @pre the calling process has one thread
  void start(const ChildOptions& options,
             std::function<int(int socket, SharedCounter& turns)> serve) {
    options_ = options;
    serve_ = std::move(serve);
    fork_now();
  }

  /// Handles its end: look() starts it again.
  void take_end() {
    pid_ = 0;
    start_at_ =
        Clock::now() + (deaths_.add(Clock::now()) < deaths_without_pause ? Nanos(0) : pause);
  }

  /// Starts it again when its pause is over and a process can be started, and kills it when it
  /// hangs or a signal has stopped it. To be called every host::StopWatch::longest_gap or more
  /// often.
  void look() {
    if (pid_ != 0 && must_go()) ::kill(pid_, SIGKILL);
    if (!start_at_ || Clock::now() < *start_at_) return;
    try {
      fork_now();
    } catch (const JobError& error) {  // no process can be started now
      log_line("tilewall: the clock daemon: {}", error.what());
      start_at_ = Clock::now() + pause;
    }
  }

  /// 0: it does not run now.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds hang_limit{1000};
  static constexpr std::chrono::seconds death_window{10};
  static constexpr std::size_t deaths_without_pause = 6;  // within the window
  static constexpr std::chrono::seconds pause{2};

  void fork_now() {
    pid_ = start_role("tw-clockd", options_, [&] { return serve_(socket_.get(), turns_); });
    start_at_.reset();
    hang_watch_.started(turns_.value(), Clock::now());
    stop_watch_.started(Clock::now());
  }

  /// Whether it hangs, or a signal has stopped it for good.
  [[nodiscard]] bool must_go() {
    const auto waited = [this] {
      return run_queue_wait_of(pid_).value_or(std::chrono::nanoseconds(0));
    };
    const bool is_silent = hang_watch_.hangs(turns_.value(), Clock::now(), waited);
    return stop_watch_.exceeded(host::is_stopped(pid_), Clock::now()) || is_silent;
  }

  const UniqueFd socket_;
  SharedCounter turns_;
  ChildOptions options_;
  std::function<int(int socket, SharedCounter& turns)> serve_;
  host::HangWatch hang_watch_{hang_limit};
  host::StopWatch stop_watch_{host::StopWatch::awaited_limit};
  host::RecentDeaths deaths_{death_window};
  std::optional<Clock::time_point> start_at_;  // while it does not run
  pid_t pid_ = 0;
};

}  // namespace tilewall::supervisor
