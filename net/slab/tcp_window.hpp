// Windows of TCP connections: how many bytes may be in flight, from the path's bandwidth-delay
// product.
//
// The kernel sizes the buffers of both ends by itself, up to the last numbers of tcp_rmem and
// tcp_wmem (tcp(7); 4 MiB for sending by default). A path with a larger bandwidth-delay product is
// never filled. Setting a size turns the kernel's own sizing off, so it is set only if it exceeds
// what that reaches.
#pragma once

#include <cstdint>
#include <string>

#include "sync/global_time.hpp"

namespace tilewall::net {

/// Rate of all stripes of a path whose rate is unknown: 10 Gbit/s in bytes per second.
inline constexpr double assumed_path_bytes_s = 10e9 / 8;

/// Window in bytes of one of `connections` parallel connections, each of rate `bytes_s`: twice rate
/// times round trip. BBR keeps so much in flight to probe for more (cwnd_gain); other congestion
/// control halves it after a loss, and then still fills the path. At least 64 KiB; at most 1 GiB,
/// the limit of TCP's headers (RFC 7323), for all connections together.
[[nodiscard]] std::uint64_t tcp_window_bytes(double bytes_s, Nanos round_trip,
                                             int connections) noexcept;

/// Window of one end of a connection.
struct TcpWindow {
  std::uint64_t bytes = 0;         ///< most bytes in flight that this end allows
  std::uint64_t wanted_bytes = 0;  ///< larger than `bytes` if the kernel gave less than wanted
  bool is_set = false;             ///< false: the kernel sizes the buffer itself, up to `bytes`
};

enum class TcpEnd { sends, receives };

/// Enlarges this end's buffer for a window of `window_bytes`, if needed. A receiving end must not
/// be connected yet, because the window's scale is negotiated when it connects (RFC 7323).
[[nodiscard]] TcpWindow widen_tcp(int socket, TcpEnd end, std::uint64_t window_bytes);

/// From a round trip of 1 ms on, chooses BBR if this host has it and this user may: unlike others
/// it does not treat each loss as congestion. Else the host's default stays. Returns the name of
/// the congestion control in use; "" if unknown.
std::string choose_congestion_control(int socket, Nanos round_trip);

/// Makes the kernel pace this socket at `bytes_s` (SO_MAX_PACING_RATE). Errors are ignored.
/// @pre bytes_s > 0
void limit_tcp_rate(int socket, double bytes_s) noexcept;

}  // namespace tilewall::net
