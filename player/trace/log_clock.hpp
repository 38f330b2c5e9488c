// Makes a process a role whose log lines carry global time (sync/base/role_log.hpp), by the clock
// page of its host: keeper, panel, host service, decoder, caster, sound process.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::trace {

/// The clock page that the host service publishes in this host's run directory.
[[nodiscard]] std::filesystem::path clock_page_of_host(const std::filesystem::path& run_dir);

/// Begins the role of a program that was started with a log, RUN_DIR/logs/ROLE.log, as its output.
/// Does nothing where it was started otherwise, such as by hand. Lines have local stamps until the
/// clock page is there. @pre the process has one thread
void begin_host_role(const std::string& program);

/// The same with the log RUN_DIR/logs/ROLE.log. No file of that name need exist: the launcher
/// forwards what keepers write. @pre the process has one thread
void begin_host_role(const std::string& program, const std::filesystem::path& log);

}  // namespace tilewall::trace
