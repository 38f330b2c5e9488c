// Where a picture lies, and how it is to be drawn.
#pragma once

#include <memory>

#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {
struct VolumeShot;
}

namespace tilewall::picture {

/// `movie_px` of the movie (its full-size level) covers `picture_px` of the panel's picture. Both
/// may reach beyond what there is: no movie there is black, no picture there is cut off.
struct Placement {
  RectF movie_px;
  RectF picture_px;
  bool operator==(const Placement&) const = default;
};

/// How the coming pictures are to be drawn.
struct DrawParameters {
  /// Pyramid levels below what the view's pixels would take, down to the coarsest there is: while
  /// an operator scrubs, or where a wall cannot keep up. Wall movies and JPEG images; others draw
  /// as ever.
  int coarser_by = 0;
  /// The frame stays (a pause, a still) while views move over it: what is decoded of it is kept, up
  /// to a limit; another process that decodes keeps it too.
  bool keep = false;
  /// Of volumes: the picture is waited for until it is as good as it gets.
  bool awaits_best = false;
  /// What is shown was drawn without it: the picture is waited for however long.
  bool refines = false;
  /// Of volumes: what is better is made ready, but not drawn yet, as the wall's other hosts have
  /// not.
  bool defers = false;
  std::shared_ptr<const scene::VolumeShot> shot =
      nullptr;  ///< of a volume: from where, and in which style
  bool operator==(const DrawParameters&) const = default;
};

}  // namespace tilewall::picture
