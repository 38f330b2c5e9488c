// What the operator can ask of a running show, and the scene that answers it. Pure; one owner.
//
// Every change is a new scene that takes effect at one instant in the near future, on all panels at
// once.
#pragma once

#include "player/scene/scene.hpp"

namespace tilewall {

class ShowControl {
 public:
  /// `scene`: the first one, its start not known yet.
  explicit ShowControl(Scene scene);

  [[nodiscard]] const Scene& scene() const noexcept { return scene_; }
  [[nodiscard]] const Timeline& timeline() const { return scene_.regions.front().timeline; }

  /// The first start, once the panels are ready: the same schedule, now with an instant.
  void start(GlobalInstant at);

  // Each makes the scene that takes effect at `at`. `delay`: how far the wall has fallen behind its
  // timeline (late policy slow).
  void toggle_pause(GlobalInstant at, Nanos delay);
  void seek_to(std::int64_t frame, GlobalInstant at, Nanos delay);
  /// Moves by so many frames; a range's ends hold it.
  void seek_by(std::int64_t frames, GlobalInstant at, Nanos delay);
  /// Moves by so many seconds of the movie.
  void seek_by_seconds(int seconds, GlobalInstant at, Nanos delay);
  /// Moves by so many frames and pauses there.
  void step_by(std::int64_t frames, GlobalInstant at, Nanos delay);
  void toggle_loop(GlobalInstant at, Nanos delay);
  /// While pictures change, the schedule stays; one that stands still is shown anew.
  void toggle_overlay(GlobalInstant at, Nanos delay);

  /// The frame due at `at`.
  [[nodiscard]] std::int64_t frame_at(GlobalInstant at, Nanos delay) const;

 private:
  /// Whether no tick is due from `at` on.
  [[nodiscard]] bool stands_still(GlobalInstant at, Nanos delay) const;
  /// A new schedule that continues from `frame` at `at`.
  Timeline& restart(std::int64_t frame, GlobalInstant at, Nanos delay);

  Scene scene_;
  Rational playing_rate_;  ///< what play goes back to after a pause
};

}  // namespace tilewall
