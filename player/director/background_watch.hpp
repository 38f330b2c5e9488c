// A wall that shows nothing of its volume, and goes on to, says so once.
//
// One owner, the director's thread.
#pragma once

#include <chrono>
#include <optional>

#include "player/director/show_notes.hpp"

namespace tilewall {

class BackgroundWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `notes` outlives this.
  explicit BackgroundWatch(ShowNotes& notes) noexcept : notes_(notes) {}

  /// `only_background`: every panel's newest picture in full shows a volume, and nothing of it.
  void see(bool only_background, Clock::time_point now);
  /// The show ends: what has not lasted long until now is noted too.
  void end();

 private:
  void note();

  ShowNotes& notes_;
  std::optional<Clock::time_point> since_;
  bool noted_ = false;
};

}  // namespace tilewall
