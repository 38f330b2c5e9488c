// The command line of the launcher (mpirun, or what the user names), which starts the keeper of one
// host, and the meaning of what mpirun prints.
//
// Threads: these are free functions without state.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/socket.hpp"
#include "player/scene/source_status.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::supervisor {

struct LaunchOptions {
  std::string launcher = "mpirun";  ///< as in SupervisorOptions
  std::string director;             ///< control port, "HOST:PORT" as the panels' hosts reach it
  std::string clock;                ///< "HOST:PORT" of one clock daemon, or two with a comma
  std::filesystem::path run_dir;    ///< on every host
  std::string sound_host;  ///< a host of the wall file whose keeper keeps the sound; "" = none
  scene::DecodeDevice decode =
      scene::DecodeDevice::automatic;  ///< decoder of ordinary movies, on every host
  bool trace = false;       ///< all processes send their part of the trace to the director
  std::string hdr = "map";  ///< how decoders convert HDR movies: "map" or "clip"
};

/// Whether a panel of this wall runs on another machine.
[[nodiscard]] bool uses_other_hosts(const wall::Wall& wall, bool local);

/// The addresses of the hosts of the wall file that drive panels, in the order of their first
/// panels, each once.
[[nodiscard]] std::vector<std::string> addresses_of_hosts(const wall::Wall& wall);

/// The address to listen at for the wall's hosts: loopback where all panels are on this machine, or
/// the one by which other hosts reach this one. Hosts for whose address `is_fit` is true come
/// first, because another one's name may not resolve. Throws InputError where no name does.
[[nodiscard]] net::SocketAddress address_for_hosts(
    const wall::Wall& wall, bool local, const std::function<bool(const std::string&)>& is_fit);

/// The largest number of panels that one host drives; at least 1.
[[nodiscard]] std::size_t panels_per_host(const wall::Wall& wall, bool local);

/// A machine whose panels one launcher starts.
struct LaunchHost {
  std::string address;             ///< "localhost" for this machine
  std::vector<std::string> names;  ///< its names in the wall file; "" = panels without a host
  std::vector<int> panels;         ///< indices into the wall's panels

  [[nodiscard]] bool is_this_machine() const { return address == "localhost"; }
  /// Its names for people: "h1", "this machine".
  [[nodiscard]] std::string label() const;
  /// The name of its file of that kind in a run directory: "mpirun" for this machine, "mpirun-h1"
  /// for another one.
  [[nodiscard]] std::string file_name(const std::string& kind) const;
};

/// The machines of a wall, in the order of their first panels. Hosts of one address are one
/// machine. With `local`, all panels are on this one.
[[nodiscard]] std::vector<LaunchHost> launch_hosts(const wall::Wall& wall, bool local);

/// Whether the launcher is a template: it has {host} or {panels}.
[[nodiscard]] bool is_launch_template(const std::string& launcher);

/// Throws InputError for a launcher without a program, for placeholders that there are not, and for
/// a template without {host} where `several_hosts`.
void check_launch_template(const std::string& launcher, bool several_hosts);

/// The command line by which `launcher` runs `command` once on a host, beginning with the
/// launcher's program. `may_be_elsewhere`: the wall has several hosts, so that the launcher has to
/// be told which one is meant.
[[nodiscard]] std::vector<std::string> launch_command(const LaunchHost& host,
                                                      const std::string& launcher,
                                                      bool may_be_elsewhere,
                                                      const std::vector<std::string>& command);

/// The same for the keeper of a host's panels.
[[nodiscard]] std::vector<std::string> launch_arguments(const LaunchHost& host,
                                                        const LaunchOptions& options,
                                                        bool may_be_elsewhere);

/// Variables that mpirun needs in its environment, by name and value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> launch_environment(
    const LaunchHost& host, const LaunchOptions& options);

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
