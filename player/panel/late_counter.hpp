// A panel's late frames, counted where they are seen: the decode thread and the presenting thread
// add, the link reads.
#pragma once

#include <array>
#include <atomic>

#include "player/scene/late.hpp"

namespace tilewall {

class LateCounter {
 public:
  /// `cause`: decode, decoder or swap.
  void add(LateCause cause, std::uint64_t frames) noexcept {
    counts_.at(static_cast<std::size_t>(cause)).fetch_add(frames, std::memory_order_relaxed);
  }

  [[nodiscard]] LateCounts counts() const noexcept {
    const auto of = [&](LateCause cause) {
      return counts_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
    };
    return {of(LateCause::decode), of(LateCause::decoder), of(LateCause::swap)};
  }

 private:
  std::array<std::atomic<std::uint64_t>, 3> counts_{};
};

}  // namespace tilewall
