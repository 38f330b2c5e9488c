// The show's own clock daemon, a fork of the supervisor.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "net/socket.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/handle.hpp"

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
  void start(const ChildOptions& options, const std::function<int(int socket)>& serve) {
    pid_ = start_role("tw-clockd", options, [&] { return serve(socket_.get()); });
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  const UniqueFd socket_;
  pid_t pid_ = 0;
};

}  // namespace tilewall::supervisor
