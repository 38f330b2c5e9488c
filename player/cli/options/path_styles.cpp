#include "player/cli/options/path_styles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "player/cli/options/volume_fields.hpp"
#include "render/transfer/files/transfer_file.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

/// The line of an error about a message, with the place of the word that caused it instead.
std::string at_place(const std::string& place, std::string_view line) {
  if (line.starts_with(place)) return std::string(line);
  line = without_message_place(line);
  // A fault of the word's own field needs no second name.
  const std::string own = place.substr(place.rfind('.') + 1) + ": ";
  if (line.starts_with(own)) line.remove_prefix(own.size());
  return place + ": " + std::string(line);
}

Json change_of(const std::vector<path::StyleWord>& words) {
  Json change = Json::object();
  for (const path::StyleWord& word : words) {
    try {
      add_style_change(change, word.field, word.value, word.place);
    } catch (const InputError& error) {
      throw InputError(at_place(word.place, error.what()));
    }
  }
  if (change.contains("iso_value") && !change["iso_value"].is_null() && !change.contains("mode"))
    change["mode"] = "isosurface";
  return change;
}

scene::VolumeStyle changed_style(const scene::VolumeStyle& before,
                                 const std::vector<path::StyleWord>& words) {
  try {
    return scene::patched(before, change_of(words));
  } catch (const InputError& error) {
    throw InputError(at_place(words.front().place, error.what()));
  }
}

}  // namespace

path::KeyStyles key_styles(const path::PathFile& path,
                           std::shared_ptr<const scene::VolumeStyle> base) {
  path::KeyStyles styles;
  for (const path::PathKey& key : path.keys) {
    if (!key.style.empty())
      base = std::make_shared<const scene::VolumeStyle>(changed_style(*base, key.style));
    styles.push_back(base);
  }
  return styles;
}

std::shared_ptr<const scene::VolumeStyle> plain_style() {
  auto style = std::make_shared<scene::VolumeStyle>();
  style->transfer = render::named_transfer("default").value();
  return style;
}

Json style_change(const scene::VolumeStyle& from, const scene::VolumeStyle& to) {
  const Json before = scene::to_json(from);
  const Json after = scene::to_json(to);
  Json change = Json::object();
  for (const auto& [field, value] : after.items())
    if (field != "screens" && (!before.contains(field) || before[field] != value))
      change[field] = value;
  for (const auto& [field, value] : before.items())
    if (field != "screens" && !after.contains(field)) change[field] = nullptr;
  return change;
}

std::shared_ptr<const scene::VolumeStyle> style_before(const path::PathFile& path,
                                                       const scene::VolumeStyle& shown) {
  const Json plain = style_change(shown, *plain_style());
  Json change = Json::object();
  for (const path::PathKey& key : path.keys) {
    const Json named = change_of(key.style);
    for (const auto& [field, value] : named.items())
      if (plain.contains(field)) change[field] = plain[field];
  }
  return std::make_shared<const scene::VolumeStyle>(scene::patched(shown, change));
}

