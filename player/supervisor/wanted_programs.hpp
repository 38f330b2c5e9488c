// Programs that a show starts once it needs them: the sound process, the volume server for hosts
// that do not have the files of the show's volumes, and the operator's console.
//
// Threads: one owner, which also reaps children.
#pragma once

#include <optional>
#include <string>

#include "player/host/kept_program.hpp"
#include "player/supervisor/console_service.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/supervisor.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::supervisor {

/// Keeps the programs running. The options and the run directory belong to the caller, and outlive
/// this.
class WantedPrograms {
 public:
  WantedPrograms(const SupervisorOptions& options, const RunDir& run_dir)
      : options_(options), run_dir_(run_dir) {}

  /// Starts the sound process if the first scene has sound, or once the director has asked for it
  /// by a file in the run directory, and the volume server once the director has listed a volume.
  /// `control`: HOST:PORT of the director.
  void start_wanted(const std::string& control);

  /// Starts the operator's console.
  void start_console(const ConsoleService& console);

  /// Handles the end of a child, if it is one of these.
  void take_end(const ChildEnd& end);

  /// Starts those again that died. To be called twice a second or more.
  void look();

 private:
  void start_sound(const std::string& control);

  const SupervisorOptions& options_;
  const RunDir& run_dir_;
  const SharedCounter sound_turns_;           // the sound process counts its turns here
  std::optional<host::KeptProgram> sound_;    // empty: no sound yet, or another host plays it
  std::optional<host::KeptProgram> volumes_;  // empty: no other host needs a volume's file
  std::optional<host::KeptProgram> console_;  // empty: the show has none
};

}  // namespace tilewall::supervisor
