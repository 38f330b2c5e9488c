// What people changed on the wall since a presentation went to its cue, as a change of that cue.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "player/cues/cue.hpp"
#include "player/cues/revision.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// A cue of the list, and the wall in it.
struct ResolvedCue {
  std::string name;
  std::size_t index = 0;
  cues::CueState state;
};

/// The change that makes the cue's state that of the wall; empty where they are equal. Of gliding
/// views, cameras and opacities it has the ends. Regions of other owners, slates, and frames of
/// movies that play do not count; a region that is paused is held at its frame of `now`.
/// `canvas_px` is the size of the canvas in the scene's modes. Throws InputError for a region whose
/// source cannot be named in a file.
[[nodiscard]] std::optional<cues::Revision> revision_of(const ResolvedCue& cue,
                                                        const scene::Scene& wall, SizePx canvas_px,
                                                        GlobalInstant now);

}  // namespace tilewall::director
