#include "player/director/verbs/operator_keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr double seconds_near = 1;
constexpr double seconds_far = 10;
constexpr double zoom_step = 1.25;
constexpr double pan_share = 0.2;     // share of the region's sides
constexpr double key_turn_rad = 1.3;  // per width or height of the region: 15 degrees for a key
constexpr double audio_gain_step = 0.05;
constexpr double density_step = 1.25;
constexpr double window_step = 1.25;
constexpr double level_step = 0.05;     // share of the window
constexpr double iso_step = 0.02;       // share of the range
constexpr double clip_step = 1.0 / 32;  // share of the volume's side
constexpr Nanos key_glide = std::chrono::milliseconds(200);

ApplyCommand seek(double seconds) {
  return [seconds](SceneChange& change) { change.seek_by_seconds("", seconds); };
}

ApplyCommand step(std::int64_t frames) {
  return [frames](SceneChange& change) { change.step_by("", frames); };
}

ApplyCommand multiply_speed(Rational by) {
  return [by](SceneChange& change) { change.multiply_speed("", by); };
}

/// Switches between this mode and `once`.
ApplyCommand toggle_loop(sync::LoopMode mode) {
  return [mode](SceneChange& change) {
    const bool on = change.region("").timeline.loop == mode;
    change.set_loop("", on ? sync::LoopMode::once : mode);
  };
}

ApplyCommand zoom(double factor) {
  return [factor](SceneChange& change) {
    const RectF& canvas_px = change.region("").canvas_px;
    change.zoom_about("", canvas_px.x + canvas_px.width / 2, canvas_px.y + canvas_px.height / 2,
                      factor, key_glide);
  };
}

/// Moves the view by these shares of the region, for movies and volumes.
ApplyCommand slide(double across, double down) {
  return [across, down](SceneChange& change) {
    const RectF& canvas_px = change.region("").canvas_px;
    change.pan_by("", -across * canvas_px.width, -down * canvas_px.height, key_glide);
  };
}

/// Moves the view by these shares of the region, so that the picture goes the other way. A volume
/// is turned instead.
ApplyCommand look(double across, double down) {
  return [across, down](SceneChange& change) {
    if (change.shows_volume(""))
      return change.orbit_by("", {-across * key_turn_rad, -down * key_turn_rad, 0}, key_glide);
    slide(across, down)(change);
  };
}

ApplyCommand adjust(scene::StyleAdjustment what, double by = 0) {
  return [what, by](SceneChange& change) { change.adjust_style("", what, by, key_glide); };
}

ApplyCommand keyframe(KeyframeOrder order) {
  return [order](SceneChange& change) { change.order_keyframe(order); };
}

ApplyCommand turn_volume(double by) {
  return [by](SceneChange& change) {
    const double steps = std::round((change.draft().audio_gain + by) / audio_gain_step);
    change.set_audio_gain(std::clamp(steps * audio_gain_step, 0.0, max_audio_gain));
  };
}

void go_home(SceneChange& change) { change.seek_to("", change.region("").timeline.first_frame); }

void go_to_end(SceneChange& change) {
  change.seek_to("", change.region("").timeline.end_frame - 1);
}

void set_in(SceneChange& change) {
  const scene::Region& region = change.region("");
  change.set_range("", change.frame_of(region), region.timeline.end_frame);
}

void set_out(SceneChange& change) {
  const scene::Region& region = change.region("");
  change.set_range("", region.timeline.first_frame, change.frame_of(region) + 1);
}

void view_one_to_one(SceneChange& change) {
  const RectF& canvas_px = change.region("").canvas_px;
  change.one_to_one("", canvas_px.x + canvas_px.width / 2, canvas_px.y + canvas_px.height / 2,
                    key_glide);
}

