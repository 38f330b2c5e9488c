#include "player/cues/region_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "player/cues/show_words.hpp"
#include "player/scene/compare.hpp"
#include "player/scene/scene.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::cues {
namespace {

using wall::TomlSection;

constexpr std::string_view own_region_keys[] = {
    "name", "remove",  "input", "place", "place_px", "place_mm", "panels", "view_px",
    "fit",  "opacity", "blend", "gain",  "group",    "start",    "in",     "out",
    "loop", "rounds",  "fps",   "speed", "hold",     "glide",    "missing"};
constexpr std::size_t keys_of_tables_alone = 2;  // "name", "remove"

constexpr std::size_t most_inputs = 1000;
constexpr std::size_t most_panels = 1000;
constexpr std::size_t most_planes = 64;
constexpr std::size_t longest_path = 4096;
constexpr std::size_t longest_option = 4096;
constexpr std::size_t longest_look = std::size_t{256} << 10;
constexpr std::int64_t greatest_frame = (std::int64_t{1} << 48) - 1;
constexpr double farthest_px = 1e9;
constexpr double least_speed = 0.125;
constexpr double greatest_speed = 16;
constexpr double least_fps = 0.001;
constexpr double greatest_fps = 1000;
// Shares such as 1/3 and 2/3 do not add up to 1 exactly.
constexpr double share_tolerance = 1e-6;

std::vector<std::string_view> keys_from(std::size_t first) {
  std::vector<std::string_view> keys(
      std::begin(own_region_keys) + static_cast<std::ptrdiff_t>(first), std::end(own_region_keys));
  for (const VolumeOption& option : volume_options) keys.push_back(option.key);
  return keys;
}

std::optional<RectF> rectangle_at(const TomlSection& table, std::string_view key,
                                  std::string_view expected, double most, double least = 0) {
  const auto numbers = table.numbers(key, 4, {least, most});
  if (!numbers) return {};
  const RectF rect{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
  if (rect.empty() || rect.right() > most + share_tolerance ||
      rect.bottom() > most + share_tolerance)
    table.refuse(key, expected,
                 fmt::format("[{}, {}, {}, {}]", rect.x, rect.y, rect.width, rect.height));
  return rect;
}

std::optional<Place> place_from(const TomlSection& table) {
  std::string_view first;
  for (const std::string_view key : place_keys) {
    if (!table.has(key)) continue;
    if (!first.empty()) table.refuse(key, fmt::format("nothing beside \"{}\"", first));
    first = key;
  }
  if (first.empty()) return {};
  Place place;
  place.unit = static_cast<Place::Unit>(std::ranges::find(place_keys, first) - place_keys);
  if (place.unit == Place::Unit::panels) {
    place.panels = table.texts(first, most_panels).value();
  } else {
    const bool is_share = place.unit == Place::Unit::share;
    place.rect = rectangle_at(table, first,
                              is_share ? "[x, y, width, height] within [0, 0, 1, 1]"
                                       : "[x, y, width, height] with a size over 0",
                              is_share ? 1 : farthest_px, is_share ? 0 : -farthest_px)
                     .value();
  }
  return place;
}

/// A number such as 0.5, or a text such as "1/3".
std::optional<Rational> ratio_at(const TomlSection& table, std::string_view key, double least,
                                 double most, bool may_be_negative) {
  if (!table.has(key)) return {};
  const std::string expected =
      fmt::format("a number, or a text such as \"30000/1001\", from {} to {}{}", least, most,
                  may_be_negative ? ", negative for backwards" : "");
  std::optional<Rational> ratio;
  if (table.is_text(key))
    ratio = parse_rational(table.text(key).value());
  else if (table.is_number(key))
    ratio = parse_rational(number_text(table.any_number(key).value()));
  const double size = ratio ? std::abs(ratio->value()) : 0;
  if (!ratio || size < least || size > most || (ratio->num < 0 && !may_be_negative))
    table.refuse(key, expected);
  return ratio;
}

void read_loop(const TomlSection& table, RegionEntry& region) {
  constexpr std::string_view expected =
      "\"once\", \"forever\", \"ping_pong\", or a number of rounds from 1 to 1000000";
  if (table.has("loop") && !table.is_text("loop")) {
    if (!table.is_integer("loop")) table.refuse("loop", expected);
    region.loop = Looping::loop;
    region.rounds = table.integer("loop", {1, max_rounds});
  } else if (table.has("loop")) {
    const std::string word = table.text("loop").value();
    const auto* const found = std::ranges::find(bare_loop_words, word);
    if (found == std::end(bare_loop_words)) table.refuse("loop", expected);
    region.loop = static_cast<Looping>(found - bare_loop_words);
  }
  if (!table.has("rounds")) return;
  if (region.loop != Looping::ping_pong)
    table.refuse("rounds", "nothing, or loop = \"ping_pong\" beside it (loop = 3 plays 3 rounds)");
  region.rounds = table.integer("rounds", {1, max_rounds});
}

void read_timeline(const TomlSection& table, RegionEntry& region) {
  region.start = table.integer("start", {0, greatest_frame});
  region.in = table.integer("in", {0, greatest_frame});
  region.out = table.integer("out", {region.in.value_or(0), greatest_frame});
  if (region.start && (*region.start < region.in.value_or(0) ||
                       *region.start > region.out.value_or(greatest_frame)))
    table.refuse("start", "a frame from \"in\" to \"out\"");
  read_loop(table, region);
  region.fps = ratio_at(table, "fps", least_fps, greatest_fps, false);
  region.speed = ratio_at(table, "speed", least_speed, greatest_speed, true);
  region.hold = table.boolean("hold");
}

std::string option_value(const TomlSection& table, const VolumeOption& option) {
  if (option.kind == VolumeOption::Kind::flag)
    return table.boolean(option.key).value() ? "true" : "false";
  if (option.kind == VolumeOption::Kind::list &&
      (table.is_array(option.key) || table.is_text(option.key))) {
    const std::vector<std::string> values = table.texts(option.key, most_planes).value();
    for (const std::string& value : values)
      if (value.find(list_separator) != std::string::npos)
        table.refuse(option.key, "texts without \";\": an array has several");
    return fmt::format("{}", fmt::join(values, std::string(1, list_separator)));
  }
  const bool is_json = option.kind == VolumeOption::Kind::json;
  if (is_json || table.is_text(option.key))
    return table.text(option.key, is_json ? longest_look : longest_option).value();
  if (!table.is_number(option.key)) table.refuse(option.key, "a text or a number, as for `view`");
  return number_text(table.any_number(option.key).value());
}

/// All but the name and the removal.
void read_settings(const TomlSection& table, RegionEntry& region) {
  region.line = table.line();
  region.inputs = inputs_at(table, "input");
  region.place = place_from(table);
  region.view_px = rectangle_at(table, "view_px", "[x, y, width, height] with a size over 0",
                                farthest_px, -farthest_px);
  if (const auto fit = word_at(table, "fit", scene::fit_mode_names))
    region.fit = scene::fit_mode_names[*fit];
  region.opacity = table.number("opacity", {0, 1});
  if (const auto blend = word_at(table, "blend", blend_words)) region.blend = blend_words[*blend];
  region.difference_gain = table.number("gain", {1, scene::max_difference_gain});
  if (const auto group = table.any_text("group"); group && group->empty())
    region.group = "";
  else
    region.group = table.text("group", max_name_bytes);
  read_timeline(table, region);
  for (const VolumeOption& option : volume_options)
    if (table.has(option.key)) region.volume.emplace(option.name, option_value(table, option));
  region.glide_s = table.number("glide", {0, longest_fade_s}).value_or(0);
  if (const auto missing = word_at(table, "missing", missing_words))
    region.missing = static_cast<MissingInput>(*missing);
}

}  // namespace

const std::vector<std::string_view>& region_keys() {
  static const std::vector<std::string_view> keys = keys_from(0);
  return keys;
}

const std::vector<std::string_view>& inline_region_keys() {
  static const std::vector<std::string_view> keys = keys_from(keys_of_tables_alone);
  return keys;
}

RegionEntry region_from(const TomlSection& table) {
  RegionEntry region;
  region.name = table.text("name", max_name_bytes).value_or(region.name);
  region.remove = table.boolean("remove").value_or(false);
  if (region.name == scene::compare_region)
    table.refuse("name", "another name, because a comparison has this one");
  for (const std::string_view key : inline_region_keys())
    if (region.remove && table.has(key)) table.refuse(key, "nothing beside \"remove\"");
  read_settings(table, region);
  return region;
}

RegionEntry inline_region_from(const TomlSection& cue) {
  RegionEntry region;
  read_settings(cue, region);
  return region;
}

std::optional<std::size_t> word_at(const TomlSection& table, std::string_view key,
                                   std::span<const std::string_view> words) {
  if (!table.has(key)) return {};
  const std::string expected = fmt::format("one of {}", fmt::join(words, ", "));
  if (!table.is_text(key)) table.refuse(key, expected);
  const std::string word = table.any_text(key).value();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    const std::string_view nearest = near_word(word, words);
    table.refuse(
        key, nearest.empty() ? expected : fmt::format("{} (the nearest is {})", expected, nearest));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::string> inputs_at(const TomlSection& table, std::string_view key) {
  if (!table.has(key)) return {};
  if (table.is_array(key)) return table.texts(key, most_inputs).value();
  return {table.text(key, longest_path).value()};
}

}  // namespace tilewall::cues
