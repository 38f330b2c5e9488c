// Recognises the format of a volume file by its name and first bytes alone. It is cheap and opens
// no foreign library, so any process may call it.
//
// Threads: no shared state; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::render {

enum class VolumeKind : std::uint8_t {
  none,
  raw,  ///< a TOML sidecar, or a .raw file, with or without its sidecar
  nrrd,
  metaimage,
  nifti,
  npy,
  vti,  ///< or a rectilinear grid, .vtr
  pvd,
  hdf5,
  netcdf,  ///< classic by its first bytes; NetCDF-4, which is HDF5, by its name
  amrex,
  zarr,
  series,   ///< a folder, a pattern (ct-%04d.nrrd) or a glob of files of the other kinds
  openvdb,  ///< recognised but not supported
  zarr3,    ///< recognised but not supported
  dicom     ///< recognised but not supported
};

/// Returns `none` also for a path that is missing or cannot be read.
[[nodiscard]] VolumeKind volume_kind_of(const std::string& path) noexcept;

/// Whether the name has a suffix of formats that keep a volume in one file or with a header file.
/// Raw volumes do not count.
[[nodiscard]] bool has_volume_name(const std::filesystem::path& path);

/// Returns the files of a series in natural order (2 before 10). @pre its kind is `series`
[[nodiscard]] std::vector<std::filesystem::path> series_files(const std::string& path);

/// Returns the TOML sidecar of a .raw file; a sidecar's own path; empty if there is none.
/// @pre its kind is `raw`
[[nodiscard]] std::filesystem::path raw_sidecar_of(const std::filesystem::path& path);

}  // namespace tilewall::render
