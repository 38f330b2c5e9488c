#include "render/volume/beam_list.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::render {
namespace {

constexpr int segments_per_run = 4;

}  // namespace

/// Bounds of the beam's rays: sample k of any of them lies within [start_min + k advance_min,
/// start_max + k advance_max].
struct BeamLister::Bounds {
  float start_min[3];
  float start_max[3];
  float advance_min[3];
  float advance_max[3];

  [[nodiscard]] VoxelBox of_samples(float first, float last) const noexcept {
    VoxelBox box;
    for (int axis = 0; axis < 3; ++axis) {
      const float low = std::min(first * advance_min[axis], last * advance_min[axis]);
      const float high = std::max(first * advance_max[axis], last * advance_max[axis]);
      const float error = place_error_voxels + 1e-6F * std::max(std::abs(low), std::abs(high));
      box.min[axis] = start_min[axis] + low - error;
      box.max[axis] = start_max[axis] + high + error;
    }
    return box;
  }
};

BeamLister::BeamLister(const PixelRays& rays, const VoxelClip& clip, const Volume& volume,
                       const Occupancy& occupancy, Needs needs)
    : rays_(rays),
      clip_(clip),
      occupancy_(occupancy),
      back_(needs.look_back ? 1 : 0),
      by_marks_(needs.by_marks) {
  const auto low = axes_of(clip.box_min);
  const auto high = axes_of(clip.box_max);
  const auto ahead = axes_of(rays.ahead);
  const VolumeSize size = volume.size();
  const int sides[3] = {size.x, size.y, size.z};
  const auto spacing = axes_of(volume.place().spacing);
  const double step = length({ahead[0] * spacing[0], ahead[1] * spacing[1], ahead[2] * spacing[2]});
  // Squared tangent of the angle from a beam's middle to its corner, 8 pixels across and 8 down: (8
  // sqrt 2 slope)^2 where both are alike and at right angles. Rays between the corners advance by
  // up to 1 - cos of that angle farther, because all advances are equally long.
  const double half_angle_square =
      128 * rays.slope * rays.slope + 64 * (rays.stretch + std::abs(rays.skew));
  const double beyond = 1 - 1 / std::sqrt(1 + half_angle_square);
  const double margin = needs.lit ? 1 : 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low_[axis] = static_cast<float>(low[axis]);
    high_[axis] = static_cast<float>(high[axis]);
    inner_low_[axis] = static_cast<float>(std::max(low[axis], margin));
    inner_high_[axis] = static_cast<float>(std::min(high[axis], sides[axis] - 1 - margin));
    bulge_[axis] = beyond * step / spacing[axis];
  }
  const double advance = length(rays.ahead);
  // In segments shorter than sqrt 2 cells, neighbours would test the same cells again. Kernels find
  // out by packets which samples they need of a segment.
  segment_ = 1;
  while (segment_ < most_run_samples / segments_per_run &&
         segment_ * advance < 1.42 * volume.cells().side)
    segment_ *= 2;
  most_samples_ = segment_ * segments_per_run;

  // The distance of the volume's farthest corner from the eye, in steps, bounds the samples of
  // every ray.
  double farthest = 0;
  for (const int x : {0, sides[0] - 1})
    for (const int y : {0, sides[1] - 1})
      for (const int z : {0, sides[2] - 1}) {
        const Vec3d away = Vec3d{double(x), double(y), double(z)} - rays.eye;
        farthest = std::max(
            farthest, length({away.x * spacing[0], away.y * spacing[1], away.z * spacing[2]}));
      }
  top_ = segment_;
  while (top_ < farthest / step + 1) top_ *= 4;
}

bool BeamLister::is_interior(const VoxelBox& box) const noexcept {
  for (int axis = 0; axis < 3; ++axis)
    if (!(box.min[axis] >= inner_low_[axis] && box.max[axis] <= inner_high_[axis])) return false;
  for (const ClipPlane& plane : clip_.planes) {
    const auto normal = axes_of(plane.normal);
    double least = plane.offset;
    for (std::size_t axis = 0; axis < 3; ++axis)
      least += normal[axis] * static_cast<double>(normal[axis] > 0 ? box.min[axis] : box.max[axis]);
    if (least < 0) return false;
  }
  return true;
}

void BeamLister::visit(const Bounds& bounds, int first, int count, std::vector<BeamRun>& runs,
                       int max_slices, bool& fits) const {
  const VoxelBox box = bounds.of_samples(static_cast<float>(std::max(first - back_, 0)),
                                         static_cast<float>(first + count - 1));
  for (int axis = 0; axis < 3; ++axis)
    if (box.max[axis] < low_[axis] || box.min[axis] > high_[axis]) return;
  if (!occupancy_.any_in(box)) return;
  const float least_z = std::clamp(box.min[2], low_[2], high_[2]);
  const float greatest_z = std::clamp(box.max[2], low_[2], high_[2]);
  // A sample reads its own slice and the next one, and its gradient one more on each side.
  const int slice = std::max(static_cast<int>(least_z) - 1, 0);
  const int top = static_cast<int>(greatest_z) + 2;
  const bool holds = top - slice < max_slices;
  // Quarters follow the levels of Occupancy, each of whose cells has four times the side of the
  // next finer one's.
  if (count > segment_ || (!holds && count >= 4)) {
    for (int i = 0; i < 4; ++i)
      visit(bounds, first + i * (count / 4), count / 4, runs, max_slices, fits);
    return;
  }
  const int end = first + count;
  const bool interior = is_interior(box);
  if (!holds) fits = false;
  const std::uint8_t mark = by_marks_ ? occupancy_.greatest_in(box) : std::uint8_t{0};
  if (!runs.empty() && runs.back().mark == mark) {
    BeamRun& last = runs.back();
    if (last.end == first && last.interior == interior && end - last.first <= most_samples_ &&
        std::max(last.top, top) - std::min(last.slice, slice) < max_slices) {
      last.end = end;
      last.slice = std::min(last.slice, slice);
      last.top = std::max(last.top, top);
      return;
    }
  }
  runs.push_back({first, end, interior, slice, mark, top});
}

bool BeamLister::list(int x, int y, int max_slices, std::vector<BeamRun>& runs) const {
  runs.clear();
  Bounds bounds;
  const SampledRay corners[4] = {rays_.through(x, y), rays_.through(x + beam_side_px, y),
                                 rays_.through(x, y + beam_side_px),
                                 rays_.through(x + beam_side_px, y + beam_side_px)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low[2] = {axes_of(corners[0].start)[axis], axes_of(corners[0].advance)[axis]};
    double high[2] = {low[0], low[1]};
    for (const SampledRay& corner : corners) {
      const double numbers[2] = {axes_of(corner.start)[axis], axes_of(corner.advance)[axis]};
      for (int i = 0; i < 2; ++i) {
        low[i] = std::min(low[i], numbers[i]);
        high[i] = std::max(high[i], numbers[i]);
      }
    }
    bounds.start_min[axis] = static_cast<float>(low[0]);
    bounds.start_max[axis] = static_cast<float>(high[0]);
    bounds.advance_min[axis] = static_cast<float>(low[1] - bulge_[axis]);
    bounds.advance_max[axis] = static_cast<float>(high[1] + bulge_[axis]);
  }
  bool fits = true;
  visit(bounds, 0, top_, runs, max_slices, fits);
  // A number that is great leaves out the most of what follows.
  if (by_marks_)
    std::stable_sort(runs.begin(), runs.end(),
                     [](const BeamRun& a, const BeamRun& b) { return a.mark > b.mark; });
  return fits;
}

}  // namespace tilewall::render
