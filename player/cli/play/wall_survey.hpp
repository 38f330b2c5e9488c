// `tilewall wall survey`: whether inputs will play on a wall's hosts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::cli {

/// The options as typed.
struct WallSurveyArguments {
  std::string wall;                 ///< wall file
  std::vector<std::string> inputs;  ///< as those of `play`; none: only the hosts are surveyed
  bool json = false;
  bool hash = false;
  bool headless = false;
  bool local = false;
  std::string launcher = "mpirun";
  std::filesystem::path key_file;
  double seconds = 1;  ///< for reading each medium, and as much again for decoding
  double limit_s = 0;  ///< longest survey of a host; 0 = by the inputs
};

/// Opens the inputs as `play` does, surveys all hosts, and prints a table, or JSON. Returns
/// exit_failed if a light is red. Throws InputError naming option or file, JobError if it is
/// interrupted.
[[nodiscard]] int run_wall_survey(const WallSurveyArguments& arguments);

}  // namespace tilewall::cli
