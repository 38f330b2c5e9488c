// How long before an instant a thread has to wake up to be there in time, learned from how late its
// sleeps have ended.
#pragma once

#include <array>
#include <cstddef>

#include "sync/global_time.hpp"

namespace tilewall {

/// Pure; one owner.
class AwakeTime {
 public:
  static constexpr Nanos shortest = std::chrono::microseconds(200);
  static constexpr Nanos longest = std::chrono::microseconds(300);

  /// Twice the latest wake-up of the last 64, within [shortest, longest]; the longest to begin
  /// with.
  [[nodiscard]] Nanos value() const noexcept { return value_; }

  /// A sleep ended so much later than it was meant to.
  void woke_late_by(Nanos late) noexcept;

 private:
  static constexpr std::size_t remembered = 64;
  std::array<Nanos, remembered> late_by_{};
  std::size_t next_ = 0;
  std::size_t known_ = 0;
  Nanos value_ = longest;
};

}  // namespace tilewall
