// A rehearsal: all cues of a show by themselves, one after the other, and what came of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "player/cli/present/cue_figures.hpp"
#include "player/director/cues/cue_desk.hpp"

namespace tilewall::cli {

/// Lets the cues follow each other in the list's order: loops of sections and the cues' own ways to
/// others do not count. Each cue lasts for `each_s` seconds. Empty: for its own time, which is that
/// of its `follow = "after"`; else that of its longest range of a movie, an endless one counting
/// once; else 5 s. Transitions and glides come to their end, and no cue but one with a time of its
/// own lasts longer than 60 s.
void make_rehearsal(director::CueShow& show, std::optional<double> each_s);

/// What a rehearsal found.
struct RehearsalResult {
  std::string text;          ///< a table for people: a line for each cue, and what was missing
  bool is_complete = false;  ///< all cues were shown and armed, and no input was missing
};

/// The cues that a rehearsal has to show.
struct ExpectedCues {
  std::size_t count = 0;
  std::size_t left_out = 0;  ///< cues that were shown, and that the report has no room for
};

/// `cues`: those of the report.
[[nodiscard]] RehearsalResult rehearsal_result(const std::vector<CueFigures>& cues,
                                               const ExpectedCues& expected);

}  // namespace tilewall::cli
