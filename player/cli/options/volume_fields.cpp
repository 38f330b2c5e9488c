#include "player/cli/options/volume_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <vector>

#include "player/cli/options/option_values.hpp"
#include "player/scene/volume_style.hpp"
#include "render/transfer/files/transfer_file.hpp"
#include "render/transfer/named_transfers.hpp"
#include "render/transfer/transfer_spec.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::cli {

namespace {

using Json = nlohmann::json;
using Text = const std::string&;

constexpr const char* on_off = "on | off";

bool is_on(Text option, Text value) {
  if (value != "on" && value != "off") refuse_option(option, "on or off", value);
  return value == "on";
}

void add_transfer(Json& change, Text, Text value) {
  const render::TransferSpec spec = render::read_transfer(value);
  for (const std::string& note : spec.notes) print_line(stderr, "tilewall: {}: {}", value, note);
  change["transfer"] = render::to_json(spec);
  if (spec.by_log) change["scale"] = "log";
  if (!spec.look) return;
  change["lit"] = spec.look->shading == render::Shading::headlight;
  change["light"] = {spec.look->lighting.ambient, spec.look->lighting.diffuse,
                     spec.look->lighting.specular};
}

/// The text without the % signs of both numbers; empty where either has none.
std::optional<std::string> without_percent(Text value) {
  const std::size_t comma = value.find(',');
  if (comma == std::string::npos || comma == 0 || value[comma - 1] != '%' || value.back() != '%')
    return std::nullopt;
  return value.substr(0, comma - 1) + value.substr(comma, value.size() - comma - 1);
}

void add_range(Json& change, Text option, Text value) {
  constexpr const char* expected = "MIN,MAX, or P%,Q% of the values, or data";
  change["window"] = 1;
  change["level"] = 0.5;
  change["range"] = nullptr;
  change["quantiles"] = nullptr;
  if (value == "data") return;
  if (const auto percent = without_percent(value)) {
    const auto quantiles = option_numbers(option, *percent, 2, expected);
    if (!(quantiles[0] >= 0 && quantiles[0] < quantiles[1] && quantiles[1] <= 100))
      refuse_option(option, "P%,Q% from 0% to 100%, with P below Q", value);
    change["quantiles"] = quantiles;
    return;
  }
  const auto range = option_numbers(option, value, 2, expected);
  if (!(range[0] < range[1])) refuse_option(option, "MIN,MAX with MIN below MAX", value);
  change["range"] = range;
}

void add_scale(Json& change, Text option, Text value) {
  if (!render::parse_value_curve(value))
    refuse_option(option, std::string(render::value_curve_words), value);
  change["scale"] = value;
}

void add_mode(Json& change, Text option, Text value) {
  if (!scene::parse_cast_mode(value))
    refuse_option(option, "composite, maximum, average or isosurface", value);
  change["mode"] = value;
}

void add_clip(Json& change, Text option, Text value) {
  constexpr const char* expected = "X0,X1,Y0,Y1,Z0,Z1, shares of the sides from 0 to 1, or off";
  std::vector<double> sides = {0, 1, 0, 1, 0, 1};
  if (value != "off") sides = option_numbers(option, value, 6, expected);
  for (std::size_t i = 0; i < 6; i += 2)
    if (!(sides[i] >= 0 && sides[i] < sides[i + 1] && sides[i + 1] <= 1))
      refuse_option(option, expected, value);
  change["clip_min"] = {sides[0], sides[2], sides[4]};
  change["clip_max"] = {sides[1], sides[3], sides[5]};
}

void add_plane(Json& change, Text option, Text value) {
  Json& planes = change["clip_planes"];
  if (planes.is_null()) planes = Json::array();
  if (value == "off") return;
  const auto plane =
      option_numbers(option, value, 4, "NX,NY,NZ,OFFSET: kept is N.P + OFFSET >= 0, or off");
  if (planes.size() >= render::max_clip_planes) refuse_option(option, "six planes at most", value);
  if (!(std::hypot(plane[0], plane[1], plane[2]) > 0))
    refuse_option(option, "a normal with a length", value);
  planes.push_back(plane);
}

void add_step(Json& change, Text option, Text value) {
  if (value == "auto") {
    change["samples_per_voxel"] = nullptr;
    return;
  }
  const double step = option_number(option, value, "voxels between samples, or auto");
  if (!(step >= 1 / scene::densest_sampling && step <= 1 / scene::sparsest_sampling))
    refuse_option(option, "1/16 to 16 voxels between samples, or auto", value);
  change["samples_per_voxel"] = 1 / step;
}

void add_background(Json& change, Text option, Text value) {
  unsigned colour = 0;
  const char* const end = value.data() + value.size();
  const bool hex = value.size() == 7 && value[0] == '#' &&
                   std::from_chars(value.data() + 1, end, colour, 16).ptr == end;
  if (!hex) refuse_option(option, "#RRGGBB", value);
  change["background"] = {(colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0};
}

/// Presets of annotations. A paper's caption has title and date; people in a room stand far away.
constexpr std::string_view presets[] = {"off", "paper", "audience"};
constexpr double audience_letter_mm = 20;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16] = {};
  ::localtime_r(&now, &local);
  std::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

void add_preset(Json& change, Text option, Text value) {
  const auto preset = presets[option_word_index(option, value, presets)];
  const bool is_on = preset != "off";
  const bool is_audience = preset == "audience";
  change["axes"] = false;
  change["colour_bar"] = change["box"] = change["scale_bar"] = is_on;
  change["label"] = is_audience;
  change["date"] = is_audience ? today() : "";
  change["letter_mm"] = is_audience ? audience_letter_mm : 0;
}

void add_letters(Json& change, Text option, Text value) {
  change["letter_mm"] = value == "0"
                            ? 0
                            : option_number_within(option, value, scene::smallest_letter_mm,
                                                   scene::largest_letter_mm);
}

/// The number of "40mm".
std::optional<std::string> without_mm(Text value) {
  if (!value.ends_with("mm")) return std::nullopt;
  return value.substr(0, value.size() - 2);
}

void add_caption_place(Json& change, Text option, Text value) {
  constexpr const char* expected = "X,Y in shares of the picture or both as in 40mm, then ,across";
  constexpr std::string_view across = ",across";
  scene::CaptionPlace place;
  if (value != "auto") {
    place.is_across = value.ends_with(across);
    const std::string numbers =
        place.is_across ? value.substr(0, value.size() - across.size()) : value;
    const std::size_t comma = std::min(numbers.find(','), numbers.size());
    const auto x_mm = without_mm(numbers.substr(0, comma));
    const auto y_mm = without_mm(numbers);
    place.is_in_mm = x_mm.has_value();
    if (x_mm.has_value() != y_mm.has_value() || comma == numbers.size())
      refuse_option(option, expected, value);
    const auto at =
        option_numbers(option, x_mm ? *x_mm + "," + y_mm->substr(comma + 1) : numbers, 2, expected);
    const double most = place.is_in_mm ? scene::farthest_caption_mm : 1;
    if (!std::ranges::all_of(at, [&](double v) { return v >= 0 && v <= most; }))
      refuse_option(option, expected, value);
    place.x = at[0];
    place.y = at[1];
  }
  change["caption_at"] = {
      {"x", place.x}, {"y", place.y}, {"mm", place.is_in_mm}, {"across", place.is_across}};
}

std::string transfer_list() {
  std::string names;
  for (const std::string_view name : render::transfer_names()) names += fmt::format("{}, ", name);
  return names;
}

std::vector<StyleField> make_fields() {
  return {
      {"tf", "NAME | FILE",
       "transfer function: " + transfer_list() +
           "or a file: ParaView's JSON, Slicer's XML, a table of colours, TOML; FILE#NAME picks "
           "one of several",
       add_transfer},
      {"range", "MIN,MAX | P%,Q% | data",
       "values that the transfer function covers; 1%,99%: all but the lowest and highest hundredth "
       "over all timesteps; data (the default): all of the volume's",
       add_range},
      {"scale", "linear | log | sqrt | symlog[:T]",
       "scale of the values along the transfer function and the bar; log leaves out values of 0 "
       "and "
       "less; symlog is nearly even below T in size (default: 1), and logarithmic above",
       add_scale},
      {"low", on_off,
       "show values in the lowest tenth of the range, too, which functions without an opacity of "
       "their own hide; on for fields: files with a fill value, and NetCDF",
       [](Json& change, Text option, Text value) { change["low_values"] = is_on(option, value); }},
      {"mode", "composite | maximum | average | isosurface", "how a ray combines its samples",
       add_mode},
      {"lit", on_off, "shade composites by their gradients",
       [](Json& change, Text option, Text value) { change["lit"] = is_on(option, value); }},
      {"light", "AMBIENT,DIFFUSE,SPECULAR",
       "strengths of the light that lit composites and isosurfaces have, 0 to 1",
       [](Json& change, Text option, Text value) {
         constexpr const char* expected = "AMBIENT,DIFFUSE,SPECULAR, each from 0 to 1";
         const auto light = option_numbers(option, value, 3, expected);
         if (!std::ranges::all_of(light, [](double v) { return v >= 0 && v <= 1; }))
           refuse_option(option, expected, value);
         change["light"] = light;
       }},
      {"iso", "VALUE | auto",
       "value of the isosurface; selects that mode unless one is given with it; auto (the "
       "default): the middle of the range",
       [](Json& change, Text option, Text value) {
         change["iso_value"] = nullptr;
         if (value != "auto")
           change["iso_value"] = option_number(option, value, "a value, or auto");
         change["iso_shift"] = 0;
       }},
      {"iso_shift", "SHARE",
       "added to the isosurface's value, as a share of the range's width: -1 to 1; default: 0",
       [](Json& change, Text option, Text value) {
         change["iso_shift"] = option_number_within(option, value, -1, 1);
       }},
      {"step", "VOXELS | auto",
       fmt::format("distance between samples, {:g} to {:g}; auto (the default): 1, and less in "
                   "small volumes",
                   1 / scene::densest_sampling, 1 / scene::sparsest_sampling),
       add_step},
      {"opacity", "FACTOR",
       fmt::format("factor of the density, 1/{0:g} to {0:g}; default: 1", scene::most_opacity),
       [](Json& change, Text option, Text value) {
         change["opacity"] =
             option_number_within(option, value, 1 / scene::most_opacity, scene::most_opacity);
       }},
      {"window", "FACTOR",
       fmt::format("width of the values that colours cover, in widths of the range: 1/{:g} to "
                   "{:g}; default: 1",
                   1 / scene::narrowest_window, scene::widest_window),
       [](Json& change, Text option, Text value) {
         change["window"] =
             option_number_within(option, value, scene::narrowest_window, scene::widest_window);
       }},
      {"level", "SHARE",
       fmt::format("middle of the values that colours cover: 0 the range's least value, 1 its "
                   "greatest; -{0:g} to {0:g}, default: 0.5",
                   scene::farthest_level),
       [](Json& change, Text option, Text value) {
         change["level"] =
             option_number_within(option, value, -scene::farthest_level, scene::farthest_level);
       }},
      {"clip", "X0,X1,Y0,Y1,Z0,Z1 | off", "the box that is shown, in shares of the sides: 0 to 1",
       add_clip},
      {"plane", "NX,NY,NZ,OFFSET | off",
       fmt::format("clip plane; shows places P of the world with N.P + OFFSET >= 0; up to {}",
                   render::max_clip_planes),
       add_plane},
      {"background", "#RRGGBB", "colour behind the volume", add_background},
      {"annotate", "off | paper | audience",
       "paper: colour bar, box, ruler; audience: also title and date, in letters of 20 mm",
       add_preset},
      {"axes", on_off, "show the directions of the axes",
       [](Json& change, Text option, Text value) { change["axes"] = is_on(option, value); }},
      {"bar", on_off, "show the colour bar",
       [](Json& change, Text option, Text value) { change["colour_bar"] = is_on(option, value); }},
      {"label", on_off, "show dataset or file, timestep and time",
       [](Json& change, Text option, Text value) { change["label"] = is_on(option, value); }},
      {"box", on_off, "show the outline of the volume, with numbers",
       [](Json& change, Text option, Text value) { change["box"] = is_on(option, value); }},
      {"ruler", on_off, "show a scale bar: a length at the distance of what is looked at",
       [](Json& change, Text option, Text value) { change["scale_bar"] = is_on(option, value); }},
      {"title", "TEXT", "the label's title, in place of dataset or file",
       [](Json& change, Text, Text value) { change["title"] = value; }},
      {"date", "TEXT",
       "line under the label's title; default of annotations for an audience: today, and of "
       "'render' the day in UTC on which the path's file was last changed",
       [](Json& change, Text, Text value) { change["date"] = value; }},
      {"caption", "TEXT",
       fmt::format("text over the picture, wrapped within one panel, of at most {} bytes; empty: "
                   "none",
                   scene::most_caption_bytes),
       [](Json& change, Text option, Text value) {
         if (value.size() > scene::most_caption_bytes || value.find('\n') != std::string::npos)
           throw InputError({option}, "",
                            fmt::format("a line of at most {} bytes", scene::most_caption_bytes),
                            fmt::format("{} bytes", value.size()));
         change["caption"] = value;
       }},
      {"caption_at", "X,Y[,across] | auto",
       "place of the caption's middle, from the left and from the top: shares of the picture, 0 to "
       "1, or as in 40mm,25mm on the wall; across: it may cross bezels; auto (the default): "
       "0.5,1, the lower edge",
       add_caption_place},
      {"letters", "MM",
       "height of annotations' capitals on the wall, within what panels have room for; 0 (the "
       "default): 1/50 of the picture's",
       add_letters},
  };
}

const StyleField* find_field(std::string_view name) {
  const auto fields = style_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const StyleField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace

std::span<const StyleField> style_fields() {
  static const std::vector<StyleField> fields = make_fields();
  return fields;
}

const StyleField& style_field(std::string_view name) {
  const StyleField* const field = find_field(name);
  TW_CHECK(field != nullptr);
  return *field;
}

void add_style_change(Json& change, const std::string& name, const std::string& value,
                      const std::string& option) {
  if (const StyleField* const field = find_field(name)) return field->add(change, option, value);
  std::string names;
  for (const StyleField& field : style_fields())
    names += fmt::format("{}{}=", names.empty() ? "" : ", ", field.name);
  refuse_option(option, "one of " + names, name);
}

namespace {

constexpr std::size_t max_camera_file_bytes = std::size_t{64} << 10;

constexpr CameraField all_camera_fields[] = {
    {"eye", "[X, Y, Z]", "place of the camera, in the volume's units of length"},
    {"look_at", "[X, Y, Z]", "the place that it looks at, in these units"},
    {"up", "[X, Y, Z]", "the direction that is up in the picture"},
    {"fov_deg", "DEGREES", "field of view of the picture's height, above 0, to 179"},
    {"lens", "\"perspective\" | \"orthographic\"", "rays from the eye, or parallel ones"},
    {"view_height", "LENGTH", "height of an orthographic picture, in the volume's units"}};

using Json = nlohmann::json;

void read_camera_field(const wall::TomlSection& top, std::string_view name, Json& change) {
  Json& field = change[std::string(name)];
  if (name == "lens") {
    const auto lens = top.text(name);
    if (lens && *lens != "perspective" && *lens != "orthographic")
      top.refuse(name, "perspective or orthographic", *lens);
    if (lens) field = *lens;
  } else if (name == "fov_deg" || name == "view_height") {
    const auto number = top.number(name, {0, name == "fov_deg" ? 179.0 : 1e12, true});
    if (number) field = *number;
  } else if (const auto place = top.numbers(name, 3, {-1e12, 1e12})) {
    field = *place;
  }
  if (field.is_null()) change.erase(std::string(name));
}

}  // namespace

std::span<const CameraField> camera_fields() { return all_camera_fields; }

Json read_camera_file(const std::string& file) {
  std::vector<std::string_view> names;
  for (const CameraField& field : all_camera_fields) names.push_back(field.name);
  const wall::TomlFile toml(file, max_camera_file_bytes);
  const wall::TomlSection top = toml.root(names);
  Json change = Json::object();
  for (const std::string_view name : names) read_camera_field(top, name, change);
  return change;
}

std::string camera_toml_text(const Json& camera) {
  std::string text;
  for (const CameraField& field : all_camera_fields)
    text += fmt::format("{} = {}\n", field.name, camera.at(std::string(field.name)).dump());
  return text;
}

std::string transfer_text(const Json& transfer) {
  return render::transfer_toml_text(render::transfer_spec_from_json(transfer));
}

}  // namespace tilewall::cli
