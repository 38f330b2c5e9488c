// Compares the reports of two presentations cue by cue.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/cli/present/cue_figures.hpp"

namespace tilewall::cli {

/// The comparison: {"is_worse", "cues": [{"cue", "in" ("both", "before", "after"), "armed_s",
/// "frames_late", "late": [{"cause", ...}], "skew_p99_us", "memory_bytes", "inputs_missing":
/// {"new", "gone"}, "worse": [...]}]}, where each figure is {"before", "after", "difference"}, null
/// where it is not known. Cues match by name. A cue that was shown several times counts once: with
/// the sum of its late frames, and the greatest of its other figures. Worse is a cue with more late
/// frames, with an input that was not missing before, or that is not armed although it was.
[[nodiscard]] nlohmann::ordered_json compared_cues(const std::vector<CueFigures>& before,
                                                   const std::vector<CueFigures>& after);

/// The comparison for people: a line for each cue. `before` and `after` are the reports' names.
[[nodiscard]] std::string comparison_text(const nlohmann::ordered_json& comparison,
                                          const std::string& before, const std::string& after);

/// The cues of a report in a file. Throws InputError for a file that is no report of a
/// presentation.
[[nodiscard]] std::vector<CueFigures> read_cue_figures(const std::filesystem::path& file);

}  // namespace tilewall::cli
