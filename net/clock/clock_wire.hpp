// The clock protocol: one datagram asks, one answers, both of the same size and layout.
//
// Little-endian, no holes. All times are nanoseconds: of the asking host's CLOCK_MONOTONIC where
// named "client", of global time (the daemon's CLOCK_MONOTONIC) where named "daemon". A request
// leaves the daemon's fields 0. The tag is the keyed BLAKE2b-128 of all bytes before it; zero
// without a key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "net/auth_key.hpp"

namespace tilewall {

inline constexpr std::uint16_t default_clock_port = 7641;

enum class ClockMessageKind : std::uint16_t { request = 1, reply = 2 };  // numbers are never reused

struct ClockMessage {                                       // offset
  static constexpr std::uint32_t magic_value = 0x4b435754;  //     'TWCK'
  static constexpr std::uint16_t version_value = 1;

  std::uint32_t magic = magic_value;                  //  0
  std::uint16_t version = version_value;              //  4
  ClockMessageKind kind = ClockMessageKind::request;  //  6
  std::uint32_t length_bytes = 80;                    //  8  of the whole message
  std::uint32_t sequence = 0;                         // 12  echoed
  std::uint64_t nonce = 0;                            // 16  echoed
  std::int64_t client_sent_ns = 0;                    // 24  echoed
  std::int64_t daemon_received_ns = 0;                // 32
  std::int64_t daemon_sent_ns = 0;                    // 40
  std::uint64_t daemon_boot_id = 0;                   // 48  another one is another time axis
  std::int64_t utc_minus_global_ns = 0;               // 56
  AuthTag tag{};                                      // 64
};
static_assert(sizeof(ClockMessage) == 80 && offsetof(ClockMessage, nonce) == 16 &&
              offsetof(ClockMessage, daemon_boot_id) == 48 && offsetof(ClockMessage, tag) == 64);
static_assert(std::is_trivially_copyable_v<ClockMessage> &&
              std::endian::native == std::endian::little);

enum class ClockDecodeStatus { ok, wrong_length, wrong_magic, wrong_version, wrong_kind };

/// Writes `out` only where the datagram is one whole message of this version. Says nothing of its
/// tag.
[[nodiscard]] ClockDecodeStatus decode(std::span<const std::byte> datagram,
                                       ClockMessage& out) noexcept;

/// Fills the tag; zero where there is no key.
void sign(ClockMessage& message, const std::optional<AuthKey>& key) noexcept;

/// Whether the tag is right; without a key: whether it is zero.
[[nodiscard]] bool is_authentic(const ClockMessage& message,
                                const std::optional<AuthKey>& key) noexcept;

}  // namespace tilewall
