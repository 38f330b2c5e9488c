// A display's refresh as seen from its flips: when the next ones come, and which of them a picture
// takes.
//
// A display with a refresh shows a new picture at its own instants only, a period apart: refresh n
// comes at phase + n * period. Both are fitted to the stamps of the last flips (least squares), and
// so followed as they drift; a stamp that fits no refresh (a driver that returned early) counts for
// nothing, and after eight of these in a row all is learned anew.
//
// A picture takes the refresh nearest its due instant. Panels whose displays are locked to one
// another (genlock) so take the same one, as all round the same instants the same way. Where due
// instants fall half-way between two refreshes, jitter would toss pictures to and fro; so the
// boundary between the earlier and the later one gives way to the due instants that come close to
// it, within limits.
//
// Pure; instants are local. One owner.
#pragma once

#include <cstddef>
#include <deque>

#include "sync/global_time.hpp"

namespace tilewall::sync {

class RefreshTracker {
 public:
  /// `nominal_period`: what the display mode says, to within 2 %. @pre > 0
  explicit RefreshTracker(Nanos nominal_period);

  /// A flip happened at `at`.
  void flipped(LocalInstant at);

  /// Whether enough flips were seen to say when the next ones come.
  [[nodiscard]] bool locked() const noexcept { return flips_.size() >= flips_to_lock; }
  [[nodiscard]] Nanos period() const noexcept;

  /// The refresh that a picture due at `due` takes; `due` itself while not locked. Called once a
  /// picture, in their order.
  [[nodiscard]] LocalInstant choose(LocalInstant due);

  static constexpr std::size_t flips_to_lock = 8;

 private:
  struct Flip {
    double number = 0;  // of the refresh, counted from the first flip
    double at_ns = 0;   // after the first flip
  };
  void restart(LocalInstant at);
  void fit() noexcept;

  const double nominal_ns_;
  LocalInstant first_;
  std::deque<Flip> flips_;  // the last ones that fit
  int strange_ = 0;         // flips in a row that did not
  double period_ns_;
  double phase_ns_ = 0;       // of refresh 0, after first_
  double boundary_ = middle;  // due instants that lie further into a period take its end

  static constexpr double middle = 0.5;
};

}  // namespace tilewall::sync
