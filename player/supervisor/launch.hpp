// The command that puts one keeper on the wall's hosts for every panel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "player/scene/source_status.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

struct LaunchOptions {
  std::string launcher = "mpirun";  ///< may carry options: "mpirun --mca plm_rsh_agent ssh"
  bool local = false;               ///< all panels on this machine, whatever hosts the wall names
  std::string director;             ///< "HOST:PORT", as the panels' hosts reach it
  std::string clock;
  std::filesystem::path run_dir;
  std::string sound_host;  ///< a host of the wall file whose keeper starts the sound; "" = none
  DecodeDevice decode = DecodeDevice::automatic;  ///< of ordinary movies, on every host
  bool trace = false;       ///< all processes send their part of the trace to the director
  std::string hdr = "map";  ///< what hosts' decoders make of HDR: "map" or "clip"
};

/// Whether a panel of this wall runs on another machine.
[[nodiscard]] bool uses_other_hosts(const Wall& wall, bool local);

/// The address of the first of them. @pre there is one
[[nodiscard]] std::string first_other_host(const Wall& wall);

/// Most panels that one host drives.
[[nodiscard]] std::size_t panels_per_host(const Wall& wall, bool local);

[[nodiscard]] std::vector<std::string> launch_arguments(const Wall& wall,
                                                        const LaunchOptions& options);

/// What the launcher needs in its environment.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> launch_environment(
    const LaunchOptions& options);

// What mpirun's messages mean, in one line, and which lines of logs are worth quoting.
//
// Open MPI prints paragraphs between lines of dashes, whose first sentence says what happened and
// whose last one is the end of a list of guesses. Messages of the remote shell and of our own
// programs come before or between them, outside the dashes. Pure.

/// One line of at most 300 bytes about the text that mpirun printed; "" where it printed nothing.
[[nodiscard]] std::string launch_summary(const std::string& text);

/// What the first of mpirun's messages that is known here means, also while mpirun runs on; ""
/// where there is none.
[[nodiscard]] std::string known_launch_trouble(const std::string& text);

/// The last line of a log that one of our programs wrote ("tilewall-panel: eventfd: ..."), unless
/// `error` says the same already; "" where there is none. What libraries print is left out.
[[nodiscard]] std::string line_to_quote(const std::string& log, const std::string& error);

}  // namespace tilewall
