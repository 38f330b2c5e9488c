// Whether the hosts of a wall are ready for a show: each cue's own files, servers and media, and
// the hosts themselves.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cues/show_file.hpp"
#include "player/survey/survey_plan.hpp"
#include "player/survey/survey_table.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// What `present check --preflight` is asked.
struct PreflightArguments {
  bool hash = false;      ///< files are compared by their contents
  bool headless = false;  ///< displays are not looked at
  bool local = false;
  std::string launcher = "mpirun";
  std::filesystem::path key_file;
};

/// What hosts have to be asked for the cues of a show. Opens the inputs; those that are missing
/// here are left out. Throws InputError for a show that cannot be played on the wall.
[[nodiscard]] survey::SurveyPlan preflight_plan(const cues::ShowFile& file, const wall::Wall& wall,
                                                const PreflightArguments& arguments,
                                                const std::stop_token& stop);

/// Asks all hosts. @pre The process has one thread. Throws what supervisor::survey_hosts() throws.
[[nodiscard]] std::vector<survey::HostSurvey> run_preflight(const survey::SurveyPlan& plan,
                                                            const wall::Wall& wall,
                                                            const PreflightArguments& arguments);

}  // namespace tilewall::cli
