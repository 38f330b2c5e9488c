// When a datagram came, by the kernel's own stamp, on CLOCK_MONOTONIC.
//
// The kernel stamps with CLOCK_REALTIME, which may be set at any time. So both clocks are read
// together before and after; where the two readings disagree about their difference, the stamp is
// not used. Stamps are rounded to the late side, as ClockSample asks. Threads: one owner.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "net/socket.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// Both clocks read close together: real time was `realtime` at some instant in between.
struct ClockPair {
  LocalInstant before;
  Nanos realtime{0};
  LocalInstant after;
};

/// Reads the pair, the narrowest of a few.
[[nodiscard]] ClockPair read_clock_pair() noexcept;

/// A real-time stamp as local time, at the latest. Empty where real time was set between the
/// readings, or the stamp does not lie between them.
[[nodiscard]] std::optional<LocalInstant> to_local(Nanos realtime_stamp, const ClockPair& earlier,
                                                   const ClockPair& later) noexcept;

struct ReceivedDatagram {
  std::size_t size_bytes = 0;  ///< more than the buffer where the datagram was longer
  LocalInstant received;
  SocketAddress from;
};

/// Receives datagrams with their stamps; where the kernel gives none, with the time of the call.
class StampedReceiver {
 public:
  /// Switches the stamps on. `fd` outlives this.
  explicit StampedReceiver(int fd) noexcept;

  /// To be called while nothing unread can be waiting: takes the reading before.
  void mark() noexcept { earlier_ = read_clock_pair(); }

  /// The next datagram; empty where none waits, or the last one sent could not be delivered.
  [[nodiscard]] std::optional<ReceivedDatagram> receive(std::span<std::byte> buffer) noexcept;

 private:
  int fd_;
  ClockPair earlier_;
};

}  // namespace tilewall::net
