// A camera that looks at a volume, and the ray of every pixel.
//
// Rays are functions of GLOBAL pixel coordinates, those of the one big picture that all panels
// show parts of; a part has no camera of its own. Samples of a ray lie at the distances k * step
// from the eye, k = 0, 1, 2, ...: one lattice for the whole wall, whatever part, brick or tile a
// caster works on. Picture axes: x right, y down, pixel (0, 0) in the upper left corner.
#pragma once

#include <optional>

#include "render/volume/volume.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::render {

enum class Lens { perspective, orthographic };

/// A camera in world coordinates. What lies behind the eye is invisible, with an orthographic lens
/// too.
struct VolumeCamera {
  Lens lens = Lens::perspective;
  Vec3d eye;
  Vec3d look_at = {0, 0, 1};
  Vec3d up = {0, 1, 0};
  double fov_rad = 0.5;     ///< Perspective: angle of the whole picture's height, in (0, pi)
  double view_height = 1;   ///< Orthographic: height of the whole picture in world units
  PointF centre_offset_px;  ///< Vector from the picture's middle to the pixel that shows look_at
  bool operator==(const VolumeCamera&) const = default;
};

/// World units that a pixel covers at the distance of look_at. Throws InputError for a picture or
/// an angle without a meaning.
[[nodiscard]] double pixel_side_at_focus(const VolumeCamera& camera, SizePx picture_px);

/// Voxel coordinates of sample k: start + k * advance.
struct SampledRay {
  Vec3d start;
  Vec3d advance;
};

/// All rays of a picture, in a volume's voxel coordinates.
class PixelRays {
 public:
  /// `step`: world units. `tilt`: as CastView's. Throws InputError for a camera that looks nowhere,
  /// a tilted picture whose plane the eye lies in, a step that is not above 0, or more than
  /// max_samples from the eye to the volume's far end.
  PixelRays(const VolumeCamera& camera, SizePx picture_px, const Volume& volume, double step,
            const std::optional<wall::PanelMap>& tilt = {});

  /// Limit of the samples of a ray, so that single precision holds a sample's number exactly.
  static constexpr double max_samples = 1 << 23;

  /// The ray through (x, y) in pixels. A pixel's centre is half a pixel beyond its coordinates.
  [[nodiscard]] SampledRay through(double x, double y) const noexcept;
  [[nodiscard]] SampledRay of_pixel(int x, int y) const noexcept {
    return through(x + 0.5, y + 0.5);
  }

  // What `through` computes with, for vector code: with sx and sy counted from centre_px,
  // perspective: start = eye, advance = (ahead + sx right + sy down) / sqrt(1 + (sx^2 + sy^2)
  // slope^2 + sx (sx stretch + sy skew)); orthographic: start = eye + sx right + sy down, advance =
  // ahead. `ahead` is at right angles to the picture.
  Lens lens;
  PointF centre_px;
  Vec3d eye;    ///< In voxels
  Vec3d ahead;  ///< Voxels per sample
  Vec3d right;  ///< Perspective: voxels per sample and pixel; orthographic: voxels per pixel
  Vec3d down;   ///< In the unit of `right`
  /// Perspective: tangent of the angle from one row's ray to the next, at the centre.
  double slope;
  // Corrections for tilted pictures, whose rows and columns need not be equally close or at right
  // angles.
  double stretch = 0;  ///< slope^2 of columns minus slope^2 of rows
  /// Twice the dot product of the steps from column to column and from row to row, at distance 1.
  double skew = 0;

 private:
  void tilt_by(const wall::PanelMap& tilt, double side, const Volume& volume, double step,
               const Vec3d (&axes)[3]);
};

}  // namespace tilewall::render
