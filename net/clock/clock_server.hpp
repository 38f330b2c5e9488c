// The clock daemon's answering side: says what time it is, on one datagram socket.
//
// Its CLOCK_MONOTONIC is global time. It keeps nothing between requests, so starting it again on
// the same machine steps nobody. What is not a request with the right tag gets no answer. Threads:
// the caller's; nothing else.
#pragma once

#include <cstdint>
#include <optional>

#include "net/auth_key.hpp"
#include "net/clock/clock_wire.hpp"
#include "net/clock/receive_stamp.hpp"

namespace tilewall {

/// UTC since 1970 is global time plus this; kept for one boot of the daemon's machine.
struct UtcAnchor {
  std::uint64_t boot_id = 0;
  Nanos utc_minus_global{0};
};

class ClockServer {
 public:
  /// `socket`: bound, UDP; outlives this. Without a key anybody is answered: for loopback only.
  ClockServer(int socket, std::optional<AuthKey> key, const UtcAnchor& anchor);

  /// Answers until `stop_fd` is readable. Throws JobError when it cannot wait.
  void run(int stop_fd);

  /// Answers what waits; never blocks.
  void answer_waiting() noexcept;

 private:
  void answer(const ClockMessage& request, const ReceivedDatagram& datagram) noexcept;

  int socket_;
  std::optional<AuthKey> key_;
  UtcAnchor anchor_;
  StampedReceiver receiver_;
};

}  // namespace tilewall
