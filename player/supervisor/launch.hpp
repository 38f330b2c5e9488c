// The command line of the launcher (mpirun), which starts one keeper per panel on the wall's hosts,
// and the meaning of what mpirun prints.
//
// Threads: these are free functions without state.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "player/scene/source_status.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::supervisor {

struct LaunchOptions {
  std::string launcher = "mpirun";  ///< with options if any: "mpirun --mca plm_rsh_agent ssh"
  bool local = false;               ///< all panels on this machine, whatever the wall file names
  std::string director;             ///< control port, "HOST:PORT" as the panels' hosts reach it
  std::string clock;                ///< "HOST:PORT" of one clock daemon, or two with a comma
  std::filesystem::path run_dir;    ///< on every host
  std::string sound_host;  ///< a host of the wall file whose keeper starts the sound; "" = none
  scene::DecodeDevice decode =
      scene::DecodeDevice::automatic;  ///< decoder of ordinary movies, on every host
  bool trace = false;       ///< all processes send their part of the trace to the director
  std::string hdr = "map";  ///< how decoders convert HDR movies: "map" or "clip"
};

/// Whether a panel of this wall runs on another machine.
[[nodiscard]] bool uses_other_hosts(const wall::Wall& wall, bool local);

/// The address of the first panel's host that is another machine. @pre uses_other_hosts()
[[nodiscard]] std::string first_other_host(const wall::Wall& wall);

/// The largest number of panels that one host drives; at least 1.
[[nodiscard]] std::size_t panels_per_host(const wall::Wall& wall, bool local);

/// The launcher's whole command line, beginning with the program.
[[nodiscard]] std::vector<std::string> launch_arguments(const wall::Wall& wall,
                                                        const LaunchOptions& options);

/// Variables that the launcher needs in its environment, by name and value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> launch_environment(
    const LaunchOptions& options);

// Open MPI prints its messages as paragraphs between lines of dashes: the first sentence tells what
// happened, and a list of guesses follows. The remote shell and our own programs print before or
// between these paragraphs, outside the dashes.

/// Sums up the text that mpirun printed in one line of at most 300 bytes; "" if it printed nothing.
[[nodiscard]] std::string launch_summary(const std::string& text);

/// The meaning of the first line of `text` that has a message known here; "" if none has one. Also
/// finds messages after which mpirun goes on.
[[nodiscard]] std::string known_launch_trouble(const std::string& text);

/// The last line of `log` that one of our programs wrote ("tilewall-panel: eventfd: ..."); lines of
/// libraries are skipped. Empty if there is none, or if `error` has its text already.
[[nodiscard]] std::string line_to_quote(const std::string& log, const std::string& error);

}  // namespace tilewall::supervisor
