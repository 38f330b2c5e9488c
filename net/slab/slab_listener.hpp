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

class SlabListener {
 public:
  /// Listens. Throws JobError if the port is in use.
  explicit SlabListener(const SocketAddress& address);
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
