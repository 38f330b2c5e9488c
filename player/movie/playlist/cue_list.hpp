// Cue lists of Sidecar, the operator's console of Blockbuster: one BEGINCUE ... ENDCUE a cue, with
// KEY=VALUE in between.
//
// Followed: LoadMovie (a cue without one goes on with the movie before it), StartFrame and EndFrame
// (from 0; EndFrame 0 or less: the movie's end), CurrentFrame (where the first pass begins), Rate,
// Loop (0 plays once, 1 twice, N so often, -1 for ever) and Play=0 (the current frame is held as a
// still). Keys that say where in which window a picture stands, or how it goes backwards, are named
// in a note. Meaning of the keys: Blockbuster's documentation and its reader.
#pragma once

#include <filesystem>

#include "player/movie/playlist/playlist.hpp"

namespace tilewall {

/// The cues as entries; a cue that begins in the middle of a loop gives two. A cue that goes on for
/// ever ends the list, as in a show without an operator nothing follows it. Throws InputError
/// naming file and line.
[[nodiscard]] Playlist read_cue_list(const std::filesystem::path& file);

}  // namespace tilewall
