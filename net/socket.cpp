#include "net/socket.hpp"

// Not <netinet/tcp.h>: its tcp_info ends before the least round trip.
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

HostPort split(std::string_view text, const std::string& field) {
  const auto fail = [&]() -> InputError {
    return {{field}, "", "HOST:PORT with a port in [0, 65535]", fmt::format("\"{}\"", text)};
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || text.size() > 255) throw fail();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size()) throw fail();
  return {host.empty() ? "127.0.0.1" : std::string(host), port};
}

UniqueFd open_socket(const SocketAddress& address, int type) {
  return UniqueFd(check_sys(::socket(address.family(), type | SOCK_CLOEXEC, 0), "socket"));
}

void bind_to(int socket, const SocketAddress& address, const char* protocol) {
  if (::bind(socket, address.raw(), address.length) == 0) return;
  if (errno == EADDRNOTAVAIL)
    throw InputError({to_string(address)}, "", "an address of this host", "");
  throw JobError(fmt::format("cannot listen on {} {}: {}", protocol, to_string(address),
                             std::strerror(errno)));
}

constexpr std::chrono::milliseconds accept_pause{100};

}  // namespace

std::uint16_t SocketAddress::port() const noexcept {
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

bool SocketAddress::loopback() const noexcept {
  if (family() == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  return (ntohl(reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr) >> 24) == 127;
}

SocketAddress resolve(std::string_view text, const std::string& field) {
  const HostPort parts = split(text, field);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(parts.host.c_str(), std::to_string(parts.port).c_str(), &hints, &found);
  if (error != 0)
    throw InputError({field}, "", "a host that can be resolved",
                     fmt::format("\"{}\" ({})", parts.host, ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  SocketAddress address;
  address.length = found->ai_addrlen;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  return address;
}

std::string to_string(const SocketAddress& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, host,
                sizeof host);
    return fmt::format("[{}]:{}", host, address.port());
  }
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, host,
              sizeof host);
  return fmt::format("{}:{}", host, address.port());
}

SocketAddress local_address(int socket) {
  SocketAddress address;
  address.length = sizeof address.storage;
  check_sys(::getsockname(socket, address.raw(), &address.length), "getsockname");
  return address;
}

std::optional<SocketAddress> peer_address(int socket) noexcept {
  SocketAddress address;
  address.length = sizeof address.storage;
  if (::getpeername(socket, address.raw(), &address.length) != 0) return std::nullopt;
  return address;
}

namespace {

UniqueFd listen_tcp(const SocketAddress& address, int type,
                    const std::function<void(int socket)>& prepare) {
  UniqueFd socket = open_socket(address, type);
  if (prepare) prepare(socket.get());
  const int on = 1;
  check_sys(::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  bind_to(socket.get(), address, "TCP");
  check_sys(::listen(socket.get(), SOMAXCONN), "listen");
  return socket;
}

}  // namespace

UniqueFd listen_tcp(const SocketAddress& address) { return listen_tcp(address, SOCK_STREAM, {}); }

UniqueFd listen_tcp_without_blocking(const SocketAddress& address,
                                     const std::function<void(int socket)>& prepare) {
  return listen_tcp(address, SOCK_STREAM | SOCK_NONBLOCK, prepare);
}

bool is_same_host(const SocketAddress& a, const SocketAddress& b) noexcept {
  if (a.family() != b.family()) return false;
  if (a.family() == AF_INET6)
    return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a.storage).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(b.storage).sin6_addr,
                       sizeof(in6_addr)) == 0;
  return reinterpret_cast<const sockaddr_in&>(a.storage).sin_addr.s_addr ==
         reinterpret_cast<const sockaddr_in&>(b.storage).sin_addr.s_addr;
}

UniqueFd try_connect_tcp(const SocketAddress& address, std::chrono::milliseconds limit,
                         const std::function<void(int socket)>& prepare) {
  UniqueFd socket = open_socket(address, SOCK_STREAM | SOCK_NONBLOCK);
  if (prepare) prepare(socket.get());
  if (::connect(socket.get(), address.raw(), address.length) == 0) return socket;
  if (errno != EINPROGRESS) return {};
  pollfd waiting = {socket.get(), POLLOUT, 0};
  if (retry_eintr([&] { return ::poll(&waiting, 1, static_cast<int>(limit.count())); }) != 1)
    return {};
  return connect_error(socket.get()) == 0 ? std::move(socket) : UniqueFd();
}

UniqueFd begin_connect_tcp(const SocketAddress& address) {
  UniqueFd socket = open_socket(address, SOCK_STREAM | SOCK_NONBLOCK);
  if (::connect(socket.get(), address.raw(), address.length) == 0 || errno == EINPROGRESS)
    return socket;
  const int error = errno;
  socket = {};
  errno = error;
  return socket;
}

int connect_error(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  check_sys(::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length), "SO_ERROR");
  return error;
}

std::chrono::nanoseconds tcp_round_trip(int socket) noexcept {
  tcp_info info = {};
  socklen_t length = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  constexpr std::uint32_t none = ~std::uint32_t{0};  // nothing has been acknowledged
  return std::chrono::microseconds(info.tcpi_min_rtt == none ? 0 : info.tcpi_min_rtt);
}

void end_connection(int socket) noexcept { ::shutdown(socket, SHUT_RDWR); }

void close_when_peer_vanishes(int socket) noexcept {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 20'000);
}

UniqueFd bind_udp(const SocketAddress& address) {
  UniqueFd socket = open_socket(address, SOCK_DGRAM);
  bind_to(socket.get(), address, "UDP");
  return socket;
}

UniqueFd connect_udp(const SocketAddress& address) {
  if (address.port() == 0) throw InputError({to_string(address)}, "", "a port in [1, 65535]", "0");
  UniqueFd socket = open_socket(address, SOCK_DGRAM);
  if (::connect(socket.get(), address.raw(), address.length) != 0)
    throw JobError(fmt::format("{}: connect: {}", to_string(address), std::strerror(errno)));
  return socket;
}

SocketAddress with_port(SocketAddress address, std::uint16_t port) noexcept {
  if (address.family() == AF_INET6)
    reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port = htons(port);
  else
    reinterpret_cast<sockaddr_in&>(address.storage).sin_port = htons(port);
  return address;
}

SocketAddress route_address(const SocketAddress& address) {
  constexpr std::uint16_t any_port = 9;  // nothing is sent: connecting UDP only picks the way
  const UniqueFd socket = connect_udp(with_port(address, any_port));
  return with_port(local_address(socket.get()), 0);
}

bool AcceptPause::note_failure(int error) noexcept {
  const bool short_of_something =
      error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  if (short_of_something) until_ = local_now() + accept_pause;
  return short_of_something;
}

std::chrono::milliseconds AcceptPause::longest_wait(std::chrono::milliseconds wanted) const {
  if (!active()) return wanted;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - local_now());
  return std::clamp(left, std::chrono::milliseconds(0), wanted);
}

}  // namespace tilewall::net
