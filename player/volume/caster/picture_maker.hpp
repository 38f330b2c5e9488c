// From a panel's request to pixels: the style in terms of this volume, full or coarse.
#pragma once

#include <string>

#include "player/scene/volume_style.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "render/volume/transfer_function.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// How a panel wants its pictures; `text` is the JSON that `style` came as.
struct RequestedStyle {
  std::string text;
  scene::VolumeStyle style;
};

/// What a picture took; times as they pass.
struct PictureCost {
  std::uint64_t samples = 0;
  std::uint64_t style_ns = 0;     ///< for a new style, `times`' occupancy included
  std::uint64_t annotate_ns = 0;  ///< for what stands over the picture
  render::CastTimes times;
  bool blank = false;  ///< in full, and nothing of the volume is to be seen
};

/// How the timestep is shown in the style. Throws InputError.
[[nodiscard]] ShownLook look_of(const ReadyTimestep& timestep, const scene::VolumeStyle& style);

/// Draws the requested part into `to`, of its size. Throws InputError where the request has no
/// meaning.
PictureCost make_picture(ReadyTimestep& timestep, const RequestedStyle& style,
                         const CastMessage& request, const ImageView& to, int threads);

/// What stands over a volume's picture for people: which way its axes point, what its colours mean,
/// which timestep it is. Places and sizes follow from the whole wall's picture, so that panels draw
/// parts of one thing.
struct Annotations {
  const scene::AnnotationSwitches& shown;
  const render::TransferFunction& function;
  render::ValueRange range;  ///< that the colour bar spans
  const std::string& unit;   ///< of values; "" = unknown
  const std::string& label;
};

/// Draws them into `part` of `view`'s picture.
void annotate(const ImageView& to, const RectPx& part, const render::CastView& view,
              const Annotations& annotations);

}  // namespace tilewall::volume
