// The project's own movie: a spiral galaxy seen from a ship that sails half around it. A pure
// function of the loop's phase: the picture at phase 1 is that at phase 0.
#pragma once

#include <string>

#include "render/demo/galaxy.hpp"
#include "render/demo/stars.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// Immutable: any number of threads may paint, each its own rows.
class DemoScene {
 public:
  /// Takes 0.6 cpu-s (the galaxy's texture).
  DemoScene();

  /// Paints rows [y_begin, y_end) of `picture`, which shows the whole scene at any size. 36 cpu-ms
  /// for 1280x480 pixels, 155 for 2560x1600.
  /// @pre 0 <= y_begin <= y_end <= picture.size_px.height
  void paint_rows(double phase, const ImageView& picture, int y_begin, int y_end) const;

 private:
  Galaxy galaxy_;
  Stars stars_;
};

/// The title, lower left, and `text` (a time code), lower right, small and dim; over the whole
/// picture.
void paint_demo_caption(const std::string& text, const ImageView& picture);

}  // namespace tilewall::render
