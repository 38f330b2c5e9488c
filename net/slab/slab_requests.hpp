// What a client has asked a server for and not received yet, with the pieces that have come.
//
// One owner, who says what time it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "net/slab/incoming_parity.hpp"
#include "net/slab/incoming_slab.hpp"
#include "net/slab/slab_buffer.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// What a client has received so far.
struct ReceiveCounters {
  std::uint64_t received_bytes = 0;  ///< of slabs
  std::uint64_t packets = 0;
  std::uint64_t lost_packets = 0;      ///< that never came under the number they were sent with
  std::uint64_t repaired_packets = 0;  ///< pieces that came after others behind them
  std::uint64_t recovered_pieces = 0;  ///< that never came, computed from parity
  std::uint64_t repeated_packets = 0;
  std::uint64_t malformed_packets = 0;
  std::uint64_t copied_pieces = 0;  ///< that did not come straight to their place
};

/// A slab that is whole.
struct FinishedSlab {
  std::uint32_t request = 0;
  SlabBuffer slab;
};

/// A request, and what has come of its slab.
struct PendingSlab {
  std::vector<std::byte> payload;  ///< of the request
  LocalInstant until;              ///< it is of use; SlabRequests::no_deadline: always
  LocalInstant asked;
  LocalInstant ask_again;
  int times = 1;                         ///< it was asked for
  std::optional<IncomingSlab> slab;      ///< once a piece of it has come
  std::optional<IncomingParity> parity;  ///< udp
};

class SlabRequests {
 public:
  static constexpr LocalInstant no_deadline{Nanos::max()};
  using Map = std::map<std::uint32_t, PendingSlab>;
  using Iterator = Map::iterator;

  /// `pool` and `counters` outlive this. `piece_bytes`: that slabs are cut into.
  SlabRequests(SlabPool& pool, std::uint32_t piece_bytes, ReceiveCounters& counters)
      : pool_(pool), piece_bytes_(piece_bytes), counters_(counters) {}

  /// A new request, which is sent now; numbers rise from 1.
  [[nodiscard]] Map::const_reference add(std::span<const std::byte> payload, LocalInstant until,
                                         LocalInstant now);
  void forget(std::uint32_t request) { requests_.erase(request); }

  [[nodiscard]] Iterator find(std::uint32_t request) { return requests_.find(request); }
  [[nodiscard]] Map::const_iterator find(std::uint32_t request) const {
    return requests_.find(request);
  }
  [[nodiscard]] Iterator end() noexcept { return requests_.end(); }
  [[nodiscard]] Map::const_iterator end() const noexcept { return requests_.end(); }

  /// A piece came of a slab of that size. The request, with memory for its slab; end() where nobody
  /// waits for such a slab.
  [[nodiscard]] Iterator piece_came(std::uint32_t request, std::uint64_t slab_bytes,
                                    LocalInstant now);
  /// The request's slab is whole: it is added to `finished`, and the request is over.
  void finish(Iterator request, std::vector<FinishedSlab>& finished);

  /// Calls `send` for requests of which nothing has come for long. The times between grow.
  void ask_again(LocalInstant now,
                 const std::function<void(std::uint32_t request, const PendingSlab&)>& send);
  /// When ask_again() has something to do; no_deadline where it never has.
  [[nodiscard]] LocalInstant ask_again_due() const;

  /// Since when nothing has come though something was asked for; empty: nothing is missing.
  [[nodiscard]] std::optional<LocalInstant> silent_since() const;
  /// From asking to the first answer, of the newest requests; 0: not known yet.
  [[nodiscard]] Nanos round_trip() const noexcept { return round_trip_; }

 private:
  [[nodiscard]] Nanos retransmit_timeout() const noexcept;

  SlabPool& pool_;
  const std::uint32_t piece_bytes_;
  ReceiveCounters& counters_;
  Map requests_;
  std::uint32_t next_request_ = 1;
  LocalInstant heard_;  // when a piece came last, or the oldest request was added
  Nanos round_trip_{0};
};

/// Calls `send` with the payloads of the cancels that these requests take.
void for_each_cancel(std::span<const std::uint32_t> requests,
                     const std::function<void(std::span<const std::byte> payload)>& send);

}  // namespace tilewall::net
