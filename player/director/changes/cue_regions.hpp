// The regions of a scene that goes to a cue of a presentation, with those that fade away on the
// way. Pure.
#pragma once

#include <optional>
#include <vector>

#include "player/cues/cue.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// How a presentation goes to a cue.
struct CueChange {
  cues::CueState after;                  ///< the wall in the cue
  std::optional<cues::CueState> before;  ///< the wall in the cue that it shows; empty: everything
                                         ///< begins anew
  cues::Transition transition;
  SizePx canvas_px;             ///< size of the canvas in the modes of `after`
  scene::CuePosition position;  ///< `since` is filled in
};

/// Name of the region that a black cue puts over all others.
inline constexpr std::string_view black_region = "black";

/// The regions of the scene that follows `before` at `at`. A region goes on as it is where both
/// states have it from the same cue and the wall has it with the same source; otherwise it begins
/// anew. Regions that are left out leave the wall: at once, or with the transition. Regions whose
/// owner is not the operator stay, above all others.
[[nodiscard]] std::vector<scene::Region> cue_regions(const scene::Scene& before,
                                                     const CueChange& change, GlobalInstant at);

/// When the movies of the regions have been shown to their ends; empty where none has an end.
[[nodiscard]] std::optional<GlobalInstant> movies_end(const std::vector<scene::Region>& regions);

}  // namespace tilewall::director
