// The clock daemon's answering side: says what time it is, on one datagram socket.
//
// Its stamps are of its CLOCK_MONOTONIC; beside them it says where that lies on the axis of global
// time. It keeps nothing between requests, so starting it again on the same machine steps nobody.
// What is not a request with the right tag gets no answer. Threads: the caller's; nothing else.
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
  /// What to say beside the stamps of a reply; does not throw.
  using Word = std::function<sync::DaemonWord(LocalInstant now)>;

  /// `socket`: bound, UDP; outlives this. Without a key anybody is answered: for loopback only.
  ClockServer(int socket, std::optional<AuthKey> key, Word word);

  /// Answers until `stop_fd` is readable. Throws JobError when it cannot wait.
  void run(int stop_fd);

  /// Answers what waits; never blocks.
  void answer_waiting() noexcept;

 private:
  void answer(const ClockMessage& request, const ReceivedDatagram& datagram) noexcept;

  int socket_;
  std::optional<AuthKey> key_;
  Word word_;
  StampedReceiver receiver_;
};

}  // namespace tilewall::net
