#include "render/readers/volume_info.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_timesteps = 10'000'000;
constexpr std::size_t max_grids = 64;

Json json_of(Vec3d v) { return {v.x, v.y, v.z}; }

// NaN and infinities come as null, as JSON cannot express them; get() throws for these.
double number_of(const Json& json) {
  const double number = json.get<double>();
  if (!std::isfinite(number)) throw InputError("a number that is not finite");
  return number;
}

Vec3d vec_of(const Json& json) {
  return {number_of(json.at(0)), number_of(json.at(1)), number_of(json.at(2))};
}

VolumeSize size_of(const Json& json) {
  const VolumeSize size = {json.at(0).get<int>(), json.at(1).get<int>(), json.at(2).get<int>()};
  for (const int side : {size.x, size.y, size.z})
    if (side < 1 || side > max_file_side) throw InputError("a size out of range");
  return size;
}

VoxelType type_of(const std::string& word) {
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32})
    if (word == name_of(type)) return type;
  throw InputError("an unknown voxel type");
}

int within(const Json& json, int least, int most) {
  const int number = json.get<int>();
  if (number < least || number > most) throw InputError("a count out of range");
  return number;
}

Json json_of(const VolumePlace& place) {
  Json axes = Json::array();
  for (const Vec3d axis : place.axes) axes.push_back(json_of(axis));
  return {{"spacing", json_of(place.spacing)}, {"origin", json_of(place.origin)}, {"axes", axes}};
}

VolumePlace place_of(const Json& json) {
  VolumePlace place = {vec_of(json.at("spacing")), vec_of(json.at("origin")), {}};
  for (std::size_t i = 0; i < 3; ++i) place.axes[i] = vec_of(json.at("axes").at(i));
  for (const double side : axes_of(place.spacing))
    if (!(side > 0)) throw InputError("a spacing that is not above 0");
  return place;
}

Json json_of(const VolumeGrid& grid) {
  return {{"size", {grid.size.x, grid.size.y, grid.size.z}},
          {"place", json_of(grid.place)},
          {"chunk", grid.chunk}};
}

/// Throws unless the grid is at most as fine as the next finer one, of size `above`.
VolumeGrid grid_of(const Json& json, const VolumeSize& above) {
  VolumeGrid grid = {size_of(json.at("size")), place_of(json.at("place")), {}};
  if (grid.size.x > above.x || grid.size.y > above.y || grid.size.z > above.z)
    throw InputError("a coarser grid with more voxels");
  for (std::size_t i = 0; i < 3; ++i)
    grid.chunk[i] = within(json.at("chunk").at(i), 1, max_file_side);
  return grid;
}

VolumeInfo parsed(const Json& json) {
  VolumeInfo info;
  info.format = json.at("format").get<std::string>();
  info.dataset = json.at("dataset").get<std::string>();
  info.datasets = json.at("datasets").get<std::vector<std::string>>();
  info.size = size_of(json.at("size"));
  info.file_type = json.at("file_type").get<std::string>();
  info.components = within(json.at("components"), 1, max_file_side);
  info.interpretation = json.value("interpretation", "");
  if (json.contains("stored_size")) info.stored_size = size_of(json.at("stored_size"));
  info.is_anatomical = json.value("is_anatomical", false);
  info.type = type_of(json.at("type").get<std::string>());
  info.scale = {number_of(json.at("scale")), number_of(json.at("offset"))};
  if (!(info.scale.scale > 0)) throw InputError("a scale that is not above 0");
  info.place = place_of(json.at("place"));
  info.length_unit = json.at("length_unit").get<std::string>();
  for (std::size_t i = 0; i < 3 && json.contains("axis_scales"); ++i) {
    const Json& scale = json.at("axis_scales").at(i);
    info.axis_scales[i] = {scale.at(0).get<std::string>(), number_of(scale.at(1))};
  }
  info.value_unit = json.at("value_unit").get<std::string>();
  if (json.contains("value_range"))
    info.value_range = {{json.at("value_range").at(0), json.at("value_range").at(1)}};
  if (json.contains("fill_value")) info.fill_value = number_of(json.at("fill_value"));
  info.levels = within(json.at("levels"), 1, 1000);
  info.level = within(json.at("level"), 0, info.levels - 1);
  info.slab_voxels = within(json.at("slab_voxels"), 1, max_file_side);
  for (std::size_t i = 0; i < 2; ++i)
    info.tile_voxels[i] = within(json.at("tile_voxels").at(i), 0, max_file_side);
  if (json.at("coarser").size() > max_grids) throw InputError("too many coarser grids");
  for (const Json& grid : json.at("coarser"))
    info.coarser.push_back(
        grid_of(grid, info.coarser.empty() ? info.size : info.coarser.back().size));
  info.times = json.at("times").get<std::vector<double>>();
  info.time_labels = json.at("time_labels").get<std::vector<std::string>>();
  if (info.times.empty() || info.times.size() > max_timesteps ||
      info.time_labels.size() != info.times.size())
    throw InputError("no timesteps, too many, or labels that do not match them");
  info.time_unit = json.value("time_unit", "");
  info.notes = json.at("notes").get<std::vector<std::string>>();
  info.other_files = json.at("other_files").get<std::vector<std::string>>();
  return info;
}

}  // namespace

