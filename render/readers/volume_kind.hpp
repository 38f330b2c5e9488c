// Which kind of volume file something is, by its name and first bytes alone: cheap and safe enough
// for any process to ask.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::render {

enum class VolumeKind : std::uint8_t {
  none,
  raw,  ///< a sidecar, or a .raw file beside one
  nrrd,
  metaimage,
  nifti,
  npy,
  vti,
  pvd,
  hdf5,
  netcdf,  ///< classic; NetCDF-4 files are HDF5's, and told apart by their name
  amrex,
  zarr,
  series,   ///< a folder, a pattern (ct-%04d.nrrd) or a glob of the others
  openvdb,  ///< known, and not read: nor are the next two
  zarr3,
  dicom
};

/// Never throws: `none` too for what is missing or cannot be read.
[[nodiscard]] VolumeKind volume_kind_of(const std::string& path) noexcept;

/// Whether volumes that are one file, and not one of a raw volume's two, are usually called so.
[[nodiscard]] bool has_volume_name(const std::filesystem::path& path);

/// The files of a series, in natural order. @pre its kind is `series`
[[nodiscard]] std::vector<std::filesystem::path> series_files(const std::string& path);

/// The TOML file that describes a .raw file; itself for a sidecar; empty where there is none beside
/// it. @pre its kind is `raw`
[[nodiscard]] std::filesystem::path raw_sidecar_of(const std::filesystem::path& path);

}  // namespace tilewall::render
