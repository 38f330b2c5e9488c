// Writes changes of cues that were made while a show ran into its show file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/cues/show_file.hpp"

namespace tilewall::cli {

/// Puts the changes into the text of `file` as it is now, and writes the result to `to`: the same
/// file, or another one in its folder. Cues without changes stay as people wrote them. Inputs below
/// the folder become relative to it. Returns the names of changed cues that the file lacks, whose
/// changes are not written. Throws InputError naming file and line where the file has become
/// unreadable, JobError where `to` cannot be written; nothing is written then.
[[nodiscard]] std::vector<std::string> save_show(const std::filesystem::path& file,
                                                 const std::filesystem::path& to,
                                                 std::vector<cues::CueEntry> changes);

}  // namespace tilewall::cli
