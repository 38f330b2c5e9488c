#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "player/director/verbs/operator_keys.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::director {
namespace {

constexpr std::int64_t endless_frames = std::int64_t{1} << 40;  // patterns have no end

/// "frame 123 of 480, 0:05.1"
std::string place_text(const SceneChange& after) {
  const scene::Region& region = after.region("");
  const std::int64_t frame = after.frame_of(region);
  std::string text = fmt::format("frame {}", frame);
  if (region.source->frames < endless_frames) text += fmt::format(" of {}", region.source->frames);
  return text + ", " + duration_text(static_cast<double>(frame) / region.base_fps.value());
}

std::string pause_text(const SceneChange& after) {
  return (after.region("").timeline.paused() ? "pause, " : "play, ") + place_text(after);
}

/// "speed 2x", "speed -1/2x"
std::string speed_text(const SceneChange& after) {
  const scene::Region& region = after.region("");
  const int direction = region.timeline.restarted(after.at()).direction;
  return fmt::format("speed {}{}x", direction < 0 ? "-" : "", to_string(region.speed));
}

std::string loop_text(const SceneChange& after) {
  switch (after.region("").timeline.loop) {
    case sync::LoopMode::once:
      return "loop off";
    case sync::LoopMode::loop:
      return "loop on";
    case sync::LoopMode::ping_pong:
      return "there and back";
  }
  return "";
}

std::string range_text(const SceneChange& after) {
  const scene::Region& region = after.region("");
  const sync::Timeline& line = region.timeline;
  if (line.first_frame == 0 && line.end_frame == region.source->frames) return "range off";
  return fmt::format("range {}-{}", line.first_frame, line.end_frame - 1);
}

/// "item 3 of 5: The card"
std::string item_text(const SceneChange& after) {
  const scene::Region& region = after.region("");
  const auto& items = region.source->items;
  const std::size_t item = scene::item_at(*region.source, after.frame_of(region));
  return fmt::format("item {} of {}: {}", item + 1, items.size(),
                     printable_text(scene::name_of(items[item])));
}

/// "zoom 2x", relative to the whole picture; "" for a volume, whose camera moves instead.
std::string zoom_text(const SceneChange& after) {
  const scene::Region& region = after.region("");
  if (after.shows_volume("")) return "";
  const double whole_px =
      region.source->size_px.width > 0 ? region.source->size_px.width : region.canvas_px.width;
  const double shown_px = region.view ? region.view->to_px.width : whole_px;
  return fmt::format("zoom {:.3g}x", std::round(whole_px / shown_px * 100) / 100);
}

std::string sound_text(const SceneChange& after) {
  if (after.draft().muted) return "sound off";
  return fmt::format("sound {:.0f} %", after.draft().audio_gain * 100);
}

std::string style_text(present::OperatorKey key, const scene::VolumeStyle& style) {
  switch (key) {
    case present::OperatorKey::next_transfer:
    case present::OperatorKey::previous_transfer:
      return "colours " + style.transfer.name;
    case present::OperatorKey::next_mode:
    case present::OperatorKey::previous_mode:
      return std::string(scene::to_string(style.mode));
    case present::OperatorKey::less_contrast:
    case present::OperatorKey::more_contrast:
      return fmt::format("window {:.3g}", style.window);
    case present::OperatorKey::darker:
    case present::OperatorKey::brighter:
      return fmt::format("level {:.3g}", style.level);
    case present::OperatorKey::fainter:
    case present::OperatorKey::denser:
      return fmt::format("opacity {:.3g}", style.opacity);
    case present::OperatorKey::lower_iso:
    case present::OperatorKey::higher_iso:
      return fmt::format("isosurface {:+.2f} of the range", style.iso_shift);
    case present::OperatorKey::toggle_lit:
      return style.lit ? "light on" : "light off";
    case present::OperatorKey::reset_style:
      return "style as it was";
    default:
      return "";
  }
}

}  // namespace

std::string hint_of_key(present::OperatorKey key, const SceneChange& after) {
  switch (key) {
    case present::OperatorKey::toggle_pause:
      return pause_text(after);
    case present::OperatorKey::back:
    case present::OperatorKey::forward:
    case present::OperatorKey::back_far:
    case present::OperatorKey::forward_far:
    case present::OperatorKey::home:
    case present::OperatorKey::end:
    case present::OperatorKey::step_back:
    case present::OperatorKey::step_forward:
      return place_text(after);
    case present::OperatorKey::slower:
    case present::OperatorKey::faster:
    case present::OperatorKey::normal_speed:
    case present::OperatorKey::reverse:
      return speed_text(after);
    case present::OperatorKey::toggle_loop:
    case present::OperatorKey::ping_pong:
      return loop_text(after);
    case present::OperatorKey::set_in:
    case present::OperatorKey::set_out:
    case present::OperatorKey::clear_range:
      return range_text(after);
    case present::OperatorKey::next_item:
    case present::OperatorKey::previous_item:
      return item_text(after);
    case present::OperatorKey::zoom_in:
    case present::OperatorKey::zoom_out:
    case present::OperatorKey::view_whole:
    case present::OperatorKey::view_one_to_one:
      return zoom_text(after);
    case present::OperatorKey::toggle_mute:
    case present::OperatorKey::volume_down:
    case present::OperatorKey::volume_up:
      return sound_text(after);
    case present::OperatorKey::toggle_hints:
      return after.draft().hints ? "hints on" : "hints off";
    case present::OperatorKey::add_keyframe:
      return "takes a key frame";
    case present::OperatorKey::remove_keyframe:
      return "removes the nearest key frame";
    case present::OperatorKey::preview_path:
      return "flies the path";
    case present::OperatorKey::stop_preview:
      return "ends the flight";
    default:
      break;
  }
  const auto& look = after.region("").look;
  return look && after.shows_volume("") ? style_text(key, *look->style.to) : "";
}

}  // namespace tilewall::director
