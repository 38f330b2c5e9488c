#include "player/host/hang_watch.hpp"

namespace tilewall {

void HangWatch::started(std::uint64_t turns, TimePoint now) noexcept {
  turns_at_start_ = turns_ = turns;
  turned_at_ = looked_at_ = now;
}

bool HangWatch::hangs(std::uint64_t turns, TimePoint now) noexcept {
  const bool was_away = now - looked_at_ > look_limit;
  looked_at_ = now;
  if (turns != turns_ || was_away) {
    turns_ = turns;
    turned_at_ = now;
  }
  const auto limit = turns_ == turns_at_start_ ? start_limit : hang_limit_;
  return now - turned_at_ > limit;
}

}  // namespace tilewall
