// VTK's ray caster on our volume, camera and transfer function, where Python has VTK: the wheel, or
// Debian's python3-vtk9.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "render/volume/cast_style.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::bench {

struct VtkTimes {
  std::vector<double> wall_ms;        ///< Elapsed time of each view
  std::vector<double> cpu_ms;         ///< CPU time of each view, per thread
  std::vector<std::uint8_t> picture;  ///< Picture of the first view: rows from the top, RGB
};

/// vtkFixedPointVolumeRayCastMapper, VTK's for processors, with all that makes it less exact turned
/// off. It knows composites, lit or not, and maxima.
class VtkCaster {
 public:
  /// Finds a Python with VTK; empty where there is none. Files for it lie in `folder`.
  [[nodiscard]] static std::optional<VtkCaster> find(const std::filesystem::path& folder);

  /// "9.7.2"
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// Writes the voxels to a file, once for all pictures. Throws JobError.
  void set_volume(const render::Volume& volume);

  /// Draws a picture of every view; the first one is drawn twice, and timed the second time. All
  /// are of one size. Empty for styles that VTK does not have, or where it fails. @pre a volume was
  /// set, and `views` is not empty
  [[nodiscard]] std::optional<VtkTimes> cast(const render::TransferFunction& function,
                                             const render::CastStyle& style,
                                             const std::vector<render::CastView>& views,
                                             int threads) const;

 private:
  VtkCaster(std::string python, std::string version, std::filesystem::path folder);

  std::string python_;
  std::string version_;
  std::filesystem::path folder_;
  std::string volume_;  ///< JSON: path and layout of the file
  render::ValueScale scale_;
};

}  // namespace tilewall::bench
