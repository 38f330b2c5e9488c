// Notices that the director itself has not looked at its messages for long: it was stopped, or its
// machine has other work. What panels sent meanwhile has waited, so they were not silent.
//
// Pure; one owner.
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

  /// A turn begins, which looks at the messages.
  void begin(LocalInstant now) { began_ = now; }

  struct Absence {
    Nanos time{0};         ///< 0 where it is short
    bool is_news = false;  ///< it is long, and this is the first question of the turn
  };
  [[nodiscard]] Absence absence(LocalInstant now) {
    const Nanos time = now - began_;
    if (time < least_absence) return {};
    const bool is_first = asked_ != began_;
    asked_ = began_;
    return {time, is_first && time >= noted_absence};
  }

 private:
  LocalInstant began_;
  LocalInstant asked_;  // the beginning of the newest turn that had an absence
};

}  // namespace tilewall::director
