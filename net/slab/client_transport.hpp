// Interface of a client session's transport: sends requests to the server, and receives pieces into
// the slabs of the session's SlabRequests. Nothing blocks.
//
// Threads: one owner, who waits on its descriptors.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>
#include <vector>

#include "net/slab/slab_requests.hpp"

namespace tilewall::net {

class ClientTransport {
 public:
  virtual ~ClientTransport() = default;

  virtual void send_request(std::uint32_t request, const PendingSlab& pending,
                            LocalInstant now) = 0;
  /// Tells the server to send no more of these requests, and lets go of the memory of their slabs.
  /// @pre they are still in the session's SlabRequests
  virtual void cancel(std::span<const std::uint32_t> requests) = 0;

  /// Appends the descriptors and events to wait for.
  virtual void watch(std::vector<pollfd>& watched) const = 0;
  /// Instant at which step() has work even if no descriptor is ready.
  [[nodiscard]] virtual LocalInstant due() const = 0;
  /// Receives, acks and repeats requests; appends complete slabs to `finished`. Returns false once
  /// the server is gone.
  [[nodiscard]] virtual bool step(LocalInstant now, std::vector<FinishedSlab>& finished) = 0;

  /// Sets or adds the counters that only the transport knows.
  virtual void count(ReceiveCounters& counters) const = 0;
};

}  // namespace tilewall::net
