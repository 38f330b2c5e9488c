// The log of processes that died on a host, a file in the run directory. The keeper and the host
// service append to it; the host's panels read and report it. So the log survives each of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::trace {

/// One death. Instants are of this host's CLOCK_MONOTONIC.
struct LoggedRestart {
  std::string role;  ///< "host", "caster"
  std::string name;  ///< Name that tells several processes of a role apart
  std::int64_t died_ns = 0;
  std::int64_t back_ns = 0;  ///< Instant when it was started again; 0: not yet
};

/// Path of this host's log.
[[nodiscard]] std::filesystem::path restart_log_file(const std::filesystem::path& run_dir);

/// Appends that a process died, or was started again, now. A line that cannot be written is lost,
/// and the show goes on.
void log_death(const std::filesystem::path& file, const std::string& role, const std::string& name);
void log_return(const std::filesystem::path& file, const std::string& role,
                const std::string& name);

/// Reads the first hundred deaths of the file; empty where there is no file. Malformed lines are
/// left out.
[[nodiscard]] std::vector<LoggedRestart> read_restart_log(const std::filesystem::path& file);

}  // namespace tilewall::trace
