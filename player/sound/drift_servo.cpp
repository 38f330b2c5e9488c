#include "player/sound/drift_servo.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall {

ServoStep DriftServo::step(double error_s) noexcept {
  if (std::abs(error_s) > jump_limit_s) return {true, 0};
  return {false, std::clamp(-error_s / time_constant_s, -max_steer, max_steer)};
}

}  // namespace tilewall
