// A client's requests on the server (orders): which slabs are being read, which are being sent, and
// which requests are finished.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/slab/outgoing_slab.hpp"
#include "net/slab/slab_buffer.hpp"
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

/// A request that a reader thread is to answer.
struct SlabJob {
  std::uint32_t request = 0;
  std::vector<std::byte> payload;  ///< the application's
};

/// Numbers of finished requests. The newest 8192 are remembered one by one; all numbers up to the
/// greatest one forgotten count as finished.
class FinishedRequests {
 public:
  static constexpr std::size_t most = 8192;

  void add(std::uint32_t request);
  /// Also true for all requests up to the greatest one forgotten, as a client's numbers rise.
  [[nodiscard]] bool contains(std::uint32_t request) const {
    return request <= forgotten_ || requests_.contains(request);
  }

 private:
  std::unordered_set<std::uint32_t> requests_;
  std::deque<std::uint32_t> order_;  // the same numbers, in the order in which they finished
  std::uint32_t forgotten_ = 0;      // requests up to this one count as finished
};

class SlabOrders {
 public:
  static constexpr std::size_t most = 512;
  static constexpr LocalInstant no_deadline{Nanos::max()};

  struct Order {
    LocalInstant until;                ///< end of the slab's use; no_deadline: none
    std::optional<OutgoingSlab> slab;  ///< empty while it is being read
    std::uint64_t next_byte = 0;       ///< TCP: number of bytes that were sent
  };

  /// Handles a request: adds its job to `jobs`. A repeated or oversized request, or one beyond
  /// `most`, is ignored; the client repeats it if needed.
  void take_request(std::uint32_t request, std::span<const std::byte> payload, LocalInstant until,
                    std::vector<SlabJob>& jobs);
  /// Handles a cancel with this payload.
  void take_cancel(std::span<const std::byte> payload);
  /// Removes and returns the requests that were cancelled before their slabs were read.
  [[nodiscard]] std::vector<std::uint32_t> take_cancelled() noexcept {
    return std::exchange(cancelled_, {});
  }

  /// Null if the request is unknown, finished or cancelled. Valid until the order is finished.
  [[nodiscard]] Order* find(std::uint32_t request);
  /// Adds the slab that was read to its order, and queues it for sending.
  /// @pre find(request) is not null
  void set_read(std::uint32_t request, OutgoingSlab slab);
  /// Removes an order that was delivered or cancelled. @pre find(request) is not null
  void finish(std::uint32_t request);

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
  std::map<std::uint32_t, Order> orders_;  // by request
  std::deque<std::uint32_t> ready_;        // orders with bytes that were never sent, oldest first
  std::vector<std::uint32_t> cancelled_;
  FinishedRequests finished_;
};

}  // namespace tilewall::net
