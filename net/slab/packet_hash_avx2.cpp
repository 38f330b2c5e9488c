#include "net/slab/packet_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewall {

std::uint64_t packet_hash_avx2(std::uint64_t sequence, std::span<const std::byte> header,
                               std::span<const std::byte> payload) noexcept {
  const std::uint64_t seed = XXH3_64bits_withSeed(header.data(), header.size(), sequence);
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

}  // namespace tilewall
