// A volume file that is open, on the reader's side: one implementation a format.
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

  /// Slices [z_begin, z_end) of a timestep, as info() says, without padding. Throws InputError
  /// where the file does not hold what its header promised. @pre within the size; `into` holds them
  virtual void read(int timestep, int z_begin, int z_end, std::byte* into) = 0;

  /// As read(): a box of one of info()'s grids, x fastest. Formats that have no quicker way read
  /// slices and cut them. @pre within the grid; `into` holds it
  virtual void read_box(int grid, int timestep, const GridBox& box, std::byte* into);

 protected:
  VolumeInfo info_;
};

using VolumeSourcePtr = std::unique_ptr<VolumeSource>;

/// Opens whatever it is. Throws InputError naming file, field, expected and found.
[[nodiscard]] VolumeSourcePtr open_volume_source(const std::string& path,
                                                 const VolumeOptions& options);

// One a format.
[[nodiscard]] VolumeSourcePtr open_raw_volume(const std::filesystem::path& sidecar);
[[nodiscard]] VolumeSourcePtr open_nrrd(const std::filesystem::path& file,
                                        const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_metaimage(const std::filesystem::path& file,
                                             const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_nifti(const std::filesystem::path& file,
                                         const VolumeOptions& options);
[[nodiscard]] VolumeSourcePtr open_npy(const std::filesystem::path& file);
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
/// Timesteps in files of their own, alike in all but their numbers. @pre not empty
[[nodiscard]] VolumeSourcePtr open_series(std::string name, std::vector<SeriesStep> steps,
                                          const VolumeOptions& options);

}  // namespace tilewall::render
