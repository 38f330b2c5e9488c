// Colour and opacity as two lines of points, as files hold them, and the one list that a transfer
// function is made of. Of a colour's points `a` has no meaning, of an opacity's r, g and b.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "render/volume/transfer_function.hpp"

namespace tilewall::render {

/// Both lines as one: a point (two at a step) wherever either has one. Beyond its ends a line holds
/// what it has there.
/// @pre neither is empty; values rise
[[nodiscard]] std::vector<TransferPoint> joined(std::span<const TransferPoint> colours,
                                                std::span<const TransferPoint> opacities);

/// What lies `share` of the way from one function to the other at every value; `a` counts, too.
/// Points and ends as of joined(), under the same conditions.
[[nodiscard]] std::vector<TransferPoint> blended(std::span<const TransferPoint> from,
                                                 std::span<const TransferPoint> to, double share);

/// For maps without one: nothing below a tenth of the way from first to last, where most volumes
/// have their background and its noise, then a straight line to 0.8: never solid, so that what lies
/// behind the greatest values still shows.
[[nodiscard]] std::vector<TransferPoint> default_opacity(double first, double last);

/// From the last of `points` to `value`: as few points, evenly spaced, as bring straight lines
/// within 1/1024 of at(part), part in [0, 1], but no more than `max_pieces`, a power of two.
/// @pre points are not empty; at(0) is the last one's colour
void append_curve(std::vector<TransferPoint>& points, double value,
                  const std::function<Rgba(double)>& at, int max_pieces);

/// A step at `value`: `below` up to it, `above` from there.
void append_step(std::vector<TransferPoint>& points, double value, const Rgba& below,
                 const Rgba& above);

/// The share in [0, 1] at which `value` lies between the first and the last point, for each point.
/// @pre the first value is less than the last
void stretch_to_shares(std::span<TransferPoint> points);

}  // namespace tilewall::render
