// The asking side of the clock protocol, without its socket: which requests are out, which replies
// count.
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
  /// No answer by then: the request or its reply was lost.
  static constexpr Nanos reply_limit = std::chrono::seconds(1);

  explicit ClockConversation(std::optional<AuthKey> key);

  /// The next request, to be sent at once: `now` is its stamp, and what follows it counts as delay.
  [[nodiscard]] ClockMessage ask(LocalInstant now) noexcept;

  /// Draws the next request's nonce; to be called once the last request has left.
  void prepare() noexcept;

  /// The exchange that a received datagram completes; empty where it answers none that is out.
  [[nodiscard]] std::optional<ClockReply> take(std::span<const std::byte> datagram,
                                               LocalInstant received) noexcept;

  /// Counts what has waited too long by `now`.
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
  std::array<Question, 64> questions_{};  // by sequence
};

}  // namespace tilewall::net
