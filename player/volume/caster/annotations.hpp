// What stands over a volume's picture for people: which way its axes point, what its colours mean,
// which timestep it is. Places and sizes follow from the whole wall's picture, so that panels draw
// parts of one thing.
#pragma once

#include <string>

#include "player/scene/volume_style.hpp"
#include "render/volume/transfer_function.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall {

struct Annotations {
  const AnnotationSwitches& shown;
  const TransferFunction& function;
  ValueRange range;         ///< that the colour bar spans
  const std::string& unit;  ///< of values; "" = unknown
  const std::string& label;
};

/// Draws them into `part` of `view`'s picture.
void annotate(const ImageView& to, const RectPx& part, const CastView& view,
              const Annotations& annotations);

}  // namespace tilewall
