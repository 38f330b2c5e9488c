#include "net/slab/received_packets.hpp"

#include <algorithm>
#include <cstring>

namespace tilewall::net {

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

// Bits of 64 packets from `sequence` on. Early in a session `sequence` wraps below 0: these bits
// are clear, as the ring starts empty.
std::uint64_t ReceivedPackets::word_from(std::uint64_t sequence) const noexcept {
  const std::uint64_t at = sequence % most_ack_bits;
  const std::uint64_t low = ring_[at / 64] >> (at % 64);
  if (at % 64 == 0) return low;
  return low | ring_[(at / 64 + 1) % ring_.size()] << (64 - at % 64);
}

std::vector<std::byte> ReceivedPackets::ack(LocalInstant now, std::uint32_t bits) const {
  const std::uint32_t words = std::min((bits + 63) / 64, most_ack_bits / 64 - 2);
  const auto delay = std::chrono::duration_cast<std::chrono::microseconds>(now - largest_came_);
  const AckHeader header{largest_, received_,
                         static_cast<std::uint32_t>(
                             std::clamp<std::int64_t>(delay.count(), 0, std::int64_t{UINT32_MAX})),
                         words * 64};
  std::vector<std::byte> payload(sizeof header + words * sizeof(std::uint64_t));
  std::memcpy(payload.data(), &header, sizeof header);
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint64_t word = word_from(largest_ - header.bitmap_bits + i * 64);
    std::memcpy(payload.data() + sizeof header + i * sizeof word, &word, sizeof word);
  }
  return payload;
}

}  // namespace tilewall::net
