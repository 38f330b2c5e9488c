// Lists the samples that the pixels of a 16 x 16 beam need: runs of sample numbers, near ones
// first, or those whose cells have the greatest marks.
#pragma once

#include <vector>

#include "render/volume/camera.hpp"
#include "render/volume/cast_plan.hpp"
#include "render/volume/clip.hpp"
#include "render/volume/occupancy.hpp"

namespace tilewall::render {

/// The data that the lists of one picture share.
class BeamLister {
 public:
  struct Needs {
    bool look_back = false;  ///< runs also hold samples whose predecessor lies in a needed cell
    bool lit = false;        ///< samples need their gradients' neighbours
    bool by_marks = false;   ///< runs have marks, and the greatest one comes first
  };
  BeamLister(const PixelRays& rays, const VoxelClip& clip, const Volume& volume,
             const Occupancy& occupancy, Needs needs);

  /// Replaces `runs` by those of the beam whose first pixel is (x, y). Returns whether every run
  /// spans at most `max_slices` slices.
  bool list(int x, int y, int max_slices, std::vector<BeamRun>& runs) const;

 private:
  struct Bounds;
  void visit(const Bounds& bounds, int first, int count, std::vector<BeamRun>& runs, int max_slices,
             bool& fits) const;
  [[nodiscard]] bool is_interior(const VoxelBox& box) const noexcept;

  const PixelRays& rays_;
  const VoxelClip& clip_;
  const Occupancy& occupancy_;
  float low_[3];
  float high_[3];
  float inner_low_[3];
  float inner_high_[3];
  /// Voxels per sample by which the far side of a beam bulges beyond its corners.
  double bulge_[3];
  int segment_;       ///< Samples in a segment, all needed or all not; a power of two
  int most_samples_;  ///< Limit of the samples in a run
  int top_;  ///< Samples from the eye to behind the volume: a segment times a power of four
  int back_;
  bool by_marks_;
};

}  // namespace tilewall::render
