#include <cstdint>
#include <functional>
#include <optional>

#include "player/cli/options/volume_options.hpp"
#include "player/cli/report/reports.hpp"
#include "player/volume/remote/remote_volume.hpp"
#include "render/readers/load_volume.hpp"

namespace tilewall::cli {
namespace {

using VolumeJson = nlohmann::ordered_json;

constexpr std::size_t most_scanned_voxels = std::size_t{1} << 28;

VolumeJson json_of_vec(Vec3d v) { return {v.x, v.y, v.z}; }

VolumeJson json_of_range(render::ValueRange range) {
  if (range.empty()) return nullptr;
  return {range.min, range.max};
}

/// What is known of a timestep's values.
struct ReportedValues {
  render::ValueRange range;
  std::optional<std::int64_t> not_positive;  // empty: unknown
};

ReportedValues scanned(render::VolumeFile& file) {
  const render::ScannedValues found = render::scan_values(file);
  return {found.range, found.not_positive};
}

VolumeJson report_of(const std::string& input, const render::VolumeInfo& info,
                     const std::function<ReportedValues()>& find_values) {
  VolumeJson report = {{"kind", "volume"}, {"file", input}, {"format", info.format}};
  const bool is_resampled = info.stored_size.x > 0;
  const render::VolumeSize stored = is_resampled ? info.stored_size : info.size;
  report["size_voxels"] = {stored.x, stored.y, stored.z};
  if (is_resampled) report["resampled_voxels"] = {info.size.x, info.size.y, info.size.z};
  if (!info.interpretation.empty()) report["axes"] = info.interpretation;
  report["type"] = info.file_type;
  report["components"] = info.components;
  Vec3d spacing = info.place.spacing;  // the mean one of axes that are resampled
  const auto in_file = [](double drawn, int voxels, int levels) {
    return voxels == levels ? drawn : drawn * (voxels - 1) / (levels - 1);
  };
  spacing.x = in_file(spacing.x, info.size.x, stored.x);
  spacing.y = in_file(spacing.y, info.size.y, stored.y);
  spacing.z = in_file(spacing.z, info.size.z, stored.z);
  report["spacing"] = json_of_vec(spacing);
  report["origin"] = json_of_vec(info.place.origin);
  VolumeJson direction = VolumeJson::array();  // three numbers for each of x, y and z
  for (const Vec3d axis : info.place.axes)
    for (const double number : axes_of(axis)) direction.push_back(number);
  report["direction"] = direction;
  if (info.is_anatomical) report["world"] = "right, anterior, superior";
  report["length_unit"] = info.length_unit;
  report["timesteps"] = info.timesteps();
  report["first_time"] = info.time_labels.front();
  report["last_time"] = info.time_labels.back();
  const bool stated = info.timesteps() > 1 && info.value_range;
  if (stated || info.size.voxels() <= most_scanned_voxels) {
    const ReportedValues values =
        stated ? ReportedValues{*info.value_range, std::nullopt} : find_values();
    report["value_range"] = json_of_range(values.range);
    if (values.not_positive) report["values_not_positive"] = *values.not_positive;
    if (info.timesteps() > 1)
      report["value_range_of"] = stated ? "all timesteps, as the file says" : "the first timestep";
  }
  report["value_unit"] = info.value_unit;
  if (info.fill_value) report["fill_value"] = *info.fill_value;
  report["levels"] = info.levels;
  report["level"] = info.level;
  VolumeJson grids = VolumeJson::array();  // sizes of all grids, the finest first
  for (int number = 0; number < info.grids(); ++number) {
    const render::VolumeSize size = number == 0 ? stored : info.grid(number).size;
    grids.push_back({size.x, size.y, size.z});
  }
  report["grids"] = grids;
  report["dataset"] = info.dataset;
  report["datasets"] = info.datasets;
  report["other_files"] = info.other_files;
  report["notes"] = info.notes;
  return report;
}

}  // namespace

render::VolumeOptions reported_part(render::VolumeOptions part) {
  part.first_dataset = true;
  return part;
}

nlohmann::ordered_json series_report(const std::vector<std::string>& inputs,
                                     const render::VolumeOptions& part) {
  render::VolumeOptions options = reported_part(part);
  options.more = later_files(inputs, options);
  render::VolumeFile file = render::VolumeFile::open(inputs.front(), options);
  VolumeJson report = report_of(inputs.front(), file.info(), [&] { return scanned(file); });
  report["last_file"] = inputs.back();
  return report;
}

nlohmann::ordered_json volume_report(const std::string& input, const render::VolumeOptions& part) {
  const render::VolumeOptions options = reported_part(part);
  if (net::is_remote(input)) {
    const volume::RemoteVolume volume(input, {options});
    return report_of(input, volume.info(), [&] {
      const volume::RemoteValues found = volume::remote_values(input, options);
      return ReportedValues{found.range, found.not_positive};
    });
  }
  render::VolumeFile file = render::VolumeFile::open(input, options);
  return report_of(input, file.info(), [&] { return scanned(file); });
}

}  // namespace tilewall::cli
