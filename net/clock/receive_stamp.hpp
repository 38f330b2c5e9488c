// The instant at which a datagram came, from the kernel's own stamp, on CLOCK_MONOTONIC.
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

/// Reads the pair a few times, and returns the narrowest reading.
[[nodiscard]] ClockPair read_clock_pair() noexcept;

/// A real-time stamp as local time, at the latest. Empty where real time was set between the
/// readings, or the stamp does not lie between them.
[[nodiscard]] std::optional<LocalInstant> to_local(Nanos realtime_stamp, const ClockPair& earlier,
                                                   const ClockPair& later) noexcept;

struct ReceivedDatagram {
  /// Size of the datagram; larger than the buffer where the datagram was cut off.
  std::size_t size_bytes = 0;
  LocalInstant received;
  SocketAddress from;
};

/// Receives datagrams with the kernel's stamps or, where it gives none, with the time of the call.
class StampedReceiver {
 public:
  /// Switches stamps on for `fd`, which outlives this.
  explicit StampedReceiver(int fd) noexcept;

  /// Takes the reading before the next datagrams. @pre nothing unread can be waiting
  void mark() noexcept { earlier_ = read_clock_pair(); }

  /// The next datagram; empty where none waits, and where the last one sent was refused (ICMP).
  [[nodiscard]] std::optional<ReceivedDatagram> receive(std::span<std::byte> buffer) noexcept;

 private:
  int fd_;
  ClockPair earlier_;
};

}  // namespace tilewall::net
