// The clock protocol: one datagram asks, one answers, both of the same size and layout.
//
// Little-endian, no holes. All times are nanoseconds: of the asking host's CLOCK_MONOTONIC where
// named "client", of the daemon's where named "daemon". The fields named "axis" say where the
// daemon's clock lies on the axis of global time: where it began the axis, it is it (axis_boot_id
// is daemon_boot_id, the others 0). A request leaves all these 0. The tag is the keyed BLAKE2b-128
// of all bytes before it; zero without a key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "net/auth_key.hpp"
#include "sync/clock/time_axis_role.hpp"

namespace tilewall::net {

inline constexpr std::uint16_t default_clock_port = 7641;

enum class ClockMessageKind : std::uint16_t { request = 1, reply = 2 };  // numbers are never reused

struct ClockMessage {                                       // offset
  static constexpr std::uint32_t magic_value = 0x4b435754;  //     'TWCK'
  static constexpr std::uint16_t version_value = 2;

  std::uint32_t magic = magic_value;                  //  0
  std::uint16_t version = version_value;              //  4
  ClockMessageKind kind = ClockMessageKind::request;  //  6
  std::uint32_t length_bytes = 120;                   //  8  of the whole message
  std::uint32_t sequence = 0;                         // 12  echoed
  std::uint64_t nonce = 0;                            // 16  echoed
  std::int64_t client_sent_ns = 0;                    // 24  echoed
  std::int64_t daemon_received_ns = 0;                // 32
  std::int64_t daemon_sent_ns = 0;                    // 40
  std::uint64_t daemon_boot_id = 0;                   // 48  another one is another clock
  std::int64_t utc_minus_global_ns = 0;               // 56
  std::uint64_t axis_boot_id = 0;          // 64  another one is another axis; 0: none yet
  std::int64_t axis_minus_daemon_ns = 0;   // 72  at daemon_sent_ns
  std::int64_t axis_rate_ppt = 0;          // 80  axis per daemon tick, minus 1, in 1e-12
  std::int64_t axis_bound_ns = 0;          // 88  of axis_minus_daemon_ns
  std::int64_t axis_bound_growth_ppt = 0;  // 96  per elapsed time, in 1e-12
  AuthTag tag{};                           // 104
};
static_assert(sizeof(ClockMessage) == 120 && offsetof(ClockMessage, nonce) == 16 &&
              offsetof(ClockMessage, daemon_boot_id) == 48 &&
              offsetof(ClockMessage, axis_boot_id) == 64 && offsetof(ClockMessage, tag) == 104);
static_assert(std::is_trivially_copyable_v<ClockMessage> &&
              std::has_unique_object_representations_v<ClockMessage> &&
              std::endian::native == std::endian::little);

enum class ClockDecodeStatus { ok, wrong_length, wrong_magic, wrong_version, wrong_kind };

/// Writes `out` only where the datagram is one whole message of this version. Says nothing of its
/// tag.
[[nodiscard]] ClockDecodeStatus decode(std::span<const std::byte> datagram,
                                       ClockMessage& out) noexcept;

/// Writes what the daemon says of itself; `to_axis` as of daemon_sent_ns, which is set before.
void put_word(ClockMessage& reply, const sync::DaemonWord& word) noexcept;

/// Reads it back. Empty where no daemon can have meant it: no boot id, a negative bound, a rate
/// beyond 0.1 %.
[[nodiscard]] std::optional<sync::DaemonWord> word_of(const ClockMessage& reply) noexcept;

/// Fills the tag; zero where there is no key.
void sign(ClockMessage& message, const std::optional<AuthKey>& key) noexcept;

/// Whether the tag is right; without a key: whether it is zero.
[[nodiscard]] bool is_authentic(const ClockMessage& message,
                                const std::optional<AuthKey>& key) noexcept;

}  // namespace tilewall::net
