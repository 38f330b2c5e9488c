// How the director's own turns go. TurnWatch notices when the director has not read its messages
// for long, because it was stopped or its host is overloaded: messages of panels have waited
// meanwhile, so the panels were not silent. TurnLengths has the figures of all turns.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall::director {

class TurnWatch {
 public:
  /// Shorter absences are not counted.
  static constexpr std::chrono::milliseconds least_absence{300};
  /// Longer ones are worth a note.
  static constexpr std::chrono::milliseconds noted_absence{1500};

  explicit TurnWatch(LocalInstant now) : began_(now) {}

  /// Notes that a turn begins. Messages are read in it, and those that the turn before has left
  /// (`has_more`) have waited as long as that turn took, or the ones before it.
  void begin(LocalInstant now, bool has_more) {
    left_for_ = has_more ? std::max(left_for_, now - began_) : Nanos(0);
    began_ = now;
  }

  struct Absence {
    Nanos time{0};         ///< messages may have waited this long; 0: less than least_absence
    bool is_news = false;  ///< worth a note, and the first call in this turn
  };
  /// The director's absence, which ends now.
  [[nodiscard]] Absence absence(LocalInstant now) {
    const Nanos own = now - began_;
    if (own + left_for_ < least_absence) return {};
    const bool is_first = asked_ != began_;
    asked_ = began_;
    return {own + left_for_, is_first && own >= noted_absence};
  }

 private:
  LocalInstant began_;
  LocalInstant asked_;  // begin of the last turn with an absence
  Nanos left_for_{0};   // how long messages have waited that turns have left
};

class TurnLengths {
 public:
  /// Beyond this, clients and panels wait noticeably.
  static constexpr std::chrono::milliseconds budget{20};

  /// Adds a turn: the time since its wait for messages was over, and its thread's CPU time.
  void add(Nanos time, Nanos cpu_time) noexcept {
    ++turns_;
    if (time > budget) ++turns_over_budget_;
    longest_ = std::max(longest_, time);
    longest_cpu_ = std::max(longest_cpu_, cpu_time);
  }

  [[nodiscard]] std::int64_t turns() const noexcept { return turns_; }
  [[nodiscard]] std::int64_t turns_over_budget() const noexcept { return turns_over_budget_; }
  [[nodiscard]] Nanos longest() const noexcept { return longest_; }
  /// The longest one by CPU time, which other processes of a busy host do not lengthen.
  [[nodiscard]] Nanos longest_cpu() const noexcept { return longest_cpu_; }

 private:
  std::int64_t turns_ = 0;
  std::int64_t turns_over_budget_ = 0;
  Nanos longest_{0};
  Nanos longest_cpu_{0};
};

}  // namespace tilewall::director
