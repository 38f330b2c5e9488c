#include <cmath>
#include <nlohmann/json.hpp>

#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/zarr_image.hpp"

namespace tilewall::render {
namespace {

using Json = nlohmann::json;

Vec3d zarr_vec(const Json& list, const FieldPlace& place) {
  std::array<double, 3> numbers = {};
  if (!list.is_array() || list.size() != 3) place.refuse("three numbers", "something else");
  for (std::size_t i = 0; i < 3; ++i) {
    if (!list[i].is_number()) place.refuse("three numbers", list[i].dump().substr(0, 60));
    numbers[i] = list[i].get<double>();
  }
  return {numbers[0], numbers[1], numbers[2]};
}

std::string zarr_text(const Json& block, const char* key) {
  const Json text = block.value(key, Json());
  return text.is_string() ? text.get<std::string>() : "";
}

double zarr_number(const Json& block, const char* key, double standard, const FieldPlace& place) {
  const Json number = block.value(key, Json());
  if (number.is_null()) return standard;
  if (!number.is_number() || !std::isfinite(number.get<double>()))
    place.refuse("a number", number.dump().substr(0, 60));
  return number.get<double>();
}

// Throws InputError unless directions have length 1 and are at right angles, within a tolerance.
void check_directions(const std::array<Vec3d, 3>& axes, const FieldPlace& place) {
  constexpr double near_enough = 1e-3;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(std::abs(length(axes[i]) - 1) < near_enough))
      place.refuse("directions of length 1", "others");
    if (!(std::abs(dot(axes[i], axes[(i + 1) % 3])) < near_enough))
      place.refuse("directions at right angles", "others");
  }
}

void read_times(const Json& block, const std::string& file, ZarrAdditions& additions) {
  const Json times = block.value("times", Json());
  if (times.is_null()) return;
  const Json labels = block.value("time_labels", Json());
  if (!times.is_array() || !labels.is_array() || times.size() != labels.size())
    FieldPlace{file, "tilewall.times"}.refuse("a number and a label a timestep", "something else");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i].is_number() || !labels[i].is_string())
      FieldPlace{file, "tilewall.times"}.refuse("numbers, and labels of them", "something else");
    additions.times.push_back(times[i].get<double>());
    additions.time_labels.push_back(labels[i].get<std::string>());
  }
}

void read_axis_scales(const Json& block, const std::string& file, ZarrAdditions& additions) {
  const Json scales = block.value("axis_scales", Json());
  if (scales.is_null()) return;
  const FieldPlace place = {file, "tilewall.axis_scales"};
  if (!scales.is_array() || scales.size() != 3 || !scales[0].is_object() ||
      !scales[1].is_object() || !scales[2].is_object())
    place.refuse("a unit and a factor of x, y and z", "something else");
  for (std::size_t i = 0; i < 3; ++i)
    additions.axis_scales[i] = {zarr_text(scales[i], "unit"),
                                zarr_number(scales[i], "factor", 1, place)};
}

}  // namespace

std::optional<ZarrAdditions> read_zarr_additions(const Json& attributes, const std::string& file) {
  const Json block = attributes.value("tilewall", Json());
  if (block.is_null()) return std::nullopt;
  if (!block.is_object())
    FieldPlace{file, "tilewall"}.refuse("an object", block.dump().substr(0, 60));
  ZarrAdditions additions;
  additions.scale.scale = zarr_number(block, "scale", 1, {file, "tilewall.scale"});
  additions.scale.offset = zarr_number(block, "offset", 0, {file, "tilewall.offset"});
  if (!(additions.scale.scale > 0))
    FieldPlace{file, "tilewall.scale"}.refuse("a number above 0", block.at("scale").dump());
  additions.value_unit = zarr_text(block, "value_unit");
  additions.length_unit = zarr_text(block, "length_unit");
  additions.is_anatomical = zarr_text(block, "world") == "ras";
  read_axis_scales(block, file, additions);
  if (const Json range = block.value("value_range", Json()); range.is_array() && range.size() == 2)
    if (range[0].is_number() && range[1].is_number())
      additions.value_range = {range[0].get<float>(), range[1].get<float>()};
  if (block.contains("origin"))
    additions.origin = zarr_vec(block.at("origin"), {file, "tilewall.origin"});
  if (const Json axes = block.value("axes", Json()); !axes.is_null()) {
    const FieldPlace place = {file, "tilewall.axes"};
    if (!axes.is_array() || axes.size() != 3) place.refuse("three directions", "something else");
    for (std::size_t i = 0; i < 3; ++i) additions.axes[i] = zarr_vec(axes[i], place);
    check_directions(additions.axes, place);
  }
  read_times(block, file, additions);
  return additions;
}

void apply_zarr_additions(const ZarrAdditions& additions, VolumeInfo& info) {
  info.value_unit = additions.value_unit;
  info.value_range = additions.value_range;
  info.length_unit = additions.length_unit;
  info.axis_scales = additions.axis_scales;
  info.is_anatomical = additions.is_anatomical;
  if (additions.times.size() != info.times.size()) return;
  info.times = additions.times;
  info.time_labels = additions.time_labels;
}

VolumePlace place_by_additions(const ZarrAdditions& additions, Vec3d beyond_level_0,
                               VolumePlace place) noexcept {
  place.axes = additions.axes;
  place.origin = additions.origin + beyond_level_0.x * additions.axes[0] +
                 beyond_level_0.y * additions.axes[1] + beyond_level_0.z * additions.axes[2];
  return place;
}

}  // namespace tilewall::render
