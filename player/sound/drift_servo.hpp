// Keeps the sound on its schedule while it plays: by how much faster or slower than the schedule it
// runs for the moment, or that it must jump.
//
// The device's own drift is known (DeviceClock) and reckoned with before; what is left for this is
// the error that has come about: sound rendered for an instant minus the sound due then. > 0:
// AHEAD. Pure.
#pragma once

namespace tilewall {

struct ServoStep {
  bool jump = false;  ///< to the sound that is due, instead of steering
  double steer = 0;   ///< the sound's speed is the schedule's times 1 + steer
};

class DriftServo {
 public:
  /// A twelfth of a semitone, for a moment: not heard.
  static constexpr double max_steer = 0.005;
  /// An error is mended to a third in this time.
  static constexpr double time_constant_s = 2.0;
  /// Beyond it the sound jumps: steering would take seconds.
  static constexpr double jump_limit_s = 0.015;

  [[nodiscard]] static ServoStep step(double error_s) noexcept;
};

}  // namespace tilewall
