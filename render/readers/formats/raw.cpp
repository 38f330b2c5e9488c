// Reads raw volumes: bytes without a header, described by a TOML file beside them, the sidecar:
//
//   size = [256, 256, 128]      # x, y, z; x fastest
//   type = "u16"                # i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
//   endian = "little"           # or "big"; needed from 16 bits on
//   spacing = [1.0, 1.0, 2.5]   # this and all below are optional
//   origin = [0.0, 0.0, 0.0]
//   file = "head.raw"           # or "head-%04d.raw", a timestep each; default: the sidecar's name
//   header_bytes = 0
//   components = 1
//   scale = 1.0                 # value = offset + scale * number
//   offset = 0.0
//   fill_value = -9999.0        # number that means "empty"
#include <fmt/format.h>

#include <limits>
#include <map>

#include "render/readers/formats/file_root.hpp"
#include "render/readers/formats/grid_volume.hpp"
#include "sync/base/numbered_names.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sidecar_bytes = 1 << 20;
constexpr wall::IntegerRange side_range = {1, max_file_side};
constexpr wall::IntegerRange header_range = {0, std::numeric_limits<std::int64_t>::max()};
constexpr std::string_view sidecar_keys[] = {"size",         "type",       "endian",    "spacing",
                                             "origin",       "file",       "scale",     "offset",
                                             "header_bytes", "components", "fill_value"};

/// Returns a field's place with its line, for messages; without a line if the field is absent.
FieldPlace place_of(const wall::TomlSection& sidecar, std::string_view key) {
  const std::string line =
      sidecar.has(key) ? fmt::format(":{}", sidecar.line_of(key)) : std::string();
  return {sidecar.file() + line, std::string(key)};
}

VolumeSize size_of(const wall::TomlSection& sidecar) {
  const auto size = sidecar.integers("size", 3, side_range);
  if (!size) place_of(sidecar, "size").refuse("three numbers", "nothing");
  return checked_size({(*size)[0], (*size)[1], (*size)[2]}, place_of(sidecar, "size"));
}

std::array<double, 3> three_numbers(const wall::TomlSection& sidecar, std::string_view key,
                                    double standard) {
  const auto found = sidecar.any_numbers(key, 3);
  if (!found) return {standard, standard, standard};
  return {(*found)[0], (*found)[1], (*found)[2]};
}

GridFormat format_of(const wall::TomlSection& sidecar) {
  GridFormat format;
  const auto type = sidecar.any_text("type");
  const auto element = element_of(type.value_or(""));
  if (!element)
    place_of(sidecar, "type")
        .refuse("one of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64",
                type ? in_quotes(*type) : "nothing");
  format.element = *element;
  const auto endian = sidecar.any_text("endian");
  if (endian ? *endian != "little" && *endian != "big" : bytes_of(*element) > 1)
    place_of(sidecar, "endian")
        .refuse("\"little\" or \"big\"", endian ? in_quotes(*endian) : "nothing");
  format.swapped = endian == "big";
  format.rules.slope = sidecar.any_number("scale").value_or(1);
  format.rules.intercept = sidecar.any_number("offset").value_or(0);
  if (const auto fill = sidecar.any_number("fill_value")) format.rules.fills.push_back(*fill);
  return format;
}

// Returns the data files, one per timestep.
std::vector<SeriesStep> raw_files(const fs::path& sidecar, const wall::TomlSection& fields) {
  const auto name = fields.any_text("file");
  fs::path data = sidecar;
  if (data.extension() == ".toml") data.replace_extension();
  if (data.extension() != ".raw") data += ".raw";
  if (name) data = sidecar.parent_path() / *name;
  const auto pattern = parse_numbered_pattern(data);
  if (!pattern) return {{data, 0, ""}};
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  const fs::path folder = pattern->folder.empty() ? fs::path(".") : pattern->folder;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const auto number = number_in(*pattern, it->path().filename().string()))
      found.emplace(*number, it->path());
  if (found.empty()) place_of(fields, "file").refuse("numbered files of this pattern", "none");
  std::vector<SeriesStep> steps;
  steps.reserve(found.size());
  for (const auto& [number, file] : found)
    steps.push_back({file, static_cast<double>(number), fmt::format("{}", number)});
  return steps;
}

}  // namespace

VolumeSourcePtr open_raw_volume(const fs::path& sidecar) {
  const wall::TomlFile file(sidecar.string(),
                            FileRoot::of_process().read_text(sidecar, max_sidecar_bytes),
                            max_sidecar_bytes);
  const wall::TomlSection fields = file.root(sidecar_keys);
  VolumeInfo info;
  info.format = "raw";
  const VolumeSize size = size_of(fields);
  const GridFormat format = format_of(fields);
  for (const double side : three_numbers(fields, "spacing", 1))
    checked_spacing(side, place_of(fields, "spacing"));
  info.place.spacing = vec3d(three_numbers(fields, "spacing", 1));
  info.place.origin = vec3d(three_numbers(fields, "origin", 0));
  std::vector<FileAxis> axes = xyz_axes(size);
  const auto components = fields.integer("components", side_range).value_or(1);
  if (components != 1) axes.insert(axes.begin(), {AxisRole::component, components});
  const auto header = fields.integer("header_bytes", header_range).value_or(0);

  const std::uint64_t step_bytes = grid_bytes(axes, format.element, place_of(fields, "size"));
  const auto offset = static_cast<std::uint64_t>(header);
  std::vector<SeriesStep> steps = raw_files(sidecar, fields);
  for (const SeriesStep& step : steps) {
    const std::uint64_t held = *FileBytes(step.file, offset).size();
    if (held != step_bytes)
      throw InputError({step.file.string()}, "data",
                       fmt::format("{} bytes after {}, as {} says", step_bytes, header,
                                   sidecar.filename().string()),
                       fmt::format("{} bytes", held));
    info.times.push_back(step.time);
    info.time_labels.push_back(step.label);
  }
  axes.push_back({AxisRole::timestep, static_cast<std::int64_t>(steps.size())});
  auto bytes = std::make_unique<ChainedBytes>(step_bytes, [steps, offset](std::size_t part) {
    return std::make_unique<FileBytes>(steps.at(part).file, offset);
  });
  return std::make_unique<GridVolume>(std::move(info), axes, format, std::move(bytes),
                                      VolumeOptions{}, place_of(fields, "size"));
}

}  // namespace tilewall::render
