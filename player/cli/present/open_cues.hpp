// Opens the inputs of a show file's cues, and turns the file into the list of cues that the
// director plays on a wall.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cues/show_file.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// How the cues of a show are opened.
struct CueWays {
  std::optional<wall::BezelMode> bezels;     ///< empty: the show file's, or the wall's
  std::optional<wall::ContentMode> content;  ///< empty: the show file's, or the wall's
  double volume = 1;                         ///< Loudness before the first cue, 0..2
  movie::CacheUses* uses = nullptr;          ///< locks imported entries; may be null
  bool refuses = true;  ///< false: a missing input that would be refused has a placeholder
  bool opens = true;    ///< false: inputs are not opened; every region is a still of unknown size
};

/// Opens every input once, with a progress bar where there are many. Those that are missing are
/// listed in CueShow::missing. Throws InputError naming the show file, line and cue for an input
/// that is missing or no input for its options, and for a region that does not lie on the wall.
[[nodiscard]] director::CueShow open_cues(const cues::ShowFile& file, const wall::Wall& wall,
                                          const CueWays& ways, const std::stop_token& stop);

/// The modes of the wall before the first cue.
[[nodiscard]] cues::CueState state_before(const cues::ShowFile& file, const wall::Wall& wall,
                                          const CueWays& ways);

}  // namespace tilewall::cli
