// What a wall makes of a caster: a picture cut into panels, and pictures of what moves.
#pragma once

#include <nlohmann/json.hpp>

#include "player/bench/render_rows.hpp"

namespace tilewall {

/// Computing time of the 15 crops of one picture on a 5x3 wall, each panel of runs.picture_px,
/// beside that of the same picture at once; whether they are its crops to the bit. One caster makes
/// them one after the other, with all threads at each, as a host's caster does: so panels of a host
/// need not be alike for its cores to be busy, and "slowest_to_mean" is about hosts that have one
/// panel each.
[[nodiscard]] nlohmann::json measure_panels(const RenderCase& one, const Volume& volume,
                                            PictureCaster& caster, const RenderRuns& runs);

/// A picture as coarse as a wall draws it while a camera moves, where the full one takes `full_ms`
/// on cores that nothing else uses (its computing time a thread): its time and how near it is to
/// the full one; from a change to the first picture, and to the exact one, which is drawn after it.
/// That is computing alone: a wall draws the exact one 150 ms after the last change at the soonest.
[[nodiscard]] nlohmann::json measure_motion(const RenderCase& one, const Volume& volume,
                                            PictureCaster& caster, const RenderRuns& runs,
                                            double full_ms);

/// In a line each.
void print_panels(const nlohmann::json& panels);
void print_motion(const nlohmann::json& motion);

}  // namespace tilewall
