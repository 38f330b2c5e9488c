// The slabs that a client has asked for and that are not all there yet: which are being read, which
// are being sent, and which requests are over.
//
// Pure; one owner, the server's thread.
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

/// What a session has done so far.
struct SessionCounters {
  std::uint64_t slabs = 0;  ///< that arrived whole, as far as the client told
  std::uint64_t sent_bytes = 0;
  std::uint64_t data_pieces = 0;  // udp, as all below; those sent again counted each time
  std::uint64_t resent_pieces = 0;
  std::uint64_t parity_pieces = 0;
  std::uint64_t protected_groups = 0;  ///< with parity, of slabs that arrived
  std::uint64_t repaired_groups = 0;   ///< of those: for which parity was not enough

  SessionCounters& operator+=(const SessionCounters& other) noexcept;
};

/// What the application is asked for.
struct SlabJob {
  std::uint32_t request = 0;
  std::vector<std::byte> payload;
};

/// Requests that have been finished. Of the newest ones each is remembered, of the older ones that
/// they are over.
class FinishedRequests {
 public:
  static constexpr std::size_t most = 8192;

  void add(std::uint32_t request);
  /// Also true of a request that is older than what is remembered, as a client's numbers rise.
  [[nodiscard]] bool contains(std::uint32_t request) const {
    return request <= forgotten_ || requests_.contains(request);
  }

 private:
  std::unordered_set<std::uint32_t> requests_;
  std::deque<std::uint32_t> order_;  // of the same, the oldest first
  std::uint32_t forgotten_ = 0;      // all up to here
};

class SlabOrders {
 public:
  static constexpr std::size_t most = 512;
  static constexpr LocalInstant no_deadline{Nanos::max()};

  struct Order {
    LocalInstant until;                // it is of use; `no_deadline`: always
    std::optional<OutgoingSlab> slab;  // empty: being read
    std::uint64_t next_byte = 0;       // tcp: sent up to here
  };

  /// A request came. Adds its job unless it came before, or is too much: such a client asks again.
  void take_request(std::uint32_t request, std::span<const std::byte> payload, LocalInstant until,
                    std::vector<SlabJob>& jobs);
  /// A cancel came, with this payload.
  void take_cancel(std::span<const std::byte> payload);
  /// Requests that were cancelled before they were read, since the last time.
  [[nodiscard]] std::vector<std::uint32_t> take_cancelled() noexcept {
    return std::exchange(cancelled_, {});
  }

  /// Null where nobody wants it any more.
  [[nodiscard]] Order* find(std::uint32_t request);
  /// The order's slab has been read: it is ready to be sent. @pre find(request) is not null
  void set_read(std::uint32_t request, OutgoingSlab slab);
  /// The order is over. @pre find(request) is not null
  void finish(std::uint32_t request);

  /// The oldest slab of which something was never sent.
  struct Ready {
    std::uint32_t request = 0;
    Order* order = nullptr;  ///< null: there is none
  };
  [[nodiscard]] Ready front();
  /// All of front() was sent. @pre front() has one
  void pop_front() { ready_.pop_front(); }
  /// Whether front() may have one: an order that is over counts until front() has passed it.
  [[nodiscard]] bool may_have_front() const noexcept { return !ready_.empty(); }

 private:
  std::map<std::uint32_t, Order> orders_;  // by request
  std::deque<std::uint32_t> ready_;        // slabs that still have pieces never sent, oldest first
  std::vector<std::uint32_t> cancelled_;
  FinishedRequests finished_;
};

}  // namespace tilewall::net
