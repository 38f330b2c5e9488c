#include "player/scene/style_adjustment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "render/transfer/named_transfers.hpp"
#include "sync/base/error.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::scene {
namespace {

constexpr std::string_view side_help = "moves that side of the clip box, by a share of the side";

// Texts in the order of StyleAdjustment.
constexpr StyleAdjustmentWords all_words[] = {
    {"transfer", "STEPS", "so many named transfer functions on, or back: a whole number"},
    {"mode", "STEPS",
     "so many modes on, or back, of composite, maximum, average, isosurface: a whole number"},
    {"opacity", "FACTOR", "so many times as dense; above 0"},
    {"window", "FACTOR", "so many times as wide a range of values; above 0"},
    {"level", "SHARE", "moves that range up, by a share of its width; down below 0"},
    {"iso", "SHARE", "moves the isosurface's value up, by a share of the range"},
    {"x_min", "SHARE", side_help},
    {"x_max", "SHARE", side_help},
    {"y_min", "SHARE", side_help},
    {"y_max", "SHARE", side_help},
    {"z_min", "SHARE", side_help},
    {"z_max", "SHARE", side_help},
    {"lit", "", "light on, or off"},
    {"annotations", "", "axes, bar and label on; off where all are on"},
    {"clip_box", "", "the whole volume again"},
    {"values", "", "opacity, window, level and isosurface as they began"}};
static_assert(std::size(all_words) == static_cast<std::size_t>(StyleAdjustment::values) + 1);

constexpr double thinnest_clip = 1.0 / 256;  // share of the volume's side
constexpr int mode_count = static_cast<int>(render::CastMode::isosurface) + 1;
constexpr double most_style_steps = 1e6;

int steps_of(StyleAdjustment what, double by) {
  if (!(std::abs(by) <= most_style_steps) || by != std::round(by))
    throw InputError({"adjust"}, to_string(what), "a whole number of steps", fmt::format("{}", by));
  return static_cast<int>(by);
}

double factor_of(StyleAdjustment what, double by) {
  if (!(by > 0) || !std::isfinite(by))
    throw InputError({"adjust"}, to_string(what), "a factor above 0", fmt::format("{}", by));
  return by;
}

int wrapped(int index, int count) { return (index % count + count) % count; }

/// The named function `steps` after the style's; after one of a file, the first or last.
render::TransferSpec next_transfer(const render::TransferSpec& before, int steps) {
  const auto all =
      render::transfer_names().subspan(1);  // without "default", which is one of the others
  const std::string_view own = before.name;
  const std::string_view name = own == "default" ? "viridis" : own;
  const auto found = std::find(all.begin(), all.end(), name);
  const bool known = found != all.end();
  const int from = known ? static_cast<int>(found - all.begin()) : steps > 0 ? -1 : 0;
  const int index = wrapped(from + steps, static_cast<int>(all.size()));
  return render::named_transfer(all[static_cast<std::size_t>(index)]).value();
}

void move_side(VolumeStyle& style, StyleAdjustment side, double by) {
  const auto number =
      static_cast<std::size_t>(side) - static_cast<std::size_t>(StyleAdjustment::x_min);
  double& min = style.clip_min[number / 2];
  double& max = style.clip_max[number / 2];
  if (number % 2 == 0)
    min = std::clamp(min + by, 0.0, std::max(max - thinnest_clip, 0.0));
  else
    max = std::clamp(max + by, std::min(min + thinnest_clip, 1.0), 1.0);
}

}  // namespace

std::span<const StyleAdjustmentWords> style_adjustments() noexcept { return all_words; }

std::string_view to_string(StyleAdjustment what) noexcept {
  return all_words[static_cast<std::size_t>(what)].name;
}

StyleAdjustment parse_style_adjustment(std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < std::size(all_words); ++i) {
    if (all_words[i].name == text) return static_cast<StyleAdjustment>(i);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", all_words[i].name);
  }
  throw InputError({"adjust"}, "what", "one of " + all,
                   fmt::format("\"{}\"", escaped_text(text, 64)));
}

bool has_amount(StyleAdjustment what) noexcept {
  return !all_words[static_cast<std::size_t>(what)].by.empty();
}

VolumeStyle adjusted(VolumeStyle style, StyleAdjustment what, double by) {
  switch (what) {
    case StyleAdjustment::transfer:
      style.transfer = next_transfer(style.transfer, steps_of(what, by));
      break;
    case StyleAdjustment::mode:
      style.mode = static_cast<render::CastMode>(
          wrapped(static_cast<int>(style.mode) + steps_of(what, by), mode_count));
      break;
    case StyleAdjustment::opacity:
      style.opacity =
          std::clamp(style.opacity * factor_of(what, by), 1 / most_opacity, most_opacity);
      break;
    case StyleAdjustment::window:
      style.window =
          std::clamp(style.window * factor_of(what, by), narrowest_window, widest_window);
      break;
    case StyleAdjustment::level:
      style.level = std::clamp(style.level + by * style.window, -farthest_level, farthest_level);
      break;
    case StyleAdjustment::iso:
      style.iso_shift = std::clamp(style.iso_shift + by, -1.0, 1.0);
      break;
    case StyleAdjustment::x_min:
    case StyleAdjustment::x_max:
    case StyleAdjustment::y_min:
    case StyleAdjustment::y_max:
    case StyleAdjustment::z_min:
    case StyleAdjustment::z_max:
      move_side(style, what, by);
      break;
    case StyleAdjustment::lit:
      style.lit = !style.lit;
      break;
    case StyleAdjustment::annotations: {
      AnnotationSwitches& shown = style.annotations;
      const bool on = !(shown.axes && shown.colour_bar && shown.label);
      shown.axes = shown.colour_bar = shown.label = on;
      shown.box = shown.scale_bar = on && (shown.box || shown.scale_bar);
      break;
    }
    case StyleAdjustment::clip_box:
      style.clip_min = {0, 0, 0};
      style.clip_max = {1, 1, 1};
      break;
    case StyleAdjustment::values:
      style.opacity = style.window = 1;
      style.level = 0.5;
      style.iso_shift = 0;
      break;
  }
  return style;
}

}  // namespace tilewall::scene
