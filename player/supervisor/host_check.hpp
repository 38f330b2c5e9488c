// Looks at the wall's other hosts before mpirun is started there: whether each one's name resolves,
// a remote shell opens without a password, and this version's programs are installed.
//
// All hosts are looked at at once, each by a process of its own, because resolving a name cannot
// be interrupted otherwise.
// Threads: none; the caller has one thread and no other children.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "player/supervisor/host_fault.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

// Which remote shell mpirun starts its daemons on other hosts with, found out as mpirun does it.

/// How mpirun runs a command on another host: SHELL [OPTIONS] HOST COMMAND.
struct RemoteShell {
  std::vector<std::string> words = {"ssh"};  ///< the program and its own options; never empty

  /// The program's file name.
  [[nodiscard]] std::string name() const;
  /// Whether it takes ssh's options.
  [[nodiscard]] bool is_ssh() const;
};

/// The remote shell that `launcher` uses (plm_rsh_agent and its synonyms), by its words, else the
/// environment, else the files of --tune, else Open MPI's files of parameters: the user's and the
/// machine's. Empty where it
/// uses none that can be known here: it is not mpirun, or a batch system starts the daemons.
[[nodiscard]] std::optional<RemoteShell> remote_shell_of(const std::string& launcher);

/// `text` as one word of a command that a shell reads.
[[nodiscard]] std::string shell_word(const std::string& text);

struct HostCheckOptions {
  std::string launcher = "mpirun";
  std::filesystem::path log_folder;       ///< gets one file per host with all that was said
  std::chrono::milliseconds limit{5000};  ///< until each host has begun to answer
  /// After that, for a host that has begun: a busy one may take its time to start the programs.
  std::chrono::milliseconds more{15000};
  /// Waits for that long; false: the user wants the program to stop, and the check is given up.
  std::function<bool(std::chrono::milliseconds)> wait;
};

struct HostCheck {
  std::vector<HostFault> faults;   ///< in the wall's order; none where all hosts are fit
  std::vector<std::string> notes;  ///< lines about hosts that are fit: programs of another build
};

/// Looks at each host that drives panels, except this machine. Throws JobError where a process
/// cannot be started or the user stopped it.
[[nodiscard]] HostCheck check_hosts(const Wall& wall, const HostCheckOptions& options);

}  // namespace tilewall
