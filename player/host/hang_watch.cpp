#include "player/host/hang_watch.hpp"

#include <algorithm>

namespace tilewall::host {
namespace {

// A process is starved where it waits for a CPU for a quarter of the time.
constexpr int starved_divisor = 4;

}  // namespace

void HangWatch::started(std::uint64_t turns, TimePoint now) noexcept {
  turns_at_start_ = turns_ = turns;
  turned_at_ = looked_at_ = now;
  waited_.reset();
}

bool HangWatch::hangs(std::uint64_t turns, TimePoint now, const RunQueueWait& waited) {
  // The watcher itself may have been stopped, perhaps with the process. Then silence proves
  // nothing.
  const bool was_away = now - looked_at_ > look_limit;
  looked_at_ = now;
  if (turns != turns_ || was_away) {
    turns_ = turns;
    turned_at_ = now;
    waited_.reset();
  } else if (waited && !waited_) {
    waited_ = waited();
  }
  const auto limit = turns_ == turns_at_start_
                         ? std::max<std::chrono::milliseconds>(start_limit, hang_limit_)
                         : hang_limit_;
  if (now - turned_at_ <= limit) return false;
  const auto waited_since = waited ? waited() - *waited_ : std::chrono::nanoseconds(0);
  if (waited_since * starved_divisor < limit) return true;
  turned_at_ = now;  // a starved process gets the full limit again
  waited_.reset();
  return false;
}

void StopWatch::started(TimePoint now) noexcept {
  was_stopped_ = false;
  looked_at_ = now;
}

bool StopWatch::exceeded(bool is_stopped, TimePoint now) noexcept {
  const std::chrono::nanoseconds since =
      std::min<std::chrono::nanoseconds>(now - looked_at_, longest_gap);
  looked_at_ = now;
  if (!is_stopped || !was_stopped_)
    stopped_for_ = std::chrono::nanoseconds(0);
  else
    stopped_for_ += since;
  was_stopped_ = is_stopped;
  return is_stopped && stopped_for_ >= limit_;
}

}  // namespace tilewall::host
