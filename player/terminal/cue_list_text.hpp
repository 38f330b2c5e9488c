// The operator's list of a presentation: the cues around the one on the wall, a line for each, and
// the escape sequences that draw lines at a terminal. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::terminal {

struct CueLine {
  std::string text;
  bool is_current = false;  ///< the cue is on the wall

  bool operator==(const CueLine&) const = default;
};

/// The first of the cues that are listed, for a status of the director. Empty where the show is no
/// presentation.
[[nodiscard]] std::optional<std::size_t> first_listed_cue(const nlohmann::json& status);

/// The lines for a status and the director's answer to "cues", at most `rows`, each fitting into
/// `columns`: number, name, and for the cue on the wall how long it is there and what follows, for
/// the next one whether panels are ready for it, then the note. Such as
/// "> 2     Trailer           0:12.0, goes on in 0:05.0" and
/// "  2.5   Jet               next: armed               Wait for the applause."
[[nodiscard]] std::vector<CueLine> cue_lines(const nlohmann::json& status,
                                             const nlohmann::json& cues, int columns, int rows);

/// What a terminal of so many columns is sent to show `lines` in place of `drawn`, the lines above
/// and up to its cursor; none where nothing was drawn. Lines that are wider than the terminal,
/// which has become narrower, take several rows there.
[[nodiscard]] std::string redraw_text(const std::vector<CueLine>& drawn,
                                      const std::vector<CueLine>& lines, int columns);
/// What a terminal is sent to erase the lines above and up to its cursor.
[[nodiscard]] std::string erase_text(const std::vector<CueLine>& drawn);

}  // namespace tilewall::terminal