namespace {

/// The function as it is drawn, with low values where the style shows them.
render::TransferSpec drawn_transfer(const scene::VolumeStyle& style) {
  render::TransferSpec spec = style.low_values && style.transfer.has_default_opacity
                                  ? render::with_low_values(style.transfer)
                                  : style.transfer;
  spec.has_default_opacity = false;
  return spec;
}

bool has_name(const render::TransferSpec& spec) {
  const auto named = render::named_transfer(spec.name);
  return named && *named == spec;
}

bool is_same_transfer(const scene::VolumeStyle& from, const scene::VolumeStyle& to) {
  if (from.transfer == to.transfer) return true;
  if (has_name(from.transfer) || has_name(to.transfer)) return false;
  const render::TransferSpec a = drawn_transfer(from);
  const render::TransferSpec b = drawn_transfer(to);
  return a.scale == b.scale && a.unit == b.unit &&
         std::ranges::equal(a.points, b.points, [](const auto& left, const auto& right) {
           return left.value == right.value && left.colour == right.colour;
         });
}

std::string list_text(const auto& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

std::string range_text(const scene::VolumeStyle& style) {
  if (style.range) return fmt::format("{},{}", style.range->min, style.range->max);
  if (style.quantiles) return fmt::format("{}%,{}%", (*style.quantiles)[0], (*style.quantiles)[1]);
  return "data";
}

std::string clip_text(const scene::VolumeStyle& style) {
  std::vector<double> sides;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sides.push_back(style.clip_min[axis]);
    sides.push_back(style.clip_max[axis]);
  }
  return list_text(sides);
}

std::string background_text(const render::Rgba& colour) {
  const auto channel = [](float value) {
    return static_cast<int>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(colour.r), channel(colour.g),
                     channel(colour.b));
}

std::string caption_place_text(const scene::CaptionPlace& at) {
  const char* const unit = at.is_in_mm ? "mm" : "";
  return fmt::format("{}{},{}{}{}", at.x, unit, at.y, unit, at.is_across ? ",across" : "");
}

std::string switch_text(bool is_on) { return is_on ? "on" : "off"; }

std::vector<std::string> plane_texts(const scene::VolumeStyle& style) {
  std::vector<std::string> planes;
  for (const render::ClipPlane& plane : style.clip_planes)
    planes.push_back(
        list_text(std::array{plane.normal.x, plane.normal.y, plane.normal.z, plane.offset}));
  return planes.empty() ? std::vector<std::string>{"off"} : planes;
}

/// The values of all fields of a style, but for its transfer function.
std::vector<path::StyleWord> all_words(const scene::VolumeStyle& style) {
  const scene::AnnotationSwitches& shown = style.annotations;
  const render::Lighting& light = style.lighting;
  std::vector<path::StyleWord> words = {
      {"range", range_text(style)},
      {"scale", render::to_string(style.scale)},
      {"low", switch_text(style.low_values)},
      {"mode", std::string(scene::to_string(style.mode))},
      {"lit", switch_text(style.lit)},
      {"light", list_text(std::array{light.ambient, light.diffuse, light.specular})},
      {"iso", style.iso_value ? fmt::format("{}", *style.iso_value) : "auto"},
      {"iso_shift", fmt::format("{}", style.iso_shift)},
      {"step", style.samples_per_voxel ? fmt::format("{}", 1 / *style.samples_per_voxel) : "auto"},
      {"opacity", fmt::format("{}", style.opacity)},
      {"window", fmt::format("{}", style.window)},
      {"level", fmt::format("{}", style.level)},
      {"clip", clip_text(style)}};
  for (std::string& plane : plane_texts(style)) words.push_back({"plane", std::move(plane)});
  words.insert(words.end(), {{"background", background_text(style.background)},
                             {"axes", switch_text(shown.axes)},
                             {"bar", switch_text(shown.colour_bar)},
                             {"label", switch_text(shown.label)},
                             {"box", switch_text(shown.box)},
                             {"ruler", switch_text(shown.scale_bar)},
                             {"title", shown.title},
                             {"date", shown.date},
                             {"caption", shown.caption},
                             {"caption_at", caption_place_text(shown.caption_at)},
                             {"letters", fmt::format("{}", shown.letter_mm)}});
  return words;
}

std::vector<std::string> values_in(const std::vector<path::StyleWord>& words,
                                   std::string_view field) {
  std::vector<std::string> values;
  for (const path::StyleWord& word : words)
    if (word.field == field) values.push_back(word.value);
  return values;
}

}  // namespace

StyleWords style_words(const scene::VolumeStyle& from, const scene::VolumeStyle& to,
                       const std::string& transfer_file) {
  StyleWords changed;
  if (!is_same_transfer(from, to)) {
    const bool is_named = has_name(to.transfer);
    changed.words.push_back({"tf", is_named ? to.transfer.name : transfer_file});
    if (!is_named) changed.transfer_text = render::transfer_toml_text(drawn_transfer(to));
  }
  const std::vector<path::StyleWord> before = all_words(from);
  const std::vector<path::StyleWord> after = all_words(to);
  const bool has_range = values_in(before, "range") != values_in(after, "range");
  const bool has_iso = values_in(before, "iso") != values_in(after, "iso");
  for (const path::StyleWord& word : after) {
    // A range sets window and level, and a value of the isosurface mode and shift.
    const bool is_reset =
        (has_range && ((word.field == "window" && to.window != 1) ||
                       (word.field == "level" && to.level != 0.5))) ||
        (has_iso && ((word.field == "iso_shift" && to.iso_shift != 0) ||
                     (word.field == "mode" && to.mode != render::CastMode::isosurface)));
    const bool is_given_by_range = has_range && ((word.field == "window" && to.window == 1) ||
                                                 (word.field == "level" && to.level == 0.5));
    const bool differs = values_in(before, word.field) != values_in(after, word.field);
    if (is_reset || (differs && !is_given_by_range)) changed.words.push_back(word);
  }
  return changed;
}

std::size_t add_shown_key(const std::string& file, path::PathKey key,
                          const scene::VolumeStyle& shown, const std::string& volume) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  path::PathFile path;
  if (fs::exists(file, ignored)) path = path::read_path_draft(file);
  const path::KeyStyles before = key_styles(path, plain_style());
  const fs::path transfer_file =
      fmt::format("{}-tf{}.toml", fs::path(file).stem().string(), path.keys.size() + 1);
  StyleWords style =
      style_words(before.empty() ? *plain_style() : *before.back(), shown, transfer_file.string());
  // The default of "low" depends on the volume.
  if (before.empty() && values_in(style.words, "low").empty())
    style.words.push_back({"low", switch_text(shown.low_values)});
  if (!style.transfer_text.empty())
    rewrite_file_atomically((fs::path(file).parent_path() / transfer_file).string(),
                            style.transfer_text);
  key.style = std::move(style.words);
  return path::add_key(file, key, volume);
}

}  // namespace tilewall::cli
