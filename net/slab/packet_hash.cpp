#include "net/slab/packet_hash.hpp"

#include <xxhash.h>

namespace tilewall {

std::uint64_t packet_hash_generic(std::uint64_t sequence, std::span<const std::byte> header,
                                  std::span<const std::byte> payload) noexcept {
  const std::uint64_t seed = ::XXH3_64bits_withSeed(header.data(), header.size(), sequence);
  return ::XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

PacketHash pick_packet_hash() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return packet_hash_avx2;
#endif
  return packet_hash_generic;
}

}  // namespace tilewall
