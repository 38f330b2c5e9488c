#include "sync/pacing/awake_time.hpp"

#include <algorithm>

namespace tilewall {

void AwakeTime::woke_late_by(Nanos late) noexcept {
  late_by_[next_] = std::clamp(late, Nanos(0), longest);
  next_ = (next_ + 1) % remembered;
  known_ = std::min(known_ + 1, remembered);
  if (known_ < remembered) return;
  value_ = std::clamp(2 * *std::max_element(late_by_.begin(), late_by_.end()), shortest, longest);
}

}  // namespace tilewall
