// What a volume file holds, and what one asks of it.
//
// Index order is (x, y, z), x fastest. A voxel without a value (a fill value, NaN, an infinity) is
// empty: NaN among f32 voxels. Whole numbers of up to 16 bits stay whole (i16 as u16, with an
// offset in `scale`) unless some of them mean "empty"; everything else comes as f32.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall {

/// In voxels along an axis of a file; a Volume in memory has fewer (max_volume_side).
inline constexpr int max_file_side = 1 << 20;

struct VolumeOptions {
  std::string dataset;         ///< dataset, variable, array or component by name; "" = the only one
  bool first_dataset = false;  ///< where several could be meant, the first instead of a refusal
  int component = -1;  ///< of a vector, from 0; -1: its magnitude (of OME-Zarr: the first channel)
  int level = -1;      ///< of a file with levels; -1: the finest that fits
};

struct VolumeInfo {
  std::string format;                 ///< "NRRD"
  std::string dataset;                ///< what is read; "" where files of the format hold but one
  std::vector<std::string> datasets;  ///< all that could be asked for
  VolumeSize size;                    ///< 1 to max_file_side along each axis
  std::string file_type;              ///< "i16", "f64"
  int components = 1;                 ///< of a voxel in the file; read() gives one number
  VoxelType type = VoxelType::f32;    ///< what read() gives
  ValueScale scale;                   ///< what those numbers mean
  VolumePlace place;
  std::string length_unit;  ///< of the place; "" = unknown
  std::string value_unit;
  std::optional<ValueRange> value_range;  ///< as the file says, where it does
  std::optional<double> fill_value;       ///< what stands for "empty" in the file
  int levels = 1;
  int level = 0;
  int slab_voxels = 1;  ///< slabs of a multiple of this thickness, from 0 on, are read fastest
  std::vector<double> times;  ///< of each timestep, in a unit of the file's; at least one
  std::vector<std::string> time_labels;  ///< for people, one a timestep
  std::vector<std::string> notes;        ///< what was assumed, a sentence each

  [[nodiscard]] int timesteps() const noexcept { return static_cast<int>(times.size()); }
};

[[nodiscard]] nlohmann::json to_json(const VolumeInfo& info);
/// Throws InputError naming `file` where a field is missing or beyond all reason: what comes from
/// a reader that had a hostile file in hand is not believed.
[[nodiscard]] VolumeInfo volume_info_from_json(const nlohmann::json& json, const std::string& file);

[[nodiscard]] nlohmann::json to_json(const VolumeOptions& options);
[[nodiscard]] VolumeOptions volume_options_from_json(const nlohmann::json& json);

}  // namespace tilewall
