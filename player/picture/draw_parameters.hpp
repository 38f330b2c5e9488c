// Where a picture lies, and how it is to be drawn.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {
struct VolumeShot;
}

namespace tilewall::picture {

/// Maps `movie_px` of the movie, in pixels of its finest level, onto `picture_px` of the panel's
/// picture. Both may reach beyond the edges: outside of the movie is black, and what lies outside
/// of the picture is cut off.
struct Placement {
  RectF movie_px;
  RectF picture_px;
  bool operator==(const Placement&) const = default;
};

/// How the coming pictures are to be drawn, until the next set_parameters().
struct DrawParameters {
  /// Pyramid levels to add to the one that fits the view's pixels, down to the coarsest there is.
  /// Above 0 while an operator scrubs, or where a wall cannot keep up. Only wall movies and JPEG
  /// images heed it.
  int coarser_by = 0;
  /// The frame stays (a pause, a still) while views move over it, so its decoded pixels are kept,
  /// up to a limit. A decoder process keeps them too.
  bool keep = false;
  /// Volumes only: a draw waits until the picture is as good as it gets.
  bool awaits_best = false;
  /// The picture on the panel is complete without this draw, so the draw may wait however long.
  bool refines = false;
  /// Volumes only: finer voxels are read, but not drawn yet, because the wall's other hosts do not
  /// have theirs.
  bool defers = false;
  /// Volumes that are read in stages only: the finest stage that may be drawn. With `awaits_best`
  /// the draw waits for it; where all may be, and with `refines`, for the one after the last drawn.
  int most_stage = std::numeric_limits<int>::max();
  std::shared_ptr<const scene::VolumeShot> shot = nullptr;  ///< Volumes only: camera and style
  std::string note{};  ///< Live sources only: more text for the label
  bool operator==(const DrawParameters&) const = default;
};

}  // namespace tilewall::picture
