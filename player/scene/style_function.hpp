// A style in terms of one volume's values. Pure.
#pragma once

#include "player/scene/volume_style.hpp"

namespace tilewall {

/// What the transfer function covers in a volume whose values are `values`: the style's range, or
/// all of them, seen through its window. Empty where `values` are and no range is given.
[[nodiscard]] ValueRange covered_range(const VolumeStyle& style, ValueRange values);

/// The style's transfer function over that range. One with values of its own is not stretched to
/// ranges: the window moves and scales it about the middle of what it covers by itself.
/// `default_unit` is for specs without a unit. Throws InputError as make_transfer_function does.
[[nodiscard]] TransferFunction styled_function(const VolumeStyle& style, ValueRange values,
                                               double default_unit);

/// The isosurface's value; 0 where nothing has one.
[[nodiscard]] double styled_iso(const VolumeStyle& style, ValueRange values);

}  // namespace tilewall
