// A camera that sees all of a ball.
#pragma once

#include <cmath>

#include "render/volume/orbit.hpp"

namespace tilewall {

inline render::VolumeCamera camera_around(Vec3d middle, double radius, double azimuth_rad,
                                          double elevation_rad) {
  render::VolumeCamera camera = render::camera_at({middle}, azimuth_rad, elevation_rad, 1);
  camera.eye = middle + (radius / std::sin(camera.fov_rad / 2)) * normalized(camera.eye - middle);
  camera.view_height = 2 * radius;
  return camera;
}

}  // namespace tilewall
