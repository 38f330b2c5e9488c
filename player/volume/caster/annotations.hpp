// Drawings over a volume's picture: colour bar, title and date, scale bar, directions of the axes,
// outline box with numbers.
//
// Threads: any; pure functions beside the thread's own glyphs (render/font.hpp).
#pragma once

#include <string>

#include "player/scene/volume_style.hpp"
#include "player/volume/caster/ready_timestep.hpp"
#include "render/volume/transfer_function.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// What is drawn. Places and sizes depend on the whole picture and the style alone, so that panels
/// draw parts of the same drawing. Refers to objects of the caller.
struct Annotations {
  const scene::VolumeStyle& style;
  const render::TransferFunction& function;
  render::ValueRange range;  ///< values at the ends of the colour bar; empty = no bar
  const TimestepWords& words;
  const VolumeWhole& whole;
  std::string label;  ///< Title where the style has none
};

/// Draws the annotations into `to`, which is `part` of `view`'s picture. Throws InputError for a
/// camera without a meaning.
void annotate(const ImageView& to, const RectPx& part, const render::CastView& view,
              const Annotations& annotations);

}  // namespace tilewall::volume
