#include "player/scene/volume_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "render/transfer/transfer_spec.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

template <std::size_t count>
std::array<double, count> numbers_of(const Json& json, const char* field) {
  const auto values = json_field<std::vector<double>>(json, field);
  expect_field(values.size() == count && std::all_of(values.begin(), values.end(),
                                                     [](double v) { return std::isfinite(v); }),
               field, "finite numbers");
  std::array<double, count> array{};
  std::copy(values.begin(), values.end(), array.begin());
  return array;
}

Json vector_json(Vec3d v) { return {v.x, v.y, v.z}; }

Vec3d vector_field(const Json& json, const char* field) {
  const auto v = numbers_of<3>(json, field);
  return {v[0], v[1], v[2]};
}

std::string text_of(Vec3d v) { return fmt::format("[{:g}, {:g}, {:g}]", v.x, v.y, v.z); }

double finite_field(const Json& json, const char* field) {
  const auto value = json_field<double>(json, field);
  expect_field(std::isfinite(value), field, "a finite number");
  return value;
}

double field_within(const Json& json, const char* field, double least, double most) {
  const double value = finite_field(json, field);
  if (!(value >= least && value <= most))
    throw InputError({"message"}, field, fmt::format("{:g} to {:g}", least, most),
                     fmt::format("{:g}", value));
  return value;
}

bool in_unit(double value) { return value >= 0 && value <= 1; }

Json planes_json(const std::vector<render::ClipPlane>& planes) {
  Json json = Json::array();
  for (const render::ClipPlane& plane : planes)
    json.push_back({plane.normal.x, plane.normal.y, plane.normal.z, plane.offset});
  return json;
}

std::vector<render::ClipPlane> planes_from(const Json& json) {
  std::vector<render::ClipPlane> planes;
  for (const auto& plane : json_field<std::vector<std::vector<double>>>(json, "clip_planes")) {
    expect_field(
        plane.size() == 4 && planes.size() < render::max_clip_planes &&
            std::all_of(plane.begin(), plane.end(), [](double v) { return std::isfinite(v); }),
        "clip_planes", "up to 6 of four finite numbers");
    planes.push_back({{plane[0], plane[1], plane[2]}, plane[3]});
  }
  return planes;
}

render::ValueRange range_from(const Json& json) {
  const auto range = numbers_of<2>(json, "range");
  expect_field(range[0] < range[1] && -render::max_transfer_value <= range[0] &&
                   range[1] <= render::max_transfer_value,
               "range", "[min, max], of at most 1e30 in size");
  return {static_cast<float>(range[0]), static_cast<float>(range[1])};
}

render::ValueCurve scale_from(const Json& json) {
  const auto text = json_field<std::string>(json, "scale");
  const auto scale = render::parse_value_curve(text);
  if (!scale)
    throw InputError({"message"}, "scale", render::value_curve_words,
                     fmt::format("\"{}\"", escaped_text(text, 64)));
  return *scale;
}

constexpr std::size_t most_screens = 1024;  // as many as a wall file may have panels

Json screens_json(const RegionScreens& screens) {
  Json panels = Json::array();
  for (const RectF& panel : screens.panels)
    panels.push_back({panel.x, panel.y, panel.width, panel.height});
  return {{"height_mm", screens.height_mm}, {"panels", panels}};
}

RegionScreens screens_from(const Json& json) {
  RegionScreens screens{finite_field(json, "height_mm"), {}};
  for (const auto& panel : json_field<std::vector<std::array<double, 4>>>(json, "panels")) {
    const bool is_part = panel[0] >= 0 && panel[1] >= 0 && panel[0] + panel[2] <= 1 + 1e-9 &&
                         panel[1] + panel[3] <= 1 + 1e-9 && panel[2] > 0 && panel[3] > 0;
    expect_field(is_part && screens.panels.size() < most_screens, "panels",
                 "up to 1024 rectangles in shares of the region");
    screens.panels.push_back({panel[0], panel[1], panel[2], panel[3]});
  }
  return screens;
}

/// A line of text for annotations.
std::string line_from(const Json& json, const char* field) {
  auto line = json_field<std::string>(json, field);
  expect_field(line.size() <= most_title_bytes && line.find('\n') == std::string::npos, field,
               "a line of at most 256 bytes");
  return line;
}

CaptionPlace caption_place_from(const Json& json) {
  const auto place = json_field<Json>(json, "caption_at");
  CaptionPlace at;
  at.is_in_mm = json_field<bool>(place, "mm");
  at.is_across = json_field<bool>(place, "across");
  const double most = at.is_in_mm ? farthest_caption_mm : 1;
  at.x = field_within(place, "x", 0, most);
  at.y = field_within(place, "y", 0, most);
  return at;
}

