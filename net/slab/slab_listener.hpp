// A server's TCP port in an epoll set. While accept() fails for want of descriptors, the port is
// not waited for, so that the server does not spin.
//
// One owner, the server's thread.
#pragma once

#include <cstdint>

#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

class SlabListener {
 public:
  /// Listens. Throws JobError where the port is in use.
  explicit SlabListener(const SocketAddress& address);

  [[nodiscard]] int fd() const noexcept { return listening_.get(); }
  [[nodiscard]] std::uint16_t port() const;

  struct Accepted {
    UniqueFd socket;       ///< never blocks; empty: nobody waits, or nobody can be accepted
    int pause_begins = 0;  ///< errno where a pause begins now; 0: none does
  };
  [[nodiscard]] Accepted accept();

  /// Tells `epoll`, which has fd(), whether to wait for clients. To be called before each wait.
  void update(int epoll);
  /// When update() has something to do; far away where it has not.
  [[nodiscard]] LocalInstant due() const noexcept;

 private:
  const UniqueFd listening_;
  AcceptPause pause_;
  bool pauses_ = false;  // as epoll has been told
};

}  // namespace tilewall::net
