// A client's requests on the server (orders): which slabs are awaited from the application, which
// are being sent, and which requests are finished.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/slab/outgoing_slab.hpp"
#include "net/slab/packet.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// Statistics of a session.
struct SessionCounters {
  std::uint64_t slabs = 0;          ///< delivered slabs: acked (UDP), or handed to TCP
  std::uint64_t sent_bytes = 0;     ///< UDP: packets in whole; TCP: slabs only
  std::uint64_t data_pieces = 0;    ///< UDP, like all below; includes resent pieces
  std::uint64_t resent_pieces = 0;  ///< data pieces that were sent again
  std::uint64_t parity_pieces = 0;
  std::uint64_t protected_groups = 0;  ///< groups with parity of slabs that arrived
  std::uint64_t repaired_groups = 0;   ///< those of them for which parity did not suffice

  SessionCounters& operator+=(const SessionCounters& other) noexcept;
};

/// A request that a worker is to hand to the application.
struct SlabJob {
  std::uint32_t request = 0;
  std::vector<std::byte> payload;    ///< the application's
  std::weak_ptr<const void> wanted;  ///< expires when the request is cancelled or its session ends
};

/// Numbers of finished requests. All are remembered, as runs of consecutive numbers: a client's
/// numbers rise, so only open and lost requests lie between two runs.
class FinishedRequests {
 public:
  /// Beyond so many runs, the numbers between the two lowest count as finished too. The requests
  /// that a session may have open need fewer.
  static constexpr std::size_t most_runs = 16'384;
  static_assert(most_runs > most_open_requests);

  void add(std::uint32_t request);
  [[nodiscard]] bool contains(std::uint32_t request) const;

 private:
  std::map<std::uint32_t, std::uint32_t> runs_;  // last number by first number
};

class SlabOrders {
 public:
  static constexpr LocalInstant no_deadline{Nanos::max()};
  /// Stands for the instant of a request that its client does not repeat.
  static constexpr LocalInstant not_repeated{Nanos::max()};
  /// A request that its client has not repeated for so long makes room where room is short: the
  /// packet that cancelled it was lost.
  static constexpr Nanos longest_unrepeated = std::chrono::seconds(10);

  struct Order {
    LocalInstant until;                  ///< end of the slab's use; no_deadline: none
    LocalInstant asked;                  ///< when the request last arrived, or not_repeated
    std::size_t payload_bytes = 0;       ///< the request's
    std::shared_ptr<const void> wanted;  ///< see SlabJob::wanted
    std::optional<OutgoingSlab> slab;    ///< empty until the application has given it
    std::uint64_t next_byte = 0;         ///< TCP: number of bytes that were sent
  };

  /// Handles a request that arrives at `now`, or at not_repeated: adds its job to `jobs`. A
  /// repeated or oversized request, one with number 0, or one beyond the bounds of packet.hpp, is
  /// ignored; the client repeats it if needed.
  void take_request(std::uint32_t request, std::span<const std::byte> payload, LocalInstant until,
                    LocalInstant now, std::vector<SlabJob>& jobs);
  /// Handles a cancel with this payload.
  void take_cancel(std::span<const std::byte> payload);
  /// Null if the request is unknown, finished or cancelled. Valid until the order is finished.
  [[nodiscard]] Order* find(std::uint32_t request);
  /// Adds the slab to its order, and queues it for sending.
  /// @pre find(request) is not null and has no slab
  void set_read(std::uint32_t request, OutgoingSlab slab);
  /// Removes an order that was delivered or cancelled. @pre find(request) is not null
  void finish(std::uint32_t request);

  /// Whether the application has given slabs that are not delivered yet.
  [[nodiscard]] bool has_slabs() const noexcept { return slabs_ > 0; }

  struct Ready {
    std::uint32_t request = 0;
    Order* order = nullptr;  ///< null if there is none
  };
  /// The oldest order of which some bytes were never sent.
  [[nodiscard]] Ready front();
  /// Notes that all of front() was sent. @pre front().order is not null
  void pop_front() { ready_.pop_front(); }
  /// Whether front() may have an order. True may be wrong: a finished order counts until front()
  /// has skipped it.
  [[nodiscard]] bool may_have_front() const noexcept { return !ready_.empty(); }

 private:
  [[nodiscard]] bool has_room(std::size_t payload_bytes) const noexcept {
    return orders_.size() < most_open_requests &&
           payload_bytes_ + payload_bytes <= most_open_payload_bytes;
  }
  void drop_unrepeated(LocalInstant now);

  std::map<std::uint32_t, Order> orders_;  // by request
  std::size_t payload_bytes_ = 0;          // of all orders
  std::size_t slabs_ = 0;                  // orders that have their slab
  LocalInstant dropped_;                   // when drop_unrepeated() last looked
  std::deque<std::uint32_t> ready_;        // orders with bytes that were never sent, oldest first
  FinishedRequests finished_;
};

}  // namespace tilewall::net
