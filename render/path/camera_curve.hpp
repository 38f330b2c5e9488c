// A smooth curve of cameras through given ones, by a parameter without a unit: camera i at u = i.
//
// What a camera looks at follows a centripetal Catmull-Rom spline (Yuksel et al., Parameterization
// and applications of Catmull-Rom curves, 2011), its directions a curve of quaternions (cubic
// Bezier by repeated slerp: Shoemake, Animating Rotation with Quaternion Curves, 1985) whose
// turning speed is continuous also where cameras are unevenly far apart. Distance, angle of view
// and height change by factors, and never beyond those of the two cameras around (Fritsch and
// Carlson, Monotone Piecewise Cubic Interpolation, 1980). So the eye comes no nearer to what it
// looks at than at one of the two. A lens changes at once.
//
// Pure. A curve is immutable, and may be used by any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "render/volume/rotation.hpp"

namespace tilewall::render {

/// A number that is interpolated monotonically between knots.
class MonotoneCurve {
 public:
  MonotoneCurve() = default;
  /// @pre as many places as values, two or more, the places rising
  MonotoneCurve(std::vector<double> places, std::vector<double> values);

  /// Makes the slope 0 at a knot.
  void flatten(std::size_t knot) { slopes_[knot] = 0; }

  /// Beyond the ends: the first or last value.
  [[nodiscard]] double at(double place) const;
  [[nodiscard]] const std::vector<double>& places() const noexcept { return places_; }

 private:
  std::vector<double> places_;
  std::vector<double> values_;
  std::vector<double> slopes_;
};

class CameraCurve {
 public:
  /// @pre two or more cameras, each of which looks somewhere and not along its `up`
  explicit CameraCurve(std::vector<VolumeCamera> cameras);

  [[nodiscard]] std::size_t size() const noexcept { return cameras_.size(); }

  /// The camera at u in [0, size() - 1]; at whole numbers the given one to the bit.
  [[nodiscard]] VolumeCamera at(double u) const;

  /// Whether the cameras i and i + 1 are the same, so that the curve rests between them.
  [[nodiscard]] bool rests(std::size_t i) const { return cameras_[i] == cameras_[i + 1]; }

 private:
  [[nodiscard]] Vec3d target_at(std::size_t i, double share) const;
  [[nodiscard]] Quaternion rotation_at(std::size_t i, double share) const;

  std::vector<VolumeCamera> cameras_;
  std::vector<double> knots_;
  std::vector<Vec3d> target_slopes_;   ///< by knot
  std::vector<Quaternion> rotations_;  ///< by knot
  std::vector<Vec3d> turning_;         ///< by knot: radians for each unit of the knots
  MonotoneCurve log_distance_;
  MonotoneCurve log_fov_;
  MonotoneCurve log_height_;
  MonotoneCurve offset_x_;
  MonotoneCurve offset_y_;
};

}  // namespace tilewall::render
