// What operators do at a panel's window: keys, and the pointer on the picture.
#pragma once

#include <variant>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// Keys the wall understands, whichever panel has the focus. Their names are in
/// player/scene/operator_messages.
enum class OperatorKey {
  toggle_pause,
  back,
  forward,
  back_far,
  forward_far,
  home,
  end,
  step_back,
  step_forward,
  slower,
  faster,
  normal_speed,
  reverse,
  toggle_loop,
  ping_pong,
  set_in,
  set_out,
  clear_range,
  next_item,
  previous_item,
  zoom_in,
  zoom_out,
  pan_left,
  pan_right,
  pan_up,
  pan_down,
  view_whole,
  view_one_to_one,
  toggle_blank,
  toggle_mute,
  volume_down,
  volume_up,
  toggle_overlay,
  quit
};

enum class PointerKind { wheel, drag, double_click };

struct PointerEvent {
  PointerKind kind = PointerKind::wheel;
  PointF at_px;      ///< in the panel's picture as viewed; of a drag, where it began
  PointF by_px;      ///< drag: how far the pointer went since the event before
  double steps = 0;  ///< wheel: > 0 away from the user
  bool operator==(const PointerEvent&) const = default;
};

using OperatorInput = std::variant<OperatorKey, PointerEvent>;

}  // namespace tilewall
