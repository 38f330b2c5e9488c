// What a volume file holds, and what one asks of it.
//
// Index order is (x, y, z), x fastest. A voxel without a value (a fill value, NaN, an infinity) is
// empty: NaN among f32 voxels. Whole numbers of up to 16 bits stay whole (i16 as u16, with an
// offset in `scale`) unless some of them mean "empty"; everything else comes as f32.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// In voxels along an axis of a file; a Volume in memory has fewer (max_volume_side).
inline constexpr int max_file_side = 1 << 20;

/// Voxels [begin, end) of a grid along x, y and z.
struct GridBox {
  std::array<int, 3> begin = {};
  std::array<int, 3> end = {};
  bool operator==(const GridBox&) const = default;
  [[nodiscard]] VolumeSize size() const noexcept {
    return {end[0] - begin[0], end[1] - begin[1], end[2] - begin[2]};
  }
  [[nodiscard]] bool contains(const GridBox& other) const noexcept {
    for (std::size_t i = 0; i < 3; ++i)
      if (other.begin[i] < begin[i] || other.end[i] > end[i]) return false;
    return true;
  }
};
[[nodiscard]] inline GridBox whole_box(VolumeSize size) noexcept {
  return {{}, {size.x, size.y, size.z}};
}

/// One fineness of a volume.
struct VolumeGrid {
  VolumeSize size;
  VolumePlace place;
  /// Boxes of a multiple of these sides, from 0 on, are read fastest.
  std::array<int, 3> chunk = {1, 1, 1};
};

struct VolumeOptions {
  std::string dataset;         ///< dataset, variable, array or component by name; "" = the only one
  bool first_dataset = false;  ///< where several could be meant, the first instead of a refusal
  int component = -1;  ///< of a vector, from 0; -1: its magnitude (of OME-Zarr: the first channel)
  int level = -1;      ///< of a file with levels; -1: the finest that fits
  /// Files that follow the path as one series, in that order, a timestep each; as seen from the
  /// path's folder.
  std::vector<std::string> more{};
  bool operator==(const VolumeOptions&) const = default;
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
  std::optional<ValueRange> value_range;  ///< of all timesteps, as the file says, where it does
  std::optional<double> fill_value;       ///< what stands for "empty" in the file
  int levels = 1;
  int level = 0;
  int slab_voxels = 1;  ///< slabs of a multiple of this thickness, from 0 on, are read fastest
  std::array<int, 2> tile_voxels = {};  ///< the same of x and y; 0: all of a row, or of a slice
  /// The same volume with fewer and fewer voxels, where the file has it so; same type and scale.
  std::vector<VolumeGrid> coarser;
  std::vector<double> times;  ///< of each timestep, in a unit of the file's; at least one
  std::vector<std::string> time_labels;  ///< for people, one a timestep
  std::vector<std::string> notes;        ///< what was assumed, a sentence each

  [[nodiscard]] int timesteps() const noexcept { return static_cast<int>(times.size()); }
  [[nodiscard]] int grids() const noexcept { return static_cast<int>(coarser.size()) + 1; }
  /// 0: that of `size` and `place`; then the coarser ones. @pre 0 <= number < grids()
  [[nodiscard]] VolumeGrid grid(int number) const;
};

[[nodiscard]] nlohmann::json to_json(const VolumeInfo& info);
/// Throws InputError naming `file` where a field is missing or beyond all reason: what comes from
/// a reader that had a hostile file in hand is not believed.
[[nodiscard]] VolumeInfo volume_info_from_json(const nlohmann::json& json, const std::string& file);

[[nodiscard]] nlohmann::json to_json(const VolumeOptions& options);
[[nodiscard]] VolumeOptions volume_options_from_json(const nlohmann::json& json);

}  // namespace tilewall::render
