#include "player/director/operator_keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewall {
namespace {

constexpr double seconds_near = 1;
constexpr double seconds_far = 10;
constexpr double zoom_step = 1.25;
constexpr double pan_share = 0.2;     // of the region's sides
constexpr double key_turn_rad = 1.3;  // a volume, over the region: a key turns it by 15 degrees
constexpr double audio_gain_step = 0.05;
constexpr double density_step = 1.25;
constexpr double window_step = 1.25;
constexpr double level_step = 0.05;  // of the window
constexpr double iso_step = 0.02;    // of the range
constexpr double clip_step = 1.0 / 32;
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

/// This mode, or once where it is that already.
ApplyCommand toggle_loop(LoopMode mode) {
  return [mode](SceneChange& change) {
    const bool on = change.region("").timeline.loop == mode;
    change.set_loop("", on ? LoopMode::once : mode);
  };
}

ApplyCommand zoom(double factor) {
  return [factor](SceneChange& change) {
    const RectF& canvas_px = change.region("").canvas_px;
    change.zoom_about("", canvas_px.x + canvas_px.width / 2, canvas_px.y + canvas_px.height / 2,
                      factor, key_glide);
  };
}

/// The picture moves, also where `look` turns it.
ApplyCommand slide(double across, double down) {
  return [across, down](SceneChange& change) {
    const RectF& canvas_px = change.region("").canvas_px;
    change.pan_by("", -across * canvas_px.width, -down * canvas_px.height, key_glide);
  };
}

/// The view moves by these shares of the region: the picture goes the other way; a volume turns.
ApplyCommand look(double across, double down) {
  return [across, down](SceneChange& change) {
    if (change.shows_volume(""))
      return change.orbit_by("", {-across * key_turn_rad, -down * key_turn_rad, 0}, key_glide);
    slide(across, down)(change);
  };
}

ApplyCommand adjust(StyleAdjustment what, double by = 0) {
  return [what, by](SceneChange& change) { change.adjust_style("", what, by, key_glide); };
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
  const Region& region = change.region("");
  change.set_range("", change.frame_of(region), region.timeline.end_frame);
}

void set_out(SceneChange& change) {
  const Region& region = change.region("");
  change.set_range("", region.timeline.first_frame, change.frame_of(region) + 1);
}

void view_one_to_one(SceneChange& change) {
  const RectF& canvas_px = change.region("").canvas_px;
  change.one_to_one("", canvas_px.x + canvas_px.width / 2, canvas_px.y + canvas_px.height / 2,
                    key_glide);
}

const std::map<OperatorKey, ApplyCommand>& key_commands() {
  static const std::map<OperatorKey, ApplyCommand> commands = {
      {OperatorKey::toggle_pause, [](SceneChange& change) { change.toggle_pause(""); }},
      {OperatorKey::back, seek(-seconds_near)},
      {OperatorKey::forward, seek(seconds_near)},
      {OperatorKey::back_far, seek(-seconds_far)},
      {OperatorKey::forward_far, seek(seconds_far)},
      {OperatorKey::home, go_home},
      {OperatorKey::end, go_to_end},
      {OperatorKey::step_back, step(-1)},
      {OperatorKey::step_forward, step(1)},
      {OperatorKey::slower, multiply_speed({1, 2})},
      {OperatorKey::faster, multiply_speed({2, 1})},
      {OperatorKey::normal_speed,
       [](SceneChange& change) {
         change.set_speed("", {1, 1});
       }},
      {OperatorKey::reverse, [](SceneChange& change) { change.reverse(""); }},
      {OperatorKey::toggle_loop, toggle_loop(LoopMode::loop)},
      {OperatorKey::ping_pong, toggle_loop(LoopMode::ping_pong)},
      {OperatorKey::set_in, set_in},
      {OperatorKey::set_out, set_out},
      {OperatorKey::clear_range,
       [](SceneChange& change) { change.set_range("", std::nullopt, std::nullopt); }},
      {OperatorKey::next_item, [](SceneChange& change) { change.skip_items("", 1); }},
      {OperatorKey::previous_item, [](SceneChange& change) { change.skip_items("", -1); }},
      {OperatorKey::zoom_in, zoom(zoom_step)},
      {OperatorKey::zoom_out, zoom(1 / zoom_step)},
      {OperatorKey::pan_left, look(-pan_share, 0)},
      {OperatorKey::pan_right, look(pan_share, 0)},
      {OperatorKey::pan_up, look(0, -pan_share)},
      {OperatorKey::pan_down, look(0, pan_share)},
      {OperatorKey::view_whole, [](SceneChange& change) { change.view_whole("", key_glide); }},
      {OperatorKey::view_one_to_one, view_one_to_one},
      {OperatorKey::toggle_blank,
       [](SceneChange& change) { change.set_blank(!change.draft().blank); }},
      {OperatorKey::toggle_mute,
       [](SceneChange& change) { change.set_muted(!change.draft().muted); }},
      {OperatorKey::volume_down, turn_volume(-audio_gain_step)},
      {OperatorKey::volume_up, turn_volume(audio_gain_step)},
      {OperatorKey::toggle_overlay, [](SceneChange& change) { change.toggle_overlay(); }},
      {OperatorKey::toggle_hints,
       [](SceneChange& change) { change.set_hints(!change.draft().hints); }},
      {OperatorKey::slide_left, slide(-pan_share, 0)},
      {OperatorKey::slide_right, slide(pan_share, 0)},
      {OperatorKey::slide_up, slide(0, -pan_share)},
      {OperatorKey::slide_down, slide(0, pan_share)},
      {OperatorKey::next_transfer, adjust(StyleAdjustment::transfer, 1)},
      {OperatorKey::previous_transfer, adjust(StyleAdjustment::transfer, -1)},
      {OperatorKey::less_contrast, adjust(StyleAdjustment::window, window_step)},
      {OperatorKey::more_contrast, adjust(StyleAdjustment::window, 1 / window_step)},
      {OperatorKey::darker, adjust(StyleAdjustment::level, level_step)},
      {OperatorKey::brighter, adjust(StyleAdjustment::level, -level_step)},
      {OperatorKey::fainter, adjust(StyleAdjustment::opacity, 1 / density_step)},
      {OperatorKey::denser, adjust(StyleAdjustment::opacity, density_step)},
      {OperatorKey::lower_iso, adjust(StyleAdjustment::iso, -iso_step)},
      {OperatorKey::higher_iso, adjust(StyleAdjustment::iso, iso_step)},
      {OperatorKey::next_mode, adjust(StyleAdjustment::mode, 1)},
      {OperatorKey::previous_mode, adjust(StyleAdjustment::mode, -1)},
      {OperatorKey::toggle_lit, adjust(StyleAdjustment::lit)},
      {OperatorKey::toggle_annotations, adjust(StyleAdjustment::annotations)},
      {OperatorKey::cut_x_min, adjust(StyleAdjustment::x_min, clip_step)},
      {OperatorKey::uncut_x_min, adjust(StyleAdjustment::x_min, -clip_step)},
      {OperatorKey::cut_x_max, adjust(StyleAdjustment::x_max, -clip_step)},
      {OperatorKey::uncut_x_max, adjust(StyleAdjustment::x_max, clip_step)},
      {OperatorKey::cut_y_min, adjust(StyleAdjustment::y_min, clip_step)},
      {OperatorKey::uncut_y_min, adjust(StyleAdjustment::y_min, -clip_step)},
      {OperatorKey::cut_y_max, adjust(StyleAdjustment::y_max, -clip_step)},
      {OperatorKey::uncut_y_max, adjust(StyleAdjustment::y_max, clip_step)},
      {OperatorKey::cut_z_min, adjust(StyleAdjustment::z_min, clip_step)},
      {OperatorKey::uncut_z_min, adjust(StyleAdjustment::z_min, -clip_step)},
      {OperatorKey::cut_z_max, adjust(StyleAdjustment::z_max, -clip_step)},
      {OperatorKey::uncut_z_max, adjust(StyleAdjustment::z_max, clip_step)},
      {OperatorKey::uncut_all, adjust(StyleAdjustment::clip_box)},
      {OperatorKey::reset_style, adjust(StyleAdjustment::values)}};
  return commands;
}

}  // namespace

ApplyCommand command_of_key(OperatorKey key) {
  return [key, &apply = key_commands().at(key)](SceneChange& change) {
    apply(change);
    if (change.draft().hints || key == OperatorKey::toggle_hints)
      change.show_hint(hint_of_key(key, change));
  };
}

}  // namespace tilewall
