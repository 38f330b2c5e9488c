// Programs that a show starts once it needs them: the sound process, the volume server for hosts
// that do not have the files of the show's volumes, and the operator's console.
//
// Threads: one owner, which also reaps children.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "net/slab/slab_listener.hpp"
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

  /// The sockets of the volume server, which are its own from now on. To be called before
  /// start_wanted(), on a wall that needs the server.
  void set_volume_sockets(net::ServerSockets sockets) { volume_sockets_ = std::move(sockets); }

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
  net::ServerSockets volume_sockets_;         // empty: the wall has one host
  std::optional<host::KeptProgram> volumes_;  // empty: no other host needs a volume's file
  std::optional<host::KeptProgram> console_;  // empty: the show has none
};

}  // namespace tilewall::supervisor