AnnotationSwitches annotations_from(const Json& json) {
  AnnotationSwitches shown;
  shown.axes = json_field<bool>(json, "axes");
  shown.colour_bar = json_field<bool>(json, "colour_bar");
  shown.label = json_field<bool>(json, "label");
  if (json.contains("box")) shown.box = json_field<bool>(json, "box");
  if (json.contains("scale_bar")) shown.scale_bar = json_field<bool>(json, "scale_bar");
  if (json.contains("title")) shown.title = line_from(json, "title");
  if (json.contains("date")) shown.date = line_from(json, "date");
  if (json.contains("caption")) {
    shown.caption = json_field<std::string>(json, "caption");
    expect_field(
        shown.caption.size() <= most_caption_bytes && shown.caption.find('\n') == std::string::npos,
        "caption", "a line of at most 1024 bytes");
  }
  if (json.contains("caption_at")) shown.caption_at = caption_place_from(json);
  if (json.contains("letter_mm")) {
    shown.letter_mm = finite_field(json, "letter_mm");
    expect_field(shown.letter_mm == 0 || (shown.letter_mm >= smallest_letter_mm &&
                                          shown.letter_mm <= largest_letter_mm),
                 "letter_mm", "0, or 0.5 to 1000");
  }
  return shown;
}

/// Refuses values to cover that the style's scale does not take.
void check_scale(const VolumeStyle& style) {
  const auto check = [&](const char* field, double least) {
    if (style.scale.takes(least)) return;
    throw InputError(
        {"message"}, field,
        fmt::format("values {}, which the scale {} takes",
                    style.scale.takes(0) ? "from 0 on" : "above 0", render::to_string(style.scale)),
        fmt::format("{:g}", least));
  };
  if (style.range) check("range", static_cast<double>(style.range->min));
  if (style.transfer.scale == render::TransferScale::values)
    check("transfer", style.transfer.points.front().value);
}

/// Changes the fields of a patch. Unknown fields are refused, because they are typing errors.
Json patched_fields(Json json, const Json& patch, std::initializer_list<const char*> optional) {
  if (!patch.is_object()) throw InputError({"message"}, "", "an object", "another value");
  for (const auto& [field, value] : patch.items()) {
    const bool known = json.contains(field) ||
                       std::find(optional.begin(), optional.end(), field) != optional.end();
    if (!known) throw InputError({"message"}, field, "a known field", "another");
    if (value.is_null())
      json.erase(field);
    else
      json[field] = value;
  }
  return json;
}

}  // namespace

std::optional<render::CastMode> parse_cast_mode(std::string_view text) {
  const auto found = std::find(std::begin(cast_mode_names), std::end(cast_mode_names), text);
  if (found == std::end(cast_mode_names)) return std::nullopt;
  return static_cast<render::CastMode>(found - std::begin(cast_mode_names));
}

std::string_view to_string(render::CastMode mode) noexcept {
  return cast_mode_names[static_cast<std::size_t>(mode)];
}

Json to_json(const VolumeStyle& style) {
  Json json = {{"mode", std::string(to_string(style.mode))},
               {"lit", style.lit},
               {"light", {style.lighting.ambient, style.lighting.diffuse, style.lighting.specular}},
               {"iso_shift", style.iso_shift},
               {"window", style.window},
               {"level", style.level},
               {"opacity", style.opacity},
               {"scale", render::to_string(style.scale)},
               {"low_values", style.low_values},
               {"transfer", render::to_json(style.transfer)},
               {"background", {style.background.r, style.background.g, style.background.b}},
               {"clip_min", style.clip_min},
               {"clip_max", style.clip_max},
               {"clip_planes", planes_json(style.clip_planes)},
               {"axes", style.annotations.axes},
               {"colour_bar", style.annotations.colour_bar},
               {"label", style.annotations.label},
               {"box", style.annotations.box},
               {"scale_bar", style.annotations.scale_bar},
               {"title", style.annotations.title},
               {"date", style.annotations.date},
               {"letter_mm", style.annotations.letter_mm},
               {"caption", style.annotations.caption},
               {"caption_at",
                {{"x", style.annotations.caption_at.x},
                 {"y", style.annotations.caption_at.y},
                 {"mm", style.annotations.caption_at.is_in_mm},
                 {"across", style.annotations.caption_at.is_across}}}};
  if (style.screens) json["screens"] = screens_json(*style.screens);
  if (style.samples_per_voxel) json["samples_per_voxel"] = *style.samples_per_voxel;
  if (style.iso_value) json["iso_value"] = *style.iso_value;
  if (style.quantiles) json["quantiles"] = *style.quantiles;
  if (style.range) json["range"] = {style.range->min, style.range->max};
  return json;
}