VolumeGrid VolumeInfo::grid(int number) const {
  if (number > 0) return coarser.at(static_cast<std::size_t>(number) - 1);
  return {size,
          place,
          {tile_voxels[0] > 0 ? tile_voxels[0] : size.x,
           tile_voxels[1] > 0 ? tile_voxels[1] : size.y, slab_voxels}};
}

nlohmann::json to_json(const VolumeInfo& info) {
  Json json = {{"format", info.format},           {"dataset", info.dataset},
               {"datasets", info.datasets},       {"size", {info.size.x, info.size.y, info.size.z}},
               {"file_type", info.file_type},     {"components", info.components},
               {"type", name_of(info.type)},      {"scale", info.scale.scale},
               {"offset", info.scale.offset},     {"place", json_of(info.place)},
               {"length_unit", info.length_unit}, {"value_unit", info.value_unit},
               {"levels", info.levels},           {"level", info.level},
               {"slab_voxels", info.slab_voxels}, {"times", info.times},
               {"time_labels", info.time_labels}, {"notes", info.notes}};
  json["tile_voxels"] = info.tile_voxels;
  json["axis_scales"] = Json::array();
  for (const AxisScale& scale : info.axis_scales)
    json["axis_scales"].push_back({scale.unit, scale.factor});
  json["other_files"] = info.other_files;
  json["coarser"] = Json::array();
  for (const VolumeGrid& grid : info.coarser) json["coarser"].push_back(json_of(grid));
  if (info.value_range) json["value_range"] = {info.value_range->min, info.value_range->max};
  json["interpretation"] = info.interpretation;
  json["time_unit"] = info.time_unit;
  json["is_anatomical"] = info.is_anatomical;
  if (info.stored_size.x > 0)
    json["stored_size"] = {info.stored_size.x, info.stored_size.y, info.stored_size.z};
  if (info.fill_value && std::isfinite(*info.fill_value)) json["fill_value"] = *info.fill_value;
  return json;
}

VolumeInfo volume_info_from_json(const nlohmann::json& json, const std::string& file) {
  try {
    return parsed(json);
  } catch (const std::exception& error) {  // InputError and the JSON library's exceptions
    throw InputError({file}, "", "a volume",
                     std::string("an invalid answer of its reader: ") + error.what());
  }
}

nlohmann::json to_json(const VolumeOptions& options) {
  nlohmann::json json = {{"dataset", options.dataset},
                         {"first_dataset", options.first_dataset},
                         {"component", options.component},
                         {"level", options.level}};
  if (!options.more.empty()) json["more"] = options.more;
  if (!options.fixed.empty()) json["fixed"] = options.fixed;
  if (options.levels != LevelSpacing::even)
    json["levels"] = level_spacing_names[static_cast<std::size_t>(options.levels)];
  return json;
}

VolumeOptions volume_options_from_json(const nlohmann::json& json) {
  VolumeOptions options = {json.at("dataset").get<std::string>(),
                           json.at("first_dataset").get<bool>(), json.at("component").get<int>(),
                           json.at("level").get<int>(),
                           json.value("more", std::vector<std::string>())};
  options.fixed = json.value("fixed", std::map<std::string, int>());
  const auto levels = json.value("levels", std::string(level_spacing_names[0]));
  for (std::size_t i = 0; i < std::size(level_spacing_names); ++i)
    if (levels == level_spacing_names[i]) options.levels = static_cast<LevelSpacing>(i);
  return options;
}

}  // namespace tilewall::render
