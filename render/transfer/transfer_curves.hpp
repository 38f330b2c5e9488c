// Colour and opacity as two lists of points, as files hold them, and the one list that a transfer
// function is made of. Points of a colour have no `a`, points of an opacity no r, g and b.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "render/volume/transfer_function.hpp"

namespace tilewall::render {

/// Joins both lists into one, with a point (two at a step) wherever either has one. Beyond its ends
/// a list keeps its last values. @pre neither is empty; values rise
[[nodiscard]] std::vector<TransferPoint> joined(std::span<const TransferPoint> colours,
                                                std::span<const TransferPoint> opacities);

/// Mixes two functions at every value, `share` of the way from one to the other, with their `a`.
/// Points and ends are like those of joined(), under the same conditions.
[[nodiscard]] std::vector<TransferPoint> blended(std::span<const TransferPoint> from,
                                                 std::span<const TransferPoint> to, double share);

/// Opacity for maps without one: nothing below a tenth of the way from first to last, where most
/// volumes have their background and its noise, then a straight line up to 0.8. It is never solid,
/// so objects behind the greatest values are still visible.
[[nodiscard]] std::vector<TransferPoint> default_opacity(double first, double last);

/// Opacity for maps of fields without one, at a share of the way from first to last: low values are
/// thinner, but no value is hidden, because it would look like one that is missing.
[[nodiscard]] float field_opacity(double share) noexcept;

/// Appends a curve from the last of `points` to `value`, as few evenly spaced points as bring
/// straight lines within 1/1024 of at(part), part in [0, 1], but at most `max_pieces` lines, a
/// power of two. @pre points are not empty; at(0) is the last one's colour
void append_curve(std::vector<TransferPoint>& points, double value,
                  const std::function<Rgba(double)>& at, int max_pieces);

/// Appends a step at `value`: `below` up to it, `above` from there.
void append_step(std::vector<TransferPoint>& points, double value, const Rgba& below,
                 const Rgba& above);

/// Replaces each point's value by its share in [0, 1] of the way from the first value to the last.
/// @pre the first value is less than the last
void stretch_to_shares(std::span<TransferPoint> points);

}  // namespace tilewall::render
