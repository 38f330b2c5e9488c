// A server's listening TCP socket in its set of events. While accept() fails for lack of
// descriptors, the set does not wait for the socket, which would stay readable: the server would
// spin.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <cstdint>

#include "net/slab/event_set.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// The sockets of a server's address, with the same port: TCP listens, UDP is bound.
struct ServerSockets {
  UniqueFd tcp;
  UniqueFd udp;
};

/// Opens both. Where the address has port 0, at a port that is free for both. Throws as
/// listen_tcp() and bind_udp().
[[nodiscard]] ServerSockets open_server_sockets(const SocketAddress& address);

class SlabListener {
 public:
  /// `listening` is a listening TCP socket, which becomes non-blocking.
  explicit SlabListener(UniqueFd listening);
  ~SlabListener();
  SlabListener(const SlabListener&) = delete;
  SlabListener& operator=(const SlabListener&) = delete;

  [[nodiscard]] int fd() const noexcept { return listening_.get(); }
  [[nodiscard]] std::uint16_t port() const;

  struct Accepted {
    UniqueFd socket;       ///< non-blocking; empty if nobody waits or can be accepted
    int pause_begins = 0;  ///< errno that begins a pause now; 0: none begins
  };
  [[nodiscard]] Accepted accept();

  /// Sets whether `events` waits for clients. To be called before each wait.
  void update(EventSet& events);
  /// Instant at which a pause ends; LocalInstant's end if there is none.
  [[nodiscard]] LocalInstant due() const noexcept;

 private:
  const UniqueFd listening_;
  AcceptPause pause_;
  bool pauses_ = false;  // result of the last update()
};

}  // namespace tilewall::net
