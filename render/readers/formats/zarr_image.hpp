// An image of OME-Zarr 0.4: its axes and levels, as its .zattrs names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

/// What `tilewall brick` says about a volume in .zattrs beyond OME-Zarr 0.4, which has no place for
/// it (render/bricks/README.md has the keys).
struct ZarrAdditions {
  ValueScale scale;
  std::string value_unit;
  std::optional<ValueRange> value_range;
  std::string length_unit;
  Vec3d origin;  ///< of level 0
  std::array<Vec3d, 3> axes = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  std::vector<double> times;             ///< empty: as the t axis says
  std::vector<std::string> time_labels;  ///< as many
};

/// Of the attributes of a folder; empty where others wrote it. Throws InputError naming `file`.
[[nodiscard]] std::optional<ZarrAdditions> read_zarr_additions(const nlohmann::json& attributes,
                                                               const std::string& file);

/// Sets what they say, but for places.
void apply_zarr_additions(const ZarrAdditions& additions, VolumeInfo& info);

/// The place of a level with its origin and directions. `beyond_level_0`: how far its voxel (0, 0,
/// 0) lies from that of level 0, along the volume's axes.
[[nodiscard]] VolumePlace place_by_additions(const ZarrAdditions& additions, Vec3d beyond_level_0,
                                             VolumePlace place) noexcept;

/// What an axis of an array is.
enum class ZarrRole : std::uint8_t { t, c, z, y, x };

/// Where a level is found, and where its voxels lie.
struct ZarrLevel {
  std::string path;
  std::vector<double> scale;        ///< one for each axis
  std::vector<double> translation;  ///< one for each axis
};

struct ZarrImage {
  std::filesystem::path folder;
  std::string name;
  std::vector<ZarrRole> roles;  ///< slowest first
  std::vector<std::string> units;
  std::vector<ZarrLevel> levels;  ///< finest first
  std::optional<ZarrAdditions> additions;
};

/// The image in `folder`: OME-Zarr, or a plain array of (z, y, x) or (t, z, y, x). Throws
/// InputError naming the file and the field that is wrong.
[[nodiscard]] ZarrImage read_zarr_image(const std::filesystem::path& folder);

}  // namespace tilewall::render
