// The answers of a wall's hosts, for people and for programs.
//
// Threads: free functions without state.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/survey/survey_answer.hpp"

namespace tilewall::survey {

struct HostSurvey {
  std::string host;  ///< its name in the wall file; "this machine" where it has none
  SurveyAnswer answer;
};

enum class TableColour { none, terminal };

/// A table of lights: a row per subject (and label), a column per host. Rates have their ratio to
/// the needed ones, such as "green 40x". Below it there is a line for each light that is not green,
/// equal ones of several hosts together.
[[nodiscard]] std::string survey_table(const std::vector<HostSurvey>& surveys, TableColour colour);

/// {"light", "counts", "hosts": [{"name", "light", answer...}]}
[[nodiscard]] nlohmann::ordered_json survey_json(const std::vector<HostSurvey>& surveys);

/// The worst light: red, then amber, then green; not_measured where nothing was measured.
[[nodiscard]] Light worst_light(const std::vector<HostSurvey>& surveys);

/// exit_failed if a light is red, else exit_done.
[[nodiscard]] int survey_exit_code(const std::vector<HostSurvey>& surveys);

}  // namespace tilewall::survey
