// Interface of an open volume file inside the reader process. Each format implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

/// Threads: one owner.
class VolumeSource {
 public:
  virtual ~VolumeSource() = default;
  [[nodiscard]] const VolumeInfo& info() const noexcept { return info_; }

  /// Reads slices [z_begin, z_end) of a timestep in info().type, x fastest, without padding. Throws
  /// InputError if the file does not hold what its header announces.
  /// @pre within info().size and timesteps; `into` has room for them
  virtual void read(int timestep, int z_begin, int z_end, std::byte* into) = 0;

  /// Reads a box of one of info()'s grids, as read(). The default, for formats without a quicker
  /// way and with a single grid, reads slices and copies the box from them.
  /// @pre within the grid; `into` has room for it
  virtual void read_box(int grid, int timestep, const GridBox& box, std::byte* into);

 protected:
  VolumeInfo info_;
};

using VolumeSourcePtr = std::unique_ptr<VolumeSource>;

/// Opens a file, folder or series of any supported format. Throws InputError with file, field,
/// expected and found.
[[nodiscard]] VolumeSourcePtr open_volume_source(const std::string& path,
                                                 const VolumeOptions& options);

// These open one format each, and throw like open_volume_source().
[[nodiscard]] VolumeSourcePtr open_raw_volume(const std::filesystem::path& sidecar);
[[nodiscard]] VolumeSourcePtr open_nrrd(const std::filesystem::path& file,
                                        const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_metaimage(const std::filesystem::path& file,
                                             const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_nifti(const std::filesystem::path& file,
                                         const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_npy(const std::filesystem::path& file,
                                       const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_vti(const std::filesystem::path& file,
                                       const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_pvd(const std::filesystem::path& file,
                                       const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_hdf5(const std::filesystem::path& file,
                                        const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_netcdf(const std::filesystem::path& file,
                                          const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_amrex(const std::filesystem::path& folder,
                                         const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_zarr(const std::filesystem::path& folder,
                                        const VolumeOptions& options);

/// One timestep of a series.
struct SeriesStep {
  std::filesystem::path file;
  double time = 0;
  std::string label;
};
/// Opens a series: each timestep has a file of its own, with the same size, levels, type and scale.
/// `name` is the series in messages. @pre steps not empty
[[nodiscard]] VolumeSourcePtr open_series(std::string name, std::vector<SeriesStep> steps,
                                          const VolumeOptions& options);

}  // namespace tilewall::render
