// Reads the description of an OME-Zarr 0.4 image (ngff.openmicroscopy.org/0.4): axes and levels
// from its .zattrs, and what `tilewall brick` adds there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

/// Facts about a volume that `tilewall brick` writes to .zattrs because OME-Zarr 0.4 has no fields
/// for them. render/bricks/README.md lists the keys.
struct ZarrAdditions {
  ValueScale scale;
  std::string value_unit;
  std::optional<ValueRange> value_range;
  std::string length_unit;
  std::array<AxisScale, 3> axis_scales;
  bool is_anatomical = false;  ///< as in VolumeInfo
  Vec3d origin;                ///< place of level 0's first voxel
  std::array<Vec3d, 3> axes = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};  ///< unit vectors
  std::vector<double> times;             ///< one per timestep; empty: by the t axis
  std::vector<std::string> time_labels;  ///< one per time
};

/// Reads them from a folder's attributes; empty if `tilewall brick` did not write these. Throws
/// InputError with `file` for a wrong field.
[[nodiscard]] std::optional<ZarrAdditions> read_zarr_additions(const nlohmann::json& attributes,
                                                               const std::string& file);

/// Sets units, range and times of `info`; places are set by place_by_additions().
void apply_zarr_additions(const ZarrAdditions& additions, VolumeInfo& info);

/// Returns `place` with the origin and directions of the additions. `beyond_level_0` is the
/// distance of the level's first voxel from that of level 0, along the volume's axes.
[[nodiscard]] VolumePlace place_by_additions(const ZarrAdditions& additions, Vec3d beyond_level_0,
                                             VolumePlace place) noexcept;

/// Role of an axis: time, channel or space.
enum class ZarrRole : std::uint8_t { t, c, z, y, x };

/// A level's array and its coordinateTransformations.
struct ZarrLevel {
  std::string path;                 ///< path of the array below the image's folder
  std::vector<double> scale;        ///< spacing along each axis
  std::vector<double> translation;  ///< place of the first voxel along each axis
};

struct ZarrImage {
  std::filesystem::path folder;
  std::string name;                        ///< "" if it has none
  std::vector<ZarrRole> roles;             ///< role of each axis, in the arrays' order
  std::vector<std::string> units;          ///< unit of each axis; "" = unknown
  std::vector<ZarrLevel> levels;           ///< finest first
  std::optional<ZarrAdditions> additions;  ///< empty if `tilewall brick` did not write it
};

/// Reads the image in `folder`: OME-Zarr, or a plain array of (z, y, x) or (t, z, y, x). Throws
/// InputError with the file and the field that is wrong.
[[nodiscard]] ZarrImage read_zarr_image(const std::filesystem::path& folder);

}  // namespace tilewall::render
