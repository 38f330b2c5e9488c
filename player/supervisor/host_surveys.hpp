// Surveys the hosts of a wall before a show: starts `tilewall-host --survey` on each, as a show
// starts keepers, and collects the answers.
//
// Threads: it runs in the caller's thread and starts no other. The calling process has one thread,
// because roles are forked from it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "player/supervisor/launch.hpp"
#include "player/survey/survey_request.hpp"
#include "player/survey/survey_table.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::supervisor {

struct HostSurveyOptions {
  std::string launcher = "mpirun";  ///< as in SupervisorOptions
  bool local = false;               ///< all panels on this machine, whatever the wall file names
  std::filesystem::path key_file;   ///< the wall's key; "" = a random one, where hosts need one
  /// Added to the limit of a survey: for launchers, and for the answers' way back.
  std::chrono::milliseconds launch_limit{20'000};
};

/// What one machine is to check. `clock`: as in survey::SurveyPlan::request_for().
using SurveyRequestOf =
    std::function<survey::SurveyRequest(const LaunchHost& host, const std::string& clock)>;

/// Surveys all hosts in parallel; this machine directly, unless the launcher is a template. Follows
/// the clock daemon that the wall file names, else one that runs meanwhile. A host that cannot be
/// reached, or gives no answer in time, has one red check with the launcher's reason. When this
/// returns or throws, all processes have ended and all files are removed. Throws InputError for a
/// bad launcher or key file, JobError where it is interrupted.
[[nodiscard]] std::vector<survey::HostSurvey> survey_hosts(const wall::Wall& wall,
                                                           const HostSurveyOptions& options,
                                                           const SurveyRequestOf& request_of);

}  // namespace tilewall::supervisor
