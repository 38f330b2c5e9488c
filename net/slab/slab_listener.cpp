#include "net/slab/slab_listener.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {

ServerSockets open_server_sockets(const SocketAddress& address) {
  constexpr int most_tries = 8;
  for (int tries = 1;; ++tries) {
    UniqueFd tcp = listen_tcp(address);
    try {
      UniqueFd udp = bind_udp(with_port(address, local_address(tcp.get()).port()));
      return {std::move(tcp), std::move(udp)};
    } catch (const JobError&) {  // another program has this port for UDP
      if (address.port() != 0 || tries == most_tries) throw;
    }
  }
}

SlabListener::SlabListener(UniqueFd listening) : listening_(std::move(listening)) {
  const int flags = check_sys(::fcntl(fd(), F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(fd(), F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
}

SlabListener::~SlabListener() { end_connection(fd()); }

std::uint16_t SlabListener::port() const { return local_address(fd()).port(); }

SlabListener::Accepted SlabListener::accept() {
  UniqueFd socket(
      retry_eintr([&] { return ::accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }));
  const int error = errno;
  const bool pause_begins = socket.empty() && pause_.note_failure(error);
  return {std::move(socket), pause_begins ? error : 0};
}

void SlabListener::update(EventSet& events) {
  const bool pauses = pause_.active();
  if (std::exchange(pauses_, pauses) == pauses) return;
  events.watch(fd(), pauses ? 0U : std::uint32_t{EPOLLIN});
}

LocalInstant SlabListener::due() const noexcept {
  return pauses_ ? pause_.until() : LocalInstant{Nanos::max()};
}

}  // namespace tilewall::net
