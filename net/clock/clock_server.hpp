// The server side of the clock protocol: answers requests for the time on one datagram socket.
//
// Its stamps are of its CLOCK_MONOTONIC, and each reply also gives that clock's place on the axis
// of global time. The server keeps no state between requests, so a restart on the same machine
// steps no client. Datagrams that are no requests with the right tag get no answer. Threads: the
// caller's only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "net/auth_key.hpp"
#include "net/clock/clock_wire.hpp"
#include "net/clock/receive_stamp.hpp"

namespace tilewall::net {

class ClockServer {
 public:
  /// The fields of a reply beside its stamps. Does not throw.
  using Word = std::function<sync::DaemonWord(LocalInstant now)>;

  /// `socket` is a bound UDP socket that outlives this. Without a key every request is answered, so
  /// the socket must be bound to loopback.
  ClockServer(int socket, std::optional<AuthKey> key, Word word);

  /// Answers requests until `stop_fd` is readable. `on_turn` is called ten times a second or more.
  /// Throws JobError when poll() fails.
  void run(int stop_fd, const std::function<void()>& on_turn = {});

  /// Answers the requests that wait. Never blocks.
  void answer_waiting() noexcept;

 private:
  void answer(const ClockMessage& request, const ReceivedDatagram& datagram) noexcept;

  int socket_;
  std::optional<AuthKey> key_;
  Word word_;
  StampedReceiver receiver_;
};

}  // namespace tilewall::net
