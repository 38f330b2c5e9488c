// Which processes of a host died and when they were back: a file in the run directory. The keeper
// and the host service append, the host's panels read and report it; so what is known survives each
// of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::trace {

/// Instants are of this host's CLOCK_MONOTONIC.
struct LoggedRestart {
  std::string role;  ///< "host", "caster"
  std::string name;  ///< tells several of a role apart
  std::int64_t died_ns = 0;
  std::int64_t back_ns = 0;  ///< when it was started again; 0: not yet
};

/// This host's file.
[[nodiscard]] std::filesystem::path restart_log_file(const std::filesystem::path& run_dir);

/// Appends that it died, or that it was started again, now. What cannot be written is lost: the
/// show goes on.
void log_death(const std::filesystem::path& file, const std::string& role, const std::string& name);
void log_return(const std::filesystem::path& file, const std::string& role,
                const std::string& name);

/// The first deaths in the file, up to a hundred; none where there is no file. Lines that make no
/// sense are left out.
[[nodiscard]] std::vector<LoggedRestart> read_restart_log(const std::filesystem::path& file);

}  // namespace tilewall::trace
