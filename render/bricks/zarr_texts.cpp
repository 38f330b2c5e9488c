#include "render/bricks/zarr_texts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_text.hpp"

namespace tilewall::render {
namespace {

using Texts = nlohmann::ordered_json;

constexpr std::size_t most_listed_times = 100'000;  // readers limit the size of .zattrs

const char* dtype_of(VoxelType type) {
  switch (type) {
    case VoxelType::u8:
      return "|u1";
    case VoxelType::u16:
      return "<u2";
    default:
      return "<f4";
  }
}

/// OME-Zarr's name of a unit of length; "" if it has none.
std::string ome_unit(const std::string& unit) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"m", "meter"},           {"cm", "centimeter"},      {"mm", "millimeter"},
      {"um", "micrometer"},     {"\u00b5m", "micrometer"}, {"\u03bcm", "micrometer"},
      {"micron", "micrometer"}, {"nm", "nanometer"},       {"km", "kilometer"},
      {"pc", "parsec"},         {"angstrom", "angstrom"}};
  for (const auto& [ours, theirs] : names)
    if (unit == ours || unit == theirs) return std::string(theirs);
  return "";
}

Texts json_of_three(Vec3d v) { return {v.x, v.y, v.z}; }

/// Whether times are start + i * step to the last bit, as readers compute them.
struct EvenTimes {
  bool even = false;
  double start = 0;
  double step = 1;
};

EvenTimes even_times(const std::vector<double>& times) {
  if (times.size() < 2) return {};
  const EvenTimes found = {true, times[0], times[1] - times[0]};
  if (!(found.step > 0) || !std::isfinite(found.start)) return {};
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] != found.start + found.step * static_cast<double>(i)) return {};
  return found;
}

/// Whether the labels are those that readers make of even times by themselves.
bool plain_labels(const VolumeInfo& volume) {
  for (std::size_t i = 0; i < volume.times.size(); ++i)
    if (volume.time_labels[i] != fmt::format("{:.6g}", volume.times[i])) return false;
  return true;
}

Texts axes_text(const VolumeInfo& volume) {
  Texts axes = Texts::array();
  if (volume.timesteps() > 1) axes.push_back({{"name", "t"}, {"type", "time"}});
  for (const char* name : {"z", "y", "x"}) {
    axes.push_back({{"name", name}, {"type", "space"}});
    if (const std::string unit = ome_unit(volume.length_unit); !unit.empty())
      axes.back()["unit"] = unit;
  }
  return axes;
}

/// A level's path and coordinates. OME-Zarr has no directions, so coordinates count along the
/// volume's own axes.
Texts dataset_text(const BrickLevel& level, std::size_t number, const VolumeInfo& volume,
                   const EvenTimes& times) {
  Texts scale = Texts::array();
  Texts translation = Texts::array();
  if (volume.timesteps() > 1) {
    scale.push_back(times.step);
    translation.push_back(times.start);
  }
  const auto spacing = axes_of(level.place.spacing);
  for (const std::size_t axis : {2u, 1u, 0u}) {
    scale.push_back(spacing[axis]);
    translation.push_back(dot(level.place.origin, level.place.axes[axis]));
  }
  Texts steps = Texts::array();
  steps.push_back({{"type", "scale"}, {"scale", scale}});
  steps.push_back({{"type", "translation"}, {"translation", translation}});
  return {{"path", fmt::format("{}", number)}, {"coordinateTransformations", steps}};
}

Texts additions_text(const VolumeInfo& volume, const EvenTimes& times, ValueRange range) {
  Texts text = {{"version", 1},
                {"scale", volume.scale.scale},
                {"offset", volume.scale.offset},
                {"value_unit", volume.value_unit},
                {"length_unit", volume.length_unit},
                {"origin", json_of_three(volume.place.origin)}};
  text["axes"] = Texts::array();
  for (const Vec3d axis : volume.place.axes) text["axes"].push_back(json_of_three(axis));
  if (volume.is_anatomical) text["world"] = "ras";
  if (volume.axis_scales != VolumeInfo().axis_scales)
    for (const AxisScale& scale : volume.axis_scales)
      text["axis_scales"].push_back({{"unit", scale.unit}, {"factor", scale.factor}});
  if (!range.empty()) text["value_range"] = {range.min, range.max};
  const bool named = volume.timesteps() > 1
                         ? !times.even || !plain_labels(volume)
                         : volume.times[0] != 0 || !volume.time_labels[0].empty();
  if (!named || volume.times.size() > most_listed_times) return text;
  text["times"] = Texts::array();
  for (std::size_t i = 0; i < volume.times.size(); ++i)
    text["times"].push_back(std::isfinite(volume.times[i]) ? volume.times[i]
                                                           : static_cast<double>(i));
  text["time_labels"] = volume.time_labels;
  return text;
}

std::string as_text(const Texts& json) { return json_text(json, 2) + "\n"; }

}  // namespace

std::string zgroup_text() { return as_text({{"zarr_format", 2}}); }

std::string zarray_text(const BrickLayout& layout, std::size_t level, int timesteps,
                        BrickCodec codec) {
  const VolumeSize size = layout.levels[level].size;
  Texts shape = Texts::array();
  Texts chunks = Texts::array();
  if (timesteps > 1) {
    shape.push_back(timesteps);
    chunks.push_back(1);
  }
  for (const int voxels : {size.z, size.y, size.x}) {
    shape.push_back(voxels);
    chunks.push_back(layout.side);
  }
  Texts fill = 0;
  if (layout.type == VoxelType::f32) fill = "NaN";
  return as_text({{"zarr_format", 2},
                  {"shape", shape},
                  {"chunks", chunks},
                  {"dtype", dtype_of(layout.type)},
                  {"compressor", zarr_compressor(codec, layout.type)},
                  {"fill_value", fill},
                  {"order", "C"},
                  {"filters", nullptr},
                  {"dimension_separator", "/"}});
}

std::string zattrs_text(const VolumeInfo& volume, const BrickLayout& layout, ValueRange range) {
  const EvenTimes times = even_times(volume.times);
  Texts datasets = Texts::array();
  for (std::size_t level = 0; level < layout.levels.size(); ++level)
    datasets.push_back(dataset_text(layout.levels[level], level, volume, times));
  Texts image = {{"version", "0.4"}};
  if (!volume.dataset.empty()) image["name"] = volume.dataset;
  image["axes"] = axes_text(volume);
  image["datasets"] = datasets;
  image["type"] = "mean";
  Texts text;
  text["multiscales"] = Texts::array({image});
  text["tilewall"] = additions_text(volume, times, range);
  return as_text(text);
}

}  // namespace tilewall::render
