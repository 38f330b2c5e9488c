// Sockets as owned descriptors: addresses as users write them, and the few ways we open one.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// A resolved IPv4 or IPv6 address with its port.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* raw() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
  [[nodiscard]] sockaddr* raw() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] int family() const noexcept { return storage.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  [[nodiscard]] bool loopback() const noexcept;
};

/// Resolves "HOST:PORT", "[v6]:PORT" or ":PORT" (loopback). Throws InputError naming `field`: not
/// of this form, port not in [0, 65535], unknown host.
[[nodiscard]] SocketAddress resolve(std::string_view text, const std::string& field);

/// "127.0.0.1:7641", "[::1]:7641".
[[nodiscard]] std::string to_string(const SocketAddress& address);

/// The address a socket is bound to.
[[nodiscard]] SocketAddress local_address(int socket);
/// The address that a socket is connected to; empty where its peer is gone.
[[nodiscard]] std::optional<SocketAddress> peer_address(int socket) noexcept;

/// A listening TCP socket. Throws InputError where the address is not this host's, JobError naming
/// it where it is in use or not permitted.
[[nodiscard]] UniqueFd listen_tcp(const SocketAddress& address);

/// A connected TCP socket, or an empty handle when nobody accepts within `limit`. `prepare` is
/// called with the socket before it connects.
[[nodiscard]] UniqueFd try_connect_tcp(const SocketAddress& address,
                                       std::chrono::milliseconds limit,
                                       const std::function<void(int socket)>& prepare = {});

/// Begins to connect a TCP socket without blocking. poll() finds it writable once connect_error()
/// has the result. Returns an empty handle, and sets errno, if the connection fails at once.
[[nodiscard]] UniqueFd begin_connect_tcp(const SocketAddress& address);
/// The errno of a connection that begin_connect_tcp() began; 0 if it is connected.
[[nodiscard]] int connect_error(int socket);

/// The least round trip of a connected TCP socket so far; 0 where none is known.
[[nodiscard]] std::chrono::nanoseconds tcp_round_trip(int socket) noexcept;

/// Whether both addresses are of one host; their ports do not matter.
[[nodiscard]] bool is_same_host(const SocketAddress& a, const SocketAddress& b) noexcept;

/// A listening TCP socket whose accept() does not block. Throws as listen_tcp(). `prepare` is
/// called with the socket before it listens.
[[nodiscard]] UniqueFd listen_tcp_without_blocking(
    const SocketAddress& address, const std::function<void(int socket)>& prepare = {});

/// Ends a TCP connection, one that is being made, or listening. To be called before closing a
/// socket of a process that may have been forked: the child holds a copy, so that closing alone
/// tells the peer nothing. What was written before still reaches the peer.
void end_connection(int socket) noexcept;

/// Makes the kernel close a TCP connection about 20 s after its peer vanished without a FIN.
void close_when_peer_vanishes(int socket) noexcept;

/// A bound UDP socket. Throws InputError where the address is not this host's, JobError naming it
/// where it is in use.
[[nodiscard]] UniqueFd bind_udp(const SocketAddress& address);

/// The local address from which this host sends to `address`; its port is 0. Throws JobError where
/// there is no route.
[[nodiscard]] SocketAddress route_address(const SocketAddress& address);

/// The same address with another port.
[[nodiscard]] SocketAddress with_port(SocketAddress address, std::uint16_t port) noexcept;

/// A UDP socket that sends to `address` and receives from there alone. Throws InputError for port
/// 0, JobError where there is no route.
[[nodiscard]] UniqueFd connect_udp(const SocketAddress& address);

/// Pauses a loop that accepts connections while descriptors are short. accept() fails then, but
/// poll() goes on reporting the waiting peer, and the loop would burn a core. Threads: one owner.
class AcceptPause {
 public:
  /// Call after accept() failed, with its errno. Returns whether a pause begins because a resource
  /// is short.
  bool note_failure(int error) noexcept;

  /// Whether the loop is not to poll for connections now.
  [[nodiscard]] bool active() const noexcept { return local_now() < until_; }

  /// End of the pause; in the past where none is active.
  [[nodiscard]] LocalInstant until() const noexcept { return until_; }

  /// The timeout for poll(): `wanted`, or less so that the pause ends in time.
  [[nodiscard]] std::chrono::milliseconds longest_wait(std::chrono::milliseconds wanted) const;

 private:
  LocalInstant until_;
};

}  // namespace tilewall::net
