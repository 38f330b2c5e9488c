// Whose connection makes room where too many peers have proved nothing yet: the oldest one of the
// host that has the most. So one host cannot push out the others.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

#include "net/socket.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

struct UnprovedPeer {
  SocketAddress from;
  LocalInstant since;  ///< when it was accepted
};

/// Index of the peer that makes room. @pre not empty
[[nodiscard]] std::size_t evicted_of(std::span<const UnprovedPeer> peers);

}  // namespace tilewall::net
