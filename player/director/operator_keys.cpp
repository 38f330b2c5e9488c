#include "player/director/operator_keys.hpp"

#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr int seconds_near = 1;
constexpr int seconds_far = 10;

}  // namespace

void press(OperatorKey key, ShowControl& control, GlobalInstant at, Nanos delay) {
  switch (key) {
    case OperatorKey::toggle_pause:
      return control.toggle_pause(at, delay);
    case OperatorKey::back:
      return control.seek_by_seconds(-seconds_near, at, delay);
    case OperatorKey::forward:
      return control.seek_by_seconds(seconds_near, at, delay);
    case OperatorKey::back_far:
      return control.seek_by_seconds(-seconds_far, at, delay);
    case OperatorKey::forward_far:
      return control.seek_by_seconds(seconds_far, at, delay);
    case OperatorKey::home:
      return control.seek_to(control.timeline().first_frame, at, delay);
    case OperatorKey::step_back:
      return control.step_by(-1, at, delay);
    case OperatorKey::step_forward:
      return control.step_by(1, at, delay);
    case OperatorKey::toggle_loop:
      return control.toggle_loop(at, delay);
    case OperatorKey::toggle_overlay:
      return control.toggle_overlay(at, delay);
    default:
      throw InputError({"message"}, "key", "a known key", std::to_string(static_cast<int>(key)));
  }
}

}  // namespace tilewall
