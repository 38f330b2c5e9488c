// The transport of a client's session: brings requests to the server, and the pieces of slabs to
// where they belong.
//
// One owner, who waits on its descriptors.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>
#include <vector>

#include "net/slab/slab_requests.hpp"

namespace tilewall {

class ClientTransport {
 public:
  virtual ~ClientTransport() = default;

  virtual void send_request(std::uint32_t request, const PendingSlab& pending,
                            LocalInstant now) = 0;
  /// These are no longer in the session's SlabRequests, and their memory is gone.
  virtual void cancel(std::span<const std::uint32_t> requests) = 0;

  /// Adds what to wait for.
  virtual void watch(std::vector<pollfd>& watched) const = 0;
  /// When step() has something to do even if nothing comes.
  [[nodiscard]] virtual LocalInstant due() const = 0;
  /// Takes what has come and does what is due; slabs that are whole are added to `finished`. False:
  /// the server is gone.
  [[nodiscard]] virtual bool step(LocalInstant now, std::vector<FinishedSlab>& finished) = 0;

  /// Adds what only the transport counts.
  virtual void count(ReceiveCounters& counters) const = 0;
};

}  // namespace tilewall
