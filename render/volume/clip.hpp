// The part of a volume that is shown, and the samples of a ray in it.
#pragma once

#include <vector>

#include "render/volume/camera.hpp"

namespace tilewall::render {

/// Keeps the points with dot(normal, point) + offset >= 0, in world coordinates.
struct ClipPlane {
  Vec3d normal;
  double offset = 0;
  bool operator==(const ClipPlane&) const = default;
};

inline constexpr std::size_t max_clip_planes = 6;

/// The part of the box (corners in voxel coordinates) that lies in the volume and on the kept side
/// of all planes.
struct VolumeClip {
  Vec3d box_min = {0, 0, 0};
  Vec3d box_max = {max_volume_side, max_volume_side, max_volume_side};
  std::vector<ClipPlane> planes;  ///< At most max_clip_planes
};

/// A span of sample numbers; empty where first > last.
struct SampleSpan {
  int first = 0;
  int last = -1;
};

/// The clip as half spaces and a box in voxel coordinates, with which a ray is cut to an interval.
struct VoxelClip {
  /// Throws InputError for too many planes, or numbers that are not finite.
  VoxelClip(const VolumeClip& clip, const Volume& volume);
  [[nodiscard]] SampleSpan span_of(const SampledRay& ray) const noexcept;

  Vec3d box_min;
  Vec3d box_max;
  std::vector<ClipPlane> planes;  ///< Planes in voxel coordinates
};

}  // namespace tilewall::render
