// The share of packets that a path loses, from what acks tell: over the last ten thousands of
// packets, and at first a guess. One owner.
#pragma once

#include <cstdint>

namespace tilewall {

class LossEstimate {
 public:
  void note(std::uint64_t arrived, std::uint64_t lost) noexcept {
    const double all = static_cast<double>(arrived + lost);
    const double kept = all < memory_packets ? 1 - all / memory_packets : 0;
    lost_ = lost_ * kept + static_cast<double>(lost);
    all_ = all_ * kept + all;
  }

  /// 0 to 1.
  [[nodiscard]] double share() const noexcept { return lost_ / all_; }

 private:
  static constexpr double memory_packets = 50'000;
  static constexpr double first_packets = 300;  // what the guess weighs
  static constexpr double first_share = 0.05;

  double lost_ = first_packets * first_share;
  double all_ = first_packets;
};

}  // namespace tilewall
