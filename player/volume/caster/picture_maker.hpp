// From a panel's wish to pixels: the style in terms of this volume, full or coarse.
#pragma once

#include "player/scene/volume_style.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall {

/// How a panel wants its pictures; `text` is the JSON that `style` came as.
struct WishedStyle {
  std::string text;
  VolumeStyle style;
};

/// Draws the wished part into `to`, of its size. Returns how many samples were taken. Throws
/// InputError where the wish has no meaning.
std::uint64_t make_picture(ReadyTimestep& timestep, const WishedStyle& style,
                           const CastMessage& wish, const ImageView& to, int threads);

}  // namespace tilewall
