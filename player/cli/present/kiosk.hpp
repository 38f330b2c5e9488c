// A presentation without an operator, which goes on by itself and begins again.
#pragma once

#include <string>

#include "player/cues/cue.hpp"

namespace tilewall::cli {

/// Lets the section, or the whole show where it is "", begin again for ever after its last cue.
/// Cues that wait for an operator go on at the end of their movies, or after 10 s without one.
/// Throws InputError for a section that the show does not have.
void make_kiosk(cues::CueList& list, const std::string& section);

}  // namespace tilewall::cli
