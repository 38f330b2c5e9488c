// Which packets of one direction have arrived: the receiver's side of acks, and its protection
// against replay. It remembers the last 65,536 numbers.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

class ReceivedPackets {
 public:
  /// Notes a packet. Returns false if it arrived before or is older than the remembered numbers;
  /// the caller drops such a packet.
  [[nodiscard]] bool note(std::uint64_t sequence, LocalInstant came);

  /// Whether note() would return true.
  [[nodiscard]] bool is_new(std::uint64_t sequence) const noexcept;

  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

  /// Builds an ack's payload. Its bitmap covers `bits` packets before the largest, rounded up
  /// to 64.
  /// @pre a packet has arrived
  [[nodiscard]] std::vector<std::byte> ack(LocalInstant now, std::uint32_t bits) const;

 private:
  [[nodiscard]] bool came(std::uint64_t sequence) const noexcept;
  [[nodiscard]] std::uint64_t word_from(std::uint64_t sequence) const noexcept;
  void set(std::uint64_t sequence, bool came) noexcept;

  std::vector<std::uint64_t> ring_ = std::vector<std::uint64_t>(most_ack_bits / 64);
  std::uint64_t largest_ = 0;
  LocalInstant largest_came_;
  std::uint64_t received_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace tilewall::net
