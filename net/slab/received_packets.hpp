// Which packets of one direction came: the receiving side of the acks.
//
// One owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

class ReceivedPackets {
 public:
  /// Notes a packet; false where it came before, or is older than what is remembered: it is to be
  /// dropped, whoever sent it.
  [[nodiscard]] bool note(std::uint64_t sequence, LocalInstant came);

  /// Whether it would be taken.
  [[nodiscard]] bool is_new(std::uint64_t sequence) const noexcept;

  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

  /// An ack's payload, with the fate of the `bits` packets before the largest, or a few more.
  /// @pre something came
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

}  // namespace tilewall