VolumeStyle volume_style_from_json(const Json& json) {
  VolumeStyle style;
  style.mode = json_enum<render::CastMode>(json, "mode", cast_mode_names);
  style.lit = json_field<bool>(json, "lit");
  const auto light = numbers_of<3>(json, "light");
  expect_field(std::all_of(light.begin(), light.end(), in_unit), "light", "numbers in [0, 1]");
  style.lighting = {static_cast<float>(light[0]), static_cast<float>(light[1]),
                    static_cast<float>(light[2])};
  if (json.contains("samples_per_voxel"))
    style.samples_per_voxel =
        field_within(json, "samples_per_voxel", sparsest_sampling, densest_sampling);
  style.iso_shift = field_within(json, "iso_shift", -1, 1);
  style.window = field_within(json, "window", narrowest_window, widest_window);
  style.level = field_within(json, "level", -farthest_level, farthest_level);
  style.opacity = field_within(json, "opacity", 1 / most_opacity, most_opacity);
  style.transfer = render::transfer_spec_from_json(json_field<Json>(json, "transfer"));
  const auto background = numbers_of<3>(json, "background");
  expect_field(std::all_of(background.begin(), background.end(), in_unit), "background",
               "in [0, 1]");
  style.background = {static_cast<float>(background[0]), static_cast<float>(background[1]),
                      static_cast<float>(background[2]), 1};
  style.clip_min = numbers_of<3>(json, "clip_min");
  style.clip_max = numbers_of<3>(json, "clip_max");
  for (std::size_t i = 0; i < 3; ++i)
    expect_field(in_unit(style.clip_min[i]) && in_unit(style.clip_max[i]) &&
                     style.clip_min[i] < style.clip_max[i],
                 "clip_min", "shares of the sides, below clip_max");
  style.clip_planes = planes_from(json);
  style.annotations = annotations_from(json);
  if (json.contains("screens")) style.screens = screens_from(json_field<Json>(json, "screens"));
  if (json.contains("iso_value"))
    style.iso_value =
        field_within(json, "iso_value", -render::max_transfer_value, render::max_transfer_value);
  if (json.contains("range")) style.range = range_from(json);
  if (json.contains("quantiles")) {
    style.quantiles = numbers_of<2>(json, "quantiles");
    const auto& [low, high] = *style.quantiles;
    expect_field(low >= 0 && low < high && high <= 100, "quantiles", "[low, high], 0 to 100");
  }
  if (json.contains("low_values")) style.low_values = json_field<bool>(json, "low_values");
  if (json.contains("scale")) style.scale = scale_from(json);
  check_scale(style);
  return style;
}

VolumeStyle patched(const VolumeStyle& style, const Json& patch) {
  return volume_style_from_json(patched_fields(
      to_json(style), patch, {"iso_value", "range", "quantiles", "samples_per_voxel"}));
}

render::VolumeCamera patched(const render::VolumeCamera& camera, const Json& patch) {
  return camera_from_json(patched_fields(to_json(camera), patch, {}));
}

Json to_json(const render::VolumeCamera& camera) {
  return {{"lens", std::string(lens_names[static_cast<std::size_t>(camera.lens)])},
          {"eye", vector_json(camera.eye)},
          {"look_at", vector_json(camera.look_at)},
          {"up", vector_json(camera.up)},
          {"fov_deg", camera.fov_rad * 180 / std::numbers::pi},
          {"view_height", camera.view_height}};
}

render::VolumeCamera camera_from_json(const Json& json) {
  render::VolumeCamera camera;
  camera.lens = json_enum<render::Lens>(json, "lens", lens_names);
  camera.eye = vector_field(json, "eye");
  camera.look_at = vector_field(json, "look_at");
  camera.up = vector_field(json, "up");
  camera.fov_rad = finite_field(json, "fov_deg") * std::numbers::pi / 180;
  camera.view_height = finite_field(json, "view_height");
  expect_field(camera.fov_rad > 0 && camera.fov_rad < std::numbers::pi, "fov_deg",
               "over 0, under 180");
  expect_field(camera.view_height > 0, "view_height", "over 0");
  if (camera.eye == camera.look_at)
    throw InputError({"message"}, "look_at", "a place other than eye's", text_of(camera.look_at));
  if (!(length(cross(camera.look_at - camera.eye, camera.up)) > 0))
    throw InputError({"message"}, "up", "a direction other than from eye to look_at",
                     text_of(camera.up));
  return camera;
}

}  // namespace tilewall::scene
