#include "render/volume/clip.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

/// Narrows [near, far] to where value + k * slope >= 0.
void keep_above(double value, double slope, double& near, double& far) noexcept {
  if (slope > 0)
    near = std::max(near, -value / slope);
  else if (slope < 0)
    far = std::min(far, -value / slope);
  else if (value < 0)
    far = -1;
}

}  // namespace

VoxelClip::VoxelClip(const VolumeClip& clip, const Volume& volume) {
  if (clip.planes.size() > max_clip_planes)
    throw InputError("clip planes: expected at most " + std::to_string(max_clip_planes));
  const VolumeSize size = volume.size();
  const auto within = [](double at, int side) { return std::clamp(at, 0.0, side - 1.0); };
  box_min = {within(clip.box_min.x, size.x), within(clip.box_min.y, size.y),
             within(clip.box_min.z, size.z)};
  box_max = {within(clip.box_max.x, size.x), within(clip.box_max.y, size.y),
             within(clip.box_max.z, size.z)};
  if (!std::isfinite(dot(box_min, box_min) + dot(box_max, box_max)))
    throw InputError("a clip box: expected numbers");
  const VolumePlace& place = volume.place();
  for (const ClipPlane& plane : clip.planes) {
    if (!std::isfinite(dot(plane.normal, plane.normal) + plane.offset))
      throw InputError("a clip plane: expected numbers");
    planes.push_back({{place.spacing.x * dot(plane.normal, place.axes[0]),
                       place.spacing.y * dot(plane.normal, place.axes[1]),
                       place.spacing.z * dot(plane.normal, place.axes[2])},
                      plane.offset + dot(plane.normal, place.origin)});
  }
}

SampleSpan VoxelClip::span_of(const SampledRay& ray) const noexcept {
  double near = 0;
  double far = 2 * PixelRays::max_samples;
  const auto start = axes_of(ray.start);
  const auto advance = axes_of(ray.advance);
  const auto low = axes_of(box_min);
  const auto high = axes_of(box_max);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    keep_above(start[axis] - low[axis], advance[axis], near, far);
    keep_above(high[axis] - start[axis], -advance[axis], near, far);
  }
  for (const ClipPlane& plane : planes)
    keep_above(dot(plane.normal, ray.start) + plane.offset, dot(plane.normal, ray.advance), near,
               far);
  if (!(near <= far)) return {};
  return {static_cast<int>(std::ceil(near)), static_cast<int>(std::floor(far))};
}

}  // namespace tilewall::render
