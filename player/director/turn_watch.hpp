// Notices when the director itself has not read its messages for long, because it was stopped or
// its host is overloaded. Messages of panels have waited meanwhile, so the panels were not silent.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <chrono>

#include "sync/global_time.hpp"

namespace tilewall::director {

class TurnWatch {
 public:
  /// Shorter absences are not counted.
  static constexpr std::chrono::milliseconds least_absence{300};
  /// Longer ones are worth a note.
  static constexpr std::chrono::milliseconds noted_absence{1500};

  explicit TurnWatch(LocalInstant now) : began_(now) {}

  /// Notes that a turn begins. Messages are read in it.
  void begin(LocalInstant now) { began_ = now; }

  struct Absence {
    Nanos time{0};         ///< since the turn began; 0 below least_absence
    bool is_news = false;  ///< worth a note, and the first call in this turn
  };
  /// The director's absence, which ends now.
  [[nodiscard]] Absence absence(LocalInstant now) {
    const Nanos time = now - began_;
    if (time < least_absence) return {};
    const bool is_first = asked_ != began_;
    asked_ = began_;
    return {time, is_first && time >= noted_absence};
  }

 private:
  LocalInstant began_;
  LocalInstant asked_;  // begin of the last turn with an absence
};

}  // namespace tilewall::director
