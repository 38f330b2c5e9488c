// Whether a show will run: every cue resolved, every input opened, and what each cue needs. No wall
// has to be there, but its file.
#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "player/cues/show_file.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// What `present check` is asked.
struct CheckQuestion {
  bool opens = true;  ///< inputs are opened
  std::string cue;    ///< print the scene of this cue; "" = none
};

/// The answer: {"show", "file", "wall", "ok", "cues": [{"index", "name", "number", "section",
/// "transition", "follow", "next", "regions": [...], "needs"}], "findings": [{"light", "line",
/// "cue", "text"}]}. "needs" has "decode_mpixel_s", "read_bytes_s" and "memory_bytes" of a host
/// that drives the whole wall; null where they are not known. Throws InputError for a file that
/// cannot be read as a show.
[[nodiscard]] nlohmann::ordered_json checked_show(const cues::ShowFile& file,
                                                  const wall::Wall& wall,
                                                  const CheckQuestion& question,
                                                  const std::stop_token& stop);

/// The answer for people: a line for each cue, and the findings.
[[nodiscard]] std::string check_text(const nlohmann::ordered_json& check);

}  // namespace tilewall::cli
