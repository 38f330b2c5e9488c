// The supervisor: starts the processes of a show, watches over them, and clears everything away.
//
//   clockd (unless the wall names one), director, mpirun -> keepers -> panels
//
// Threads: none; it sleeps until a child ends or a signal comes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "player/director/director.hpp"
#include "player/movie/cache/cache_uses.hpp"

namespace tilewall {

/// What a show does with the terminal that it was started from. controlled: a line that follows the
/// show, and the keys of its windows; where there is no terminal, one line that says how to control
/// the show. quiet_controlled: the same without that line.
enum class TerminalUse { none, controlled, quiet_controlled };

struct SupervisorOptions {
  ShowOptions show;  ///< clock and report_file are filled in here
  std::string launcher = "mpirun";
  bool local = false;
  DecodeDevice decode = DecodeDevice::automatic;  ///< of ordinary movies, on every host
  std::string sound_host;          ///< of the wall file: the sound is there; "" = on this machine
  std::filesystem::path key_file;  ///< the wall's key; "" = one for this show, where hosts need it
  std::filesystem::path run_dir;   ///< "" = one of its own
  TerminalUse terminal = TerminalUse::none;
  CacheUses cache_uses;  ///< held until the show has ended
};

struct ShowResult {
  int exit_code = 0;
  nlohmann::json report;  ///< an object with at least "error" when there was none
};

/// Runs a show to its end; SIGINT and SIGTERM end it within 2 s. Every process that was started is
/// gone when this returns, and every file. Throws InputError or JobError when it cannot begin. @pre
/// one thread
[[nodiscard]] ShowResult run_show(SupervisorOptions options);

}  // namespace tilewall
