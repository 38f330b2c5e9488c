// Describes the contents of a volume file, and the options for reading it; both convert to and from
// JSON.
//
// Index order is (x, y, z), x fastest. A voxel without a value (a fill value, NaN, an infinity) is
// empty, which is NaN in f32. Whole numbers of up to 16 bits stay whole (i16 becomes u16 with an
// offset in `scale`) unless some of them mean "empty"; all others become f32.
//
// Plain data; no threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Most voxels along an axis of a file. A Volume in memory has fewer (max_volume_side).
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

/// One level of a volume: its voxels and their place.
struct VolumeGrid {
  VolumeSize size;
  VolumePlace place;
  /// Sides of the file's chunks in voxels. Boxes that begin and end at multiples are read fastest.
  std::array<int, 3> chunk = {1, 1, 1};
};

/// The file's own coordinates along x, y or z, where they are not those of the place.
struct AxisScale {
  std::string unit;   ///< "" = that of the place
  double factor = 1;  ///< coordinate = factor * place; 0: they are not in proportion
  bool operator==(const AxisScale&) const = default;
};

/// How an axis whose coordinates are unevenly spaced is drawn.
enum class LevelSpacing : std::uint8_t {
  even,   ///< resampled, in proportion to its coordinates
  index,  ///< as it is stored: each level as thick as the next
  log     ///< resampled; the vertical axis in proportion to the logarithm of its coordinates
};
inline constexpr std::size_t most_fixed_axes = 8;
inline constexpr std::size_t longest_axis_name = 256;  ///< bytes
inline constexpr std::string_view level_spacing_names[] = {"even", "index", "log"};

struct VolumeOptions {
  std::string dataset;         ///< name of dataset, variable, array or field; "" = the only one
  bool first_dataset = false;  ///< whether to choose the first of several instead of refusing
  int component = -1;          ///< component of a vector; -1: its length (OME-Zarr: channel 0)
  int level = -1;              ///< level of the file; -1: level 0 (AMReX: the finest that fits)
  /// Files that follow the path as one series, in this order, a timestep each. Relative names count
  /// from the path's folder.
  std::vector<std::string> more{};
  std::map<std::string, int> fixed{};  ///< axes of the file, by name, of which one index is read
  LevelSpacing levels = LevelSpacing::even;
  bool operator==(const VolumeOptions&) const = default;
};

struct VolumeInfo {
  std::string format;                 ///< "NRRD"
  std::string dataset;                ///< name of the dataset that is read; "" if it has none
  std::vector<std::string> datasets;  ///< names for VolumeOptions::dataset; empty without names
  VolumeSize size;        ///< size of the finest grid: 1 to max_file_side along each axis
  std::string file_type;  ///< type of the file's numbers: "i16", "f64"
  int components = 1;     ///< numbers per voxel in the file; readers return one
  /// How the file's axes are read, slowest first: "time, z = lev (positive down), y = lat". "" = as
  /// the format says.
  std::string interpretation;
  /// Size before uneven axes were resampled; {0, 0, 0} if none was.
  VolumeSize stored_size;
  VoxelType type = VoxelType::f32;  ///< type of the voxels that readers return
  ValueScale scale;                 ///< value = offset + scale * voxel
  VolumePlace place;                ///< place of the finest grid
  /// Whether x, y and z of the world are a patient's right, front and top (RAS).
  bool is_anatomical = false;
  std::string length_unit;                ///< unit of the place; "" = unknown
  std::array<AxisScale, 3> axis_scales;   ///< Scales of x, y and z
  std::string value_unit;                 ///< unit of the values; "" = unknown
  std::optional<ValueRange> value_range;  ///< over all timesteps; empty if not in the file
  std::optional<double> fill_value;       ///< number in the file that means "empty"
  int levels = 1;                         ///< number of the file's levels
  int level = 0;                          ///< level of the file that is the finest grid here
  int slab_voxels = 1;  ///< chunk side along z; slabs of its multiples are read fastest
  std::array<int, 2> tile_voxels = {};  ///< chunk sides along x and y; 0: the whole side
  /// Coarser grids of the same volume in descending size, if the file has them; same type and
  /// scale.
  std::vector<VolumeGrid> coarser;
  std::vector<double> times;             ///< one per timestep, in the file's unit; at least one
  std::vector<std::string> time_labels;  ///< text for people, one per timestep
  std::string time_unit;                 ///< unit of the times; "" = unknown
  std::vector<std::string> notes;        ///< assumptions that were made, a sentence each
  /// Other files that were read to open it, as its headers name them: the first hundred.
  std::vector<std::string> other_files;

  [[nodiscard]] int timesteps() const noexcept { return static_cast<int>(times.size()); }
  [[nodiscard]] int grids() const noexcept { return static_cast<int>(coarser.size()) + 1; }
  /// Grid 0 is the finest, with `size` and `place`; the coarser ones follow.
  /// @pre 0 <= number < grids()
  [[nodiscard]] VolumeGrid grid(int number) const;
};

[[nodiscard]] nlohmann::json to_json(const VolumeInfo& info);
/// Throws InputError with `file` if a field is missing or out of range. Every field is checked,
/// because a hostile file may have taken over the reader process that sent it.
[[nodiscard]] VolumeInfo volume_info_from_json(const nlohmann::json& json, const std::string& file);

[[nodiscard]] nlohmann::json to_json(const VolumeOptions& options);
/// Throws nlohmann::json::exception for a missing field.
[[nodiscard]] VolumeOptions volume_options_from_json(const nlohmann::json& json);

}  // namespace tilewall::render
