#include "player/host/hang_watch.hpp"

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
  const auto limit = turns_ == turns_at_start_ ? start_limit : hang_limit_;
  if (now - turned_at_ <= limit) return false;
  const auto waited_since = waited ? waited() - *waited_ : std::chrono::nanoseconds(0);
  if (waited_since * starved_divisor < limit) return true;
  turned_at_ = now;  // a starved process gets the full limit again
  waited_.reset();
  return false;
}

}  // namespace tilewall::host
