// The clock protocol: one datagram is the request, one the reply, both of the same size and layout.
//
// Little-endian, no holes. All times are nanoseconds: of the client's CLOCK_MONOTONIC in fields
// named "client", of the daemon's in fields named "daemon". The fields named "axis" give the place
// of the daemon's clock on the axis of global time. A daemon that began the axis has the clock that
// is the axis: axis_boot_id equals daemon_boot_id, and the others are 0. In a request all these are
// 0. The tag is the keyed BLAKE2b-128 of all bytes before it; zero without a key.
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
static_assert(sizeof(ClockMessage) == 120 && offsetof(ClockMessage, magic) == 0 &&
              offsetof(ClockMessage, version) == 4 && offsetof(ClockMessage, kind) == 6 &&
              offsetof(ClockMessage, length_bytes) == 8 && offsetof(ClockMessage, sequence) == 12 &&
              offsetof(ClockMessage, nonce) == 16 && offsetof(ClockMessage, client_sent_ns) == 24 &&
              offsetof(ClockMessage, daemon_received_ns) == 32 &&
              offsetof(ClockMessage, daemon_sent_ns) == 40 &&
              offsetof(ClockMessage, daemon_boot_id) == 48 &&
              offsetof(ClockMessage, utc_minus_global_ns) == 56);
static_assert(offsetof(ClockMessage, axis_boot_id) == 64 &&
              offsetof(ClockMessage, axis_minus_daemon_ns) == 72 &&
              offsetof(ClockMessage, axis_rate_ppt) == 80 &&
              offsetof(ClockMessage, axis_bound_ns) == 88 &&
              offsetof(ClockMessage, axis_bound_growth_ppt) == 96 &&
              offsetof(ClockMessage, tag) == 104);
static_assert(std::is_trivially_copyable_v<ClockMessage> &&
              std::has_unique_object_representations_v<ClockMessage> &&
              std::endian::native == std::endian::little);

enum class ClockDecodeStatus { ok, wrong_length, wrong_magic, wrong_version, wrong_kind };

/// Writes `out` only where the datagram is one whole message of this version. Does not check the
/// tag.
[[nodiscard]] ClockDecodeStatus decode(std::span<const std::byte> datagram,
                                       ClockMessage& out) noexcept;

/// Writes the daemon's fields into a reply. The place on the axis is that at daemon_sent_ns. @pre
/// daemon_sent_ns is set
void put_word(ClockMessage& reply, const sync::DaemonWord& word) noexcept;

/// Reads the daemon's fields of a reply. Empty where no daemon can have sent them: no boot id, a
/// negative bound, a rate beyond 0.1 %.
[[nodiscard]] std::optional<sync::DaemonWord> word_of(const ClockMessage& reply) noexcept;

/// Computes the tag; zero where there is no key.
void sign(ClockMessage& message, const std::optional<AuthKey>& key) noexcept;

/// Whether the tag is right. Without a key it has to be zero.
[[nodiscard]] bool is_authentic(const ClockMessage& message,
                                const std::optional<AuthKey>& key) noexcept;

}  // namespace tilewall::net
