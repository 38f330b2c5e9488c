// The client's side of the clock protocol, without its socket: it remembers open requests, and
// matches replies to them.
//
// Threads: one owner. All instants are arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "net/clock/clock_wire.hpp"
#include "sync/clock/clock_sample.hpp"

namespace tilewall::net {

struct ClockReply {
  sync::ClockSample sample;
  sync::DaemonWord word;
};

class ClockConversation {
 public:
  /// A request without a reply for so long counts as lost.
  static constexpr Nanos reply_limit = std::chrono::seconds(1);

  explicit ClockConversation(std::optional<AuthKey> key);

  /// The next request, to be sent at once. `now` becomes its send stamp, so any time until it
  /// leaves counts as network delay.
  [[nodiscard]] ClockMessage ask(LocalInstant now) noexcept;

  /// Draws the next request's nonce. To be called after a request has left, so that drawing does
  /// not delay one.
  void prepare() noexcept;

  /// The exchange that a received datagram completes; empty where it answers no open request.
  [[nodiscard]] std::optional<ClockReply> take(std::span<const std::byte> datagram,
                                               LocalInstant received) noexcept;

  /// Counts requests as lost that have waited longer than reply_limit at `now`.
  void give_up_old(LocalInstant now) noexcept;
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  struct Question {
    std::uint32_t sequence = 0;
    std::uint64_t nonce = 0;
    LocalInstant sent;
    bool is_open = false;
  };

  std::optional<AuthKey> key_;
  std::uint32_t next_sequence_ = 0;
  std::uint64_t next_nonce_ = 0;
  std::uint64_t lost_ = 0;
  std::array<Question, 64> questions_{};  // indexed by the low bits of the sequence number
};

}  // namespace tilewall::net
