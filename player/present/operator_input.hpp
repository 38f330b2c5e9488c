// What operators do at a panel's window: keys, and the pointer on the picture.
#pragma once

#include <variant>

#include "wallconfigs/geometry.hpp"

namespace tilewall::present {

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
  toggle_hints,
  toggle_freeze,
  enter,       // ends a number that was typed
  slide_left,  // the picture moves, of volumes too
  slide_right,
  slide_up,
  slide_down,
  next_transfer,  // first key for volumes; so are those that follow
  previous_transfer,
  less_contrast,
  more_contrast,
  darker,
  brighter,
  fainter,
  denser,
  lower_iso,
  higher_iso,
  next_mode,
  previous_mode,
  toggle_lit,
  toggle_annotations,
  cut_x_min,
  uncut_x_min,
  cut_x_max,
  uncut_x_max,
  cut_y_min,
  uncut_y_min,
  cut_y_max,
  uncut_y_max,
  cut_z_min,
  uncut_z_min,
  cut_z_max,
  uncut_z_max,
  uncut_all,
  reset_style,
  add_keyframe,     // of a flight path: what the wall shows
  remove_keyframe,  // the nearest one
  preview_path,     // flies the path on the wall
  stop_preview,
  quit
};

/// `slide` is a drag that moves the picture also where `drag` turns it.
enum class PointerKind { wheel, drag, slide, double_click };

struct PointerEvent {
  PointerKind kind = PointerKind::wheel;
  PointF at_px;      ///< Place in the panel's picture as viewed; for a drag, where it began
  PointF by_px;      ///< drag, slide: how far the pointer went since the event before
  double steps = 0;  ///< wheel: > 0 away from the user
  bool operator==(const PointerEvent&) const = default;
};

using OperatorInput = std::variant<OperatorKey, PointerEvent>;

}  // namespace tilewall::present
