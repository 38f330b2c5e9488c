// Runs a program as a user would, and collects its output.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

/// Begin of a note in shows' output that depends on the limits of the user who runs the tests. The
/// note is removed from output and reports.
inline constexpr std::string_view realtime_note = "no realtime priority for panels: ";

struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal where one ended it; -1 where it was killed for its time
  std::string out;
  std::string err;
};

struct ProgramOptions {
  std::vector<std::pair<std::string, std::string>> environment;  ///< Added to ours; "" = unset
  std::filesystem::path folder;                                  ///< Working folder; "" = ours
};

/// A program that runs beside the test; stdin is /dev/null. Killed at the end of its owner, and
/// when the test dies.
class RunningProgram {
 public:
  /// Starts args[0], found through PATH when it has no slash. Throws std::runtime_error.
  explicit RunningProgram(const std::vector<std::string>& args, const ProgramOptions& options = {});
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void send_signal(int number) const;

  /// Waits for its end; kills it after `limit`. Takes at most 16 MiB of each stream. Once only.
  [[nodiscard]] ProgramResult wait(std::chrono::seconds limit);

 private:
  UniqueFd out_;
  UniqueFd err_;
  pid_t pid_ = 0;
};

/// Starts a program and waits for its end.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& args,
                                        std::chrono::seconds limit = std::chrono::seconds(20),
                                        const ProgramOptions& options = {});

}  // namespace tilewall
