// Draws a panel's request: applies the style to the volume's values, casts rays, and draws the
// annotations.
//
// Threads: the caster's one thread; helpers that end before calls return.
#pragma once

#include <string>

#include "player/scene/volume_style.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "render/volume/scalar_caster.hpp"
#include "render/volume/transfer_function.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::volume {

/// The style of a panel's pictures.
struct RequestedStyle {
  std::string text;  ///< the JSON that `style` was read from
  scene::VolumeStyle style;
};

/// The work for one picture; times are elapsed times.
struct PictureCost {
  std::uint64_t samples = 0;
  std::uint64_t style_ns = 0;     ///< tables of a new style, with times.occupancy_ns
  std::uint64_t annotate_ns = 0;  ///< axes, colour bar and label
  render::CastTimes times;
  bool blank = false;  ///< a picture that is not coarse shows only background
};

/// The values for the style's colours, which its scale takes: all of the volume's but those that
/// are empty on it.
[[nodiscard]] render::ValueRange values_for(const scene::VolumeStyle& style,
                                            const VolumeWhole& whole) noexcept;

/// The style in terms of the timestep's values and spacings, without the step, which depends on the
/// picture. Throws InputError.
[[nodiscard]] ShownLook look_of(const ReadyTimestep& timestep, const scene::VolumeStyle& style);

/// Draws the requested part into `to`, which has the part's size. Throws InputError if camera or
/// style are not valid.
PictureCost make_picture(ReadyTimestep& timestep, const RequestedStyle& style,
                         const CastMessage& request, const ImageView& to, int threads);

/// Casts the requested part by the reference caster on the processor: floats with opacity and
/// depth, without background and annotations. Throws InputError as make_picture() does.
[[nodiscard]] render::FloatPicture make_float_picture(const ReadyTimestep& timestep,
                                                      const RequestedStyle& style,
                                                      const CastMessage& request, int threads);

}  // namespace tilewall::volume
