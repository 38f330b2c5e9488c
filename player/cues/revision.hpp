// Changes of cues that were made while a show runs: how they get into the running list, and into
// the show file.
//
// Threads: any; these are values and free functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "player/cues/cue.hpp"
#include "player/cues/show_file.hpp"

namespace tilewall::cues {

/// One change of a cue, twice: as a show file would say it, and with opened sources. Both hold only
/// what changes, and the cue's name.
struct Revision {
  CueEntry entry;
  Cue cue;
};

/// Puts the change into the running list, and adds it to CueList::unsaved. Throws InputError, with
/// the list as it was, where a cue could no longer be resolved. `start` is the state before the
/// first cue. @pre the list has a cue of the revision's name
void revise(CueList& list, const Revision& revision, const CueState& start);

/// Puts changes into a show. Returns the names of changed cues that the show lacks.
[[nodiscard]] std::vector<std::string> revise(ShowFile& show, const std::vector<CueEntry>& changes);

/// Changes as the text of [[cue]] tables, and back. Throws InputError as show_from_text() does.
[[nodiscard]] std::string changes_text(const std::vector<CueEntry>& changes);
[[nodiscard]] std::vector<CueEntry> changes_from_text(std::string_view text);

}  // namespace tilewall::cues
