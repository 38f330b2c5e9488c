// VTK's ray casters on our volume, camera and transfer function, where Python has VTK: the wheel,
// or Debian's python3-vtk9.
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

/// VTK's mapper that draws: vtkFixedPointVolumeRayCastMapper by the processor, or
/// vtkGPUVolumeRayCastMapper by OpenGL.
enum class VtkMapper { processor, gpu };

/// How long pictures are drawn by a GPU before any counts. An idle GPU runs at a fifth of its clock
/// rate, and takes some tenths of a second of work to come up to it.
inline constexpr double gpu_warm_up_ms = 500;

/// VTK's mappers, with all that makes them less exact turned off, for composites, lit or not, and
/// maxima.
class VtkCaster {
 public:
  /// Finds a Python with VTK; empty where there is none. Files for it lie in `folder`.
  [[nodiscard]] static std::optional<VtkCaster> find(const std::filesystem::path& folder);

  /// "9.7.2"
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// Writes the voxels to a file, once for all pictures. Throws JobError.
  void set_volume(const render::Volume& volume);

  /// Draws a picture of every view; the first one is drawn twice, and timed the second time. All
  /// are of one size. `threads` are the processor's. A GPU's times end when the picture is drawn,
  /// before it is read back. Empty for styles that VTK does not have, where there is no GPU, or
  /// where VTK fails. @pre a volume was set, and `views` is not empty
  [[nodiscard]] std::optional<VtkTimes> cast(const render::TransferFunction& function,
                                             const render::CastStyle& style,
                                             const std::vector<render::CastView>& views,
                                             VtkMapper mapper, int threads) const;

 private:
  VtkCaster(std::string python, std::string version, std::filesystem::path folder);

  std::string python_;
  std::string version_;
  std::filesystem::path folder_;
  std::string volume_;  ///< JSON: path and layout of the file
  render::ValueScale scale_;
};

}  // namespace tilewall::bench
