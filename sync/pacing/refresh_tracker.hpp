// Learns a display's refresh from its flips: when the next ones come, and which of them a picture
// gets.
//
// A display with a refresh shows a new picture at its own instants only, a period apart: refresh n
// comes at phase + n * period. Both are fitted to the stamps of the last flips (least squares), so
// drift is followed. A stamp that fits no refresh (a driver that returned early) is ignored, and
// after eight of these in a row everything is learned anew.
//
// A picture gets the refresh nearest its due instant. Panels whose displays are locked to one
// another (genlock) so get the same one, because all round the same instants the same way. Where
// due instants fall half-way between two refreshes, jitter would move pictures to and fro. So the
// boundary between the earlier and the later refresh moves away from due instants that come close
// to it, within limits.
//
// Pure; instants are local. Threads: one owner.
#pragma once

#include <cstddef>
#include <deque>

#include "sync/global_time.hpp"

namespace tilewall::sync {

class RefreshTracker {
 public:
  /// `nominal_period`: period of the display mode, to within 2 %. @pre > 0
  explicit RefreshTracker(Nanos nominal_period);

  /// Notes a flip at `at`.
  void flipped(LocalInstant at);

  /// Whether enough flips were seen to predict the next ones.
  [[nodiscard]] bool locked() const noexcept { return flips_.size() >= flips_to_lock; }
  [[nodiscard]] Nanos period() const noexcept;

  /// The refresh that a picture due at `due` gets; `due` itself while not locked. Call it once per
  /// picture, in their order.
  [[nodiscard]] LocalInstant choose(LocalInstant due);
  /// The instant to call for a swap so that it gets that refresh: half a period before it; `due`
  /// itself while not locked. In place of choose().
  [[nodiscard]] LocalInstant swap_instant(LocalInstant due);

  /// Whether a swap that returned at `returned` can have shown its picture by a flip at `flip`,
  /// which a driver reports: not after it, and less than two periods before it. A flip of another
  /// clock cannot.
  [[nodiscard]] bool can_be_flip(LocalInstant flip, LocalInstant returned) const noexcept {
    return flip <= returned && returned - flip < 2 * period();
  }

  static constexpr std::size_t flips_to_lock = 8;

 private:
  struct Flip {
    double number = 0;  // number of the refresh, counted from the first flip
    double at_ns = 0;   // time since the first flip
  };
  void restart(LocalInstant at);
  void fit() noexcept;

  const double nominal_ns_;
  LocalInstant first_;
  std::deque<Flip> flips_;  // the last ones that fit
  int strange_ = 0;         // flips in a row that fit no refresh
  double period_ns_;
  double phase_ns_ = 0;       // instant of refresh 0, relative to first_
  double boundary_ = middle;  // due instants later in a period than this get its end

  static constexpr double middle = 0.5;
};

}  // namespace tilewall::sync
