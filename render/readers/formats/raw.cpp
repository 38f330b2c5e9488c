// Bytes without a header, and a TOML file beside them that says what they are:
//
//   size = [256, 256, 128]      # x, y, z; x fastest
//   type = "u16"                # i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64
//   endian = "little"           # or "big"; needed from 16 bits on
//   spacing = [1.0, 1.0, 2.5]   # and what follows may be left out
//   origin = [0.0, 0.0, 0.0]
//   file = "head.raw"           # or "head-%04d.raw", a timestep each; else the sidecar's name
//   header_bytes = 0
//   components = 1
//   scale = 1.0                 # value = offset + scale * number
//   offset = 0.0
//   fill_value = -9999.0        # what stands for "empty"
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>

#include "render/readers/formats/grid_volume.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sidecar_bytes = 1 << 20;
constexpr std::string_view sidecar_keys[] = {"size",         "type",       "endian",    "spacing",
                                             "origin",       "file",       "scale",     "offset",
                                             "header_bytes", "components", "fill_value"};

class Sidecar {
 public:
  explicit Sidecar(const fs::path& file) : file_(file.string()) {
    const std::string text = read_text_file(file, max_sidecar_bytes);
    try {
      table_ = toml::parse(std::string_view(text), file_);
    } catch (const toml::parse_error& error) {
      throw InputError({file_, static_cast<int>(error.source().begin.line)}, "", "TOML",
                       std::string(error.description()));
    }
    for (const auto& [key, value] : table_) {
      const std::string_view name = key.str();
      if (std::find(std::begin(sidecar_keys), std::end(sidecar_keys), name) ==
          std::end(sidecar_keys))
        throw InputError({file_, static_cast<int>(value.source().begin.line)}, name,
                         fmt::format("a known key, such as {}", nearest_word(name, sidecar_keys)),
                         "another");
    }
  }

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  [[nodiscard]] FieldPlace place(std::string_view key) const {
    const toml::node* node = table_.get(key);
    const std::string line =
        node != nullptr ? fmt::format(":{}", node->source().begin.line) : std::string();
    return {file_ + line, std::string(key)};
  }

  template <typename Number>
  [[nodiscard]] std::array<Number, 3> three(std::string_view key,
                                            std::array<Number, 3> standard) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return standard;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() != 3)
      place(key).refuse("three numbers", "something else");
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = array->get(i)->value<Number>();
      if (!number) place(key).refuse("three numbers", "something else");
      standard[i] = *number;
    }
    return standard;
  }

  template <typename Value>
  [[nodiscard]] std::optional<Value> value(std::string_view key, std::string_view expected) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<Value>();
    if (!value) place(key).refuse(expected, "something else");
    return value;
  }

 private:
  std::string file_;
  toml::table table_;
};

GridFormat format_of(const Sidecar& sidecar) {
  GridFormat format;
  const auto type = sidecar.value<std::string>("type", "a text");
  const auto element = element_of(type.value_or(""));
  if (!element)
    sidecar.place("type").refuse("one of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64",
                                 type ? in_quotes(*type) : "nothing");
  format.element = *element;
  const auto endian = sidecar.value<std::string>("endian", "\"little\" or \"big\"");
  if (endian ? *endian != "little" && *endian != "big" : bytes_of(*element) > 1)
    sidecar.place("endian").refuse("\"little\" or \"big\"",
                                   endian ? in_quotes(*endian) : "nothing");
  format.swapped = endian == "big";
  format.rules.slope = sidecar.value<double>("scale", "a number").value_or(1);
  format.rules.intercept = sidecar.value<double>("offset", "a number").value_or(0);
  if (const auto fill = sidecar.value<double>("fill_value", "a number"))
    format.rules.fills.push_back(*fill);
  return format;
}

// The data files, one a timestep.
std::vector<SeriesStep> raw_files(const fs::path& sidecar, const Sidecar& fields) {
  const auto name = fields.value<std::string>("file", "a file's name");
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
  if (found.empty()) fields.place("file").refuse("numbered files of this pattern", "none");
  std::vector<SeriesStep> steps;
  for (const auto& [number, file] : found)
    steps.push_back({file, static_cast<double>(number), fmt::format("{}", number)});
  return steps;
}

}  // namespace

VolumeSourcePtr open_raw_volume(const fs::path& sidecar) {
  const Sidecar fields(sidecar);
  VolumeInfo info;
  info.format = "raw";
  if (!fields.has("size")) fields.place("size").refuse("three numbers", "nothing");
  const VolumeSize size =
      checked_size(fields.three<std::int64_t>("size", {}), fields.place("size"));
  const GridFormat format = format_of(fields);
  for (const double side : fields.three<double>("spacing", {1, 1, 1}))
    checked_spacing(side, fields.place("spacing"));
  info.place.spacing = vec3d(fields.three<double>("spacing", {1, 1, 1}));
  info.place.origin = vec3d(fields.three<double>("origin", {0, 0, 0}));
  std::vector<FileAxis> axes = xyz_axes(size);
  const auto components = fields.value<std::int64_t>("components", "a number").value_or(1);
  if (components != 1) axes.insert(axes.begin(), {AxisRole::component, components});
  const auto header = fields.value<std::int64_t>("header_bytes", "a number").value_or(0);
  if (header < 0) fields.place("header_bytes").refuse("0 or more", fmt::format("{}", header));

  const std::uint64_t step_bytes = grid_bytes(axes, format.element, fields.place("size"));
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
                                      VolumeOptions{}, fields.place("size"));
}

}  // namespace tilewall