const std::map<present::OperatorKey, ApplyCommand>& key_commands() {
  static const std::map<present::OperatorKey, ApplyCommand> commands = {
      {present::OperatorKey::toggle_pause, [](SceneChange& change) { change.toggle_pause(""); }},
      {present::OperatorKey::back, seek(-seconds_near)},
      {present::OperatorKey::forward, seek(seconds_near)},
      {present::OperatorKey::back_far, seek(-seconds_far)},
      {present::OperatorKey::forward_far, seek(seconds_far)},
      {present::OperatorKey::home, go_home},
      {present::OperatorKey::end, go_to_end},
      {present::OperatorKey::step_back, step(-1)},
      {present::OperatorKey::step_forward, step(1)},
      {present::OperatorKey::slower, multiply_speed({1, 2})},
      {present::OperatorKey::faster, multiply_speed({2, 1})},
      {present::OperatorKey::normal_speed,
       [](SceneChange& change) {
         change.set_speed("", {1, 1});
       }},
      {present::OperatorKey::reverse, [](SceneChange& change) { change.reverse(""); }},
      {present::OperatorKey::toggle_loop, toggle_loop(sync::LoopMode::loop)},
      {present::OperatorKey::ping_pong, toggle_loop(sync::LoopMode::ping_pong)},
      {present::OperatorKey::set_in, set_in},
      {present::OperatorKey::set_out, set_out},
      {present::OperatorKey::clear_range,
       [](SceneChange& change) { change.set_range("", std::nullopt, std::nullopt); }},
      {present::OperatorKey::next_item, [](SceneChange& change) { change.skip_items("", 1); }},
      {present::OperatorKey::previous_item, [](SceneChange& change) { change.skip_items("", -1); }},
      {present::OperatorKey::zoom_in, zoom(zoom_step)},
      {present::OperatorKey::zoom_out, zoom(1 / zoom_step)},
      {present::OperatorKey::pan_left, look(-pan_share, 0)},
      {present::OperatorKey::pan_right, look(pan_share, 0)},
      {present::OperatorKey::pan_up, look(0, -pan_share)},
      {present::OperatorKey::pan_down, look(0, pan_share)},
      {present::OperatorKey::view_whole,
       [](SceneChange& change) { change.view_whole("", key_glide); }},
      {present::OperatorKey::view_one_to_one, view_one_to_one},
      {present::OperatorKey::toggle_blank,
       [](SceneChange& change) { change.set_blank(!change.draft().blank); }},
      {present::OperatorKey::toggle_mute,
       [](SceneChange& change) { change.set_muted(!change.draft().muted); }},
      {present::OperatorKey::volume_down, turn_volume(-audio_gain_step)},
      {present::OperatorKey::volume_up, turn_volume(audio_gain_step)},
      {present::OperatorKey::toggle_overlay, [](SceneChange& change) { change.toggle_overlay(); }},
      {present::OperatorKey::toggle_hints,
       [](SceneChange& change) { change.set_hints(!change.draft().hints); }},
      {present::OperatorKey::toggle_freeze,
       [](SceneChange& change) { change.set_frozen(!change.draft().frozen_at.has_value()); }},
      {present::OperatorKey::enter, [](SceneChange&) {}},  // ends the number of a cue
      {present::OperatorKey::slide_left, slide(-pan_share, 0)},
      {present::OperatorKey::slide_right, slide(pan_share, 0)},
      {present::OperatorKey::slide_up, slide(0, -pan_share)},
      {present::OperatorKey::slide_down, slide(0, pan_share)},
      {present::OperatorKey::next_transfer, adjust(scene::StyleAdjustment::transfer, 1)},
      {present::OperatorKey::previous_transfer, adjust(scene::StyleAdjustment::transfer, -1)},
      {present::OperatorKey::less_contrast, adjust(scene::StyleAdjustment::window, window_step)},
      {present::OperatorKey::more_contrast,
       adjust(scene::StyleAdjustment::window, 1 / window_step)},
      {present::OperatorKey::darker, adjust(scene::StyleAdjustment::level, level_step)},
      {present::OperatorKey::brighter, adjust(scene::StyleAdjustment::level, -level_step)},
      {present::OperatorKey::fainter, adjust(scene::StyleAdjustment::opacity, 1 / density_step)},
      {present::OperatorKey::denser, adjust(scene::StyleAdjustment::opacity, density_step)},
      {present::OperatorKey::lower_iso, adjust(scene::StyleAdjustment::iso, -iso_step)},
      {present::OperatorKey::higher_iso, adjust(scene::StyleAdjustment::iso, iso_step)},
      {present::OperatorKey::next_mode, adjust(scene::StyleAdjustment::mode, 1)},
      {present::OperatorKey::previous_mode, adjust(scene::StyleAdjustment::mode, -1)},
      {present::OperatorKey::toggle_lit, adjust(scene::StyleAdjustment::lit)},
      {present::OperatorKey::toggle_annotations, adjust(scene::StyleAdjustment::annotations)},
      {present::OperatorKey::cut_x_min, adjust(scene::StyleAdjustment::x_min, clip_step)},
      {present::OperatorKey::uncut_x_min, adjust(scene::StyleAdjustment::x_min, -clip_step)},
      {present::OperatorKey::cut_x_max, adjust(scene::StyleAdjustment::x_max, -clip_step)},
      {present::OperatorKey::uncut_x_max, adjust(scene::StyleAdjustment::x_max, clip_step)},
      {present::OperatorKey::cut_y_min, adjust(scene::StyleAdjustment::y_min, clip_step)},
      {present::OperatorKey::uncut_y_min, adjust(scene::StyleAdjustment::y_min, -clip_step)},
      {present::OperatorKey::cut_y_max, adjust(scene::StyleAdjustment::y_max, -clip_step)},
      {present::OperatorKey::uncut_y_max, adjust(scene::StyleAdjustment::y_max, clip_step)},
      {present::OperatorKey::cut_z_min, adjust(scene::StyleAdjustment::z_min, clip_step)},
      {present::OperatorKey::uncut_z_min, adjust(scene::StyleAdjustment::z_min, -clip_step)},
      {present::OperatorKey::cut_z_max, adjust(scene::StyleAdjustment::z_max, -clip_step)},
      {present::OperatorKey::uncut_z_max, adjust(scene::StyleAdjustment::z_max, clip_step)},
      {present::OperatorKey::uncut_all, adjust(scene::StyleAdjustment::clip_box)},
      {present::OperatorKey::reset_style, adjust(scene::StyleAdjustment::values)},
      {present::OperatorKey::add_keyframe, keyframe(KeyframeOrder::add)},
      {present::OperatorKey::remove_keyframe, keyframe(KeyframeOrder::remove_nearest)},
      {present::OperatorKey::preview_path, keyframe(KeyframeOrder::preview)},
      {present::OperatorKey::stop_preview, keyframe(KeyframeOrder::stop_preview)}};
  return commands;
}

}  // namespace

ApplyCommand command_of_key(present::OperatorKey key) {
  return [key, &apply = key_commands().at(key)](SceneChange& change) {
    apply(change);
    if (change.draft().hints || key == present::OperatorKey::toggle_hints)
      change.show_hint(hint_of_key(key, change));
  };
}

}  // namespace tilewall::director
