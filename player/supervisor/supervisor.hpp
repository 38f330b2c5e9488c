// The supervisor: starts the processes of a show, watches them, and ends them all.
//
//   clockd (unless the wall file names one), director, a launcher (mpirun) per host -> keepers ->
//   panels, sound and `tilewall serve` (where the show needs them)
//
// Threads: it runs in the caller's thread and starts no other. It sleeps until a child ends, a
// signal arrives, or the terminal has input.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/director/director.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/supervisor/console_service.hpp"

namespace tilewall::supervisor {

/// How a show uses the terminal that it was started from. `controlled` shows a status line and
/// accepts the keys of the show's windows; without a terminal, it prints one line about how to
/// control the show. `quiet_controlled` is the same, but prints nothing without a terminal.
enum class TerminalUse { none, controlled, quiet_controlled };

struct SupervisorOptions {
  director::ShowOptions show;  ///< run_show() fills in clock, run_dir, report_fd and volumes
  /// What starts the panels of a host: mpirun with options, or a command in which {host} stands for
  /// the host's address and {panels} for the number of its panels. Words are separated by blanks.
  std::string launcher = "mpirun";
  bool local = false;  ///< all panels on this machine, whatever the wall file names
  scene::DecodeDevice decode =
      scene::DecodeDevice::automatic;  ///< decoder of ordinary movies, on every host
  std::string sound_host;          ///< host of the wall file that plays sound; "" = this machine
  std::filesystem::path key_file;  ///< the wall's key; "" = a random one, where hosts need one
  std::filesystem::path run_dir;   ///< "" = a new one, see run_dir.hpp
  bool resumes = false;            ///< the run directory is that of a supervisor that has died
  /// The command's arguments after the program, and the folder in which they were given, for a
  /// show that is resumed.
  std::vector<std::string> arguments;
  std::filesystem::path folder;
  std::string show_text;  ///< the show file as it was read, for the same; "" = there is none
  /// The flight path that operators change and fly; "" = none. See keyframe_runs.hpp.
  std::filesystem::path keyframes;
  /// The options with which `render` draws the show's volume as its hosts do; empty where it has
  /// none.
  std::vector<std::string> render_options;
  ConsoleOptions console;
  TerminalUse terminal = TerminalUse::none;
  bool outlives_terminal = false;  ///< the show goes on where its terminal is closed (SIGHUP)
  movie::CacheUses cache_uses;     ///< cache entries that stay locked until the show has ended
};

struct ShowResult {
  int exit_code = 0;
  nlohmann::json report;  ///< an object; has at least "error" if the director gave no report
  std::vector<std::string> told = {};  ///< notes that the terminal has had while the show ran
};

/// Runs a show to its end; SIGINT and SIGTERM end it within 2 s. When this returns or throws, all
/// processes of the show have ended and its files are removed, except for the logs of a failed
/// show. Throws InputError or JobError if the show cannot begin.
/// @pre The calling process has one thread, because roles are forked from it.
[[nodiscard]] ShowResult run_show(SupervisorOptions options);

}  // namespace tilewall::supervisor
