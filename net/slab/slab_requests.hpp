// A client's open requests, with the pieces of their slabs that have arrived.
//
// Reads no clock: the caller passes `now`. Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "net/slab/incoming_parity.hpp"
#include "net/slab/incoming_slab.hpp"
#include "net/slab/packet.hpp"
#include "net/slab/slab_buffer.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// Statistics of a client's session.
struct ReceiveCounters {
  std::uint64_t received_bytes = 0;    ///< bytes of complete slabs
  std::uint64_t packets = 0;           ///< valid packets (UDP) or chunks (TCP)
  std::uint64_t lost_packets = 0;      ///< UDP: sequence numbers that have not arrived
  std::uint64_t repaired_packets = 0;  ///< UDP: pieces that arrived after a later piece
  std::uint64_t recovered_pieces = 0;  ///< UDP: pieces that were computed from parity
  std::uint64_t repeated_packets = 0;  ///< UDP: packets that arrived twice
  std::uint64_t malformed_packets = 0;
  std::uint64_t copied_pieces = 0;  ///< UDP: pieces not received straight into their places
};

/// A complete slab.
struct FinishedSlab {
  std::uint32_t request = 0;
  SlabBuffer slab;
};

enum class RequestKind : std::uint8_t {
  prompt,   ///< answered as soon as the server has read the slab
  standing  ///< answered when the slab comes into being, which may be never
};

/// An open request and the pieces of its slab that have arrived.
struct PendingSlab {
  std::vector<std::byte> payload;  ///< the request's, for the application
  RequestKind kind = RequestKind::prompt;
  std::uint64_t most_bytes = 0;          ///< longest slab that is accepted
  LocalInstant until;                    ///< end of the slab's use; SlabRequests::no_deadline: none
  LocalInstant asked;                    ///< when the request was first sent
  LocalInstant ask_again;                ///< when it is to be repeated if no piece has arrived
  int times = 1;                         ///< how often the request was sent
  std::optional<IncomingSlab> slab;      ///< empty until the first piece has arrived
  std::optional<IncomingParity> parity;  ///< UDP: empty until the first parity piece
};

class SlabRequests {
 public:
  static constexpr LocalInstant no_deadline{Nanos::max()};
  using Map = std::map<std::uint32_t, PendingSlab>;
  using Iterator = Map::iterator;

  /// `piece_bytes` is the size of a slab's pieces. `pool` and `counters` outlive this.
  SlabRequests(SlabPool& pool, std::uint32_t piece_bytes, ReceiveCounters& counters)
      : pool_(pool), piece_bytes_(piece_bytes), counters_(counters) {}

  /// Adds a request that is sent now, for a slab of at most `most_bytes`. Numbers rise from 1.
  [[nodiscard]] Map::const_reference add(std::span<const std::byte> payload, LocalInstant until,
                                         LocalInstant now, RequestKind kind = RequestKind::prompt,
                                         std::uint64_t most_bytes = largest_slab_bytes);
  /// Whether the numbers of requests are used up: a server ignores numbers that it has seen.
  [[nodiscard]] bool is_exhausted() const noexcept { return next_request_ >= last_request; }
  void forget(std::uint32_t request);

  /// Whether the server heeds one more request with such a payload (bounds in packet.hpp).
  [[nodiscard]] bool has_room(std::size_t payload_bytes) const noexcept {
    return requests_.size() < most_open_requests &&
           payload_bytes_ + payload_bytes <= most_open_payload_bytes;
  }
  /// Number of open requests of RequestKind::prompt.
  [[nodiscard]] std::size_t prompt() const noexcept { return prompt_; }

  [[nodiscard]] Iterator find(std::uint32_t request) { return requests_.find(request); }
  [[nodiscard]] Map::const_iterator find(std::uint32_t request) const {
    return requests_.find(request);
  }
  [[nodiscard]] Iterator end() noexcept { return requests_.end(); }
  [[nodiscard]] Map::const_iterator end() const noexcept { return requests_.end(); }

  /// Notes a piece of a slab of `slab_bytes`. Returns its request, now with memory for the slab;
  /// end() if no open request has that number and size, or the slab is longer than it may be.
  [[nodiscard]] Iterator piece_came(std::uint32_t request, std::uint64_t slab_bytes,
                                    LocalInstant now);
  /// Moves a complete slab to `finished` and removes its request.
  void finish(Iterator request, std::vector<FinishedSlab>& finished);

  /// Calls `send` for overdue requests without any piece, `most_repeated` of them at most: the
  /// others are due again at once. The times between repetitions grow to a second, or to the round
  /// trip where that is longer.
  void ask_again(LocalInstant now,
                 const std::function<void(std::uint32_t request, const PendingSlab&)>& send);
  /// Instant at which ask_again() has work; no_deadline if none waits for its first piece.
  [[nodiscard]] LocalInstant ask_again_due() const;

  static constexpr int most_repeated = 256;
  static constexpr std::uint32_t last_request = 0xffff'0000;

  /// While prompt requests are open: when the last piece arrived or the first of them was sent,
  /// whichever is later. Empty if none is open: nothing is known of when a standing one is
  /// answered.
  [[nodiscard]] std::optional<LocalInstant> silent_since() const;
  /// Smoothed time from a prompt request to its first piece; 0: not known yet.
  [[nodiscard]] Nanos round_trip() const noexcept { return round_trip_; }

 private:
  [[nodiscard]] Nanos retransmit_timeout() const noexcept;
  void erase(Iterator request);

  SlabPool& pool_;
  const std::uint32_t piece_bytes_;
  ReceiveCounters& counters_;
  Map requests_;
  std::set<std::pair<LocalInstant, std::uint32_t>> repeats_;  // when which request is repeated
  std::size_t prompt_ = 0;                                    // see prompt()
  std::size_t payload_bytes_ = 0;                             // of all requests
  std::uint32_t next_request_ = 1;
  LocalInstant heard_;  // see silent_since()
  Nanos round_trip_{0};
};

/// Divides a list of cancelled requests into cancels. Calls `send` with the payload of each.
void for_each_cancel(std::span<const std::uint32_t> requests,
                     const std::function<void(std::span<const std::byte> payload)>& send);

}  // namespace tilewall::net
