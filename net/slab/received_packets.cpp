#include "net/slab/received_packets.hpp"

#include <algorithm>
#include <cstring>

namespace tilewall {

bool ReceivedPackets::came(std::uint64_t sequence) const noexcept {
  const std::uint64_t at = sequence % most_ack_bits;
  return (ring_[at / 64] >> (at % 64) & 1U) != 0;
}

void ReceivedPackets::set(std::uint64_t sequence, bool came) noexcept {
  const std::uint64_t at = sequence % most_ack_bits;
  const std::uint64_t bit = std::uint64_t{1} << (at % 64);
  ring_[at / 64] = came ? ring_[at / 64] | bit : ring_[at / 64] & ~bit;
}

bool ReceivedPackets::is_new(std::uint64_t sequence) const noexcept {
  if (sequence > largest_) return true;
  return sequence + most_ack_bits > largest_ && !came(sequence);
}

bool ReceivedPackets::note(std::uint64_t sequence, LocalInstant when) {
  if (!is_new(sequence)) {
    ++repeated_;
    return false;
  }
  if (sequence > largest_) {
    const std::uint64_t skipped = std::min<std::uint64_t>(sequence - largest_, most_ack_bits);
    for (std::uint64_t i = 0; i < skipped; ++i) set(sequence - i, false);
    largest_ = sequence;
    largest_came_ = when;
  }
  set(sequence, true);
  ++received_;
  return true;
}

std::vector<std::byte> ReceivedPackets::ack(LocalInstant now, std::uint32_t bits) const {
  const auto before = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({(bits + 7) / 8 * 8, largest_ - 1, most_ack_bits - 8}));
  const auto delay = std::chrono::duration_cast<std::chrono::microseconds>(now - largest_came_);
  const AckHeader header{largest_, received_,
                         static_cast<std::uint32_t>(
                             std::clamp<std::int64_t>(delay.count(), 0, std::int64_t{UINT32_MAX})),
                         before};
  std::vector<std::byte> payload(sizeof header + (before + 7) / 8);
  std::memcpy(payload.data(), &header, sizeof header);
  for (std::uint32_t i = 0; i < before; ++i)
    if (came(largest_ - 1 - i))
      payload[sizeof header + i / 8] |= static_cast<std::byte>(1U << (i % 8));
  return payload;
}

}  // namespace tilewall
