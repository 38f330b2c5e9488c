// The windows of TCP connections: how much may be under way, from what the path holds.
//
// The kernel sizes the buffers of both ends itself, up to the last numbers of tcp_rmem and tcp_wmem
// (4 MiB to send, by default). What a path holds beyond that, its rate times its round trip, is
// never filled. A size that is set turns the kernel's own sizing off, so one is set only where it
// is larger than what that reaches.
#pragma once

#include <cstdint>
#include <string>

#include "sync/global_time.hpp"

namespace tilewall::net {

/// What a path counts as where nobody said its rate.
inline constexpr double assumed_path_bytes_s = 10e9 / 8;

/// Of one of so many connections side by side, each of that rate: twice rate times round trip,
/// which is what BBR has under way to try for more (its cwnd_gain), and to others room for one
/// loss. From 64 KiB to what TCP's headers can say, 1 GiB, of all together.
[[nodiscard]] std::uint64_t tcp_window_bytes(double bytes_s, Nanos round_trip,
                                             int connections) noexcept;

/// Of one end of a connection.
struct TcpWindow {
  std::uint64_t bytes = 0;         ///< what may be under way, as far as this end goes
  std::uint64_t wanted_bytes = 0;  ///< more than `bytes`: the kernel gave no more
  bool is_set = false;             ///< false: the kernel sizes it as it goes, up to `bytes`
};

enum class TcpEnd { sends, receives };

/// Makes room for so much under way. An end that receives must not be connected yet: how large a
/// window it may name is settled then.
[[nodiscard]] TcpWindow widen_tcp(int socket, TcpEnd end, std::uint64_t window_bytes);

/// Over a long way BBR, where this host has it and this user may choose it: it does not take
/// every loss for a full path. Elsewhere the host's own choice. The name of the one in use.
std::string choose_congestion_control(int socket, Nanos round_trip);

/// The kernel spaces what this socket sends. @pre bytes_s > 0
void limit_tcp_rate(int socket, double bytes_s) noexcept;

}  // namespace tilewall::net
