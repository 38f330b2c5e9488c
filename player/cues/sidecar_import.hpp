// Makes show files from the cues of Sidecar, the operator's console of Blockbuster (.cues).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/cues/show_file.hpp"

namespace tilewall::cues {

/// The cues of a .cues file as a show whose cues wait for the operator, as Sidecar's do. Inputs are
/// named as they are there, relative to the file's folder. A line of `lost` names file, line, cue
/// and key of what the show cannot keep. Throws InputError naming file and line for a file that is
/// unreadable or wrong, or has no cues or more than max_cues.
[[nodiscard]] ShowFile show_from_cues(const std::filesystem::path& file,
                                      std::vector<std::string>& lost);

}  // namespace tilewall::cues
