// When the terminal asks for the show's status: a few times a second, one question at a time, and
// sooner after a key. What a key changes takes effect some frames later, and is to be seen at once.
//
// Reads no clock. Threads: one owner.
#pragma once

#include <chrono>

namespace tilewall::terminal {

class StatusPace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds usual_interval{200};
  static constexpr std::chrono::milliseconds interval_after_key{30};  // for a usual interval

  /// How long it is until the next question; 0: it is due. While an answer is awaited that is the
  /// usual interval.
  [[nodiscard]] std::chrono::milliseconds left(TimePoint now) const;

  void note_asked(TimePoint now);
  /// The answer has come, or it never will, as the connection is a new one.
  void note_answered() { is_asked_ = false; }
  /// The director has obeyed a key.
  void note_key(TimePoint now) { key_at_ = now; }

 private:
  bool is_asked_ = false;
  TimePoint asked_at_;
  TimePoint key_at_;
};

}  // namespace tilewall::terminal
