#include "player/terminal/status_pace.hpp"

#include <algorithm>

namespace tilewall::terminal {

using std::chrono::milliseconds;

milliseconds StatusPace::left(TimePoint now) const {
  if (is_asked_) return usual_interval;
  const milliseconds interval =
      now < key_at_ + usual_interval ? interval_after_key : usual_interval;
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(asked_at_ + interval - now));
}

void StatusPace::note_asked(TimePoint now) {
  is_asked_ = true;
  asked_at_ = now;
}

}  // namespace tilewall::terminal
