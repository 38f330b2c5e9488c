// Runs a program as a user would, and takes what it says.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tilewall {

struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal where one ended it; -1 where it was killed for its time
  std::string out;
  std::string err;
};

/// Runs args[0] with stdin from /dev/null and waits for its end; kills it after `limit`. Takes at
/// most 16 MiB of each stream. Throws std::runtime_error where it cannot be started.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& args,
                                        std::chrono::seconds limit = std::chrono::seconds(20));

}  // namespace tilewall
