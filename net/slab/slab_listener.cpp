#include "net/slab/slab_listener.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::net {

SlabListener::SlabListener(const SocketAddress& address)
    : listening_(listen_tcp_without_blocking(address)) {}

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
