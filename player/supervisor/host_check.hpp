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

/// How mpirun runs a command on another host: SHELL [OPTIONS] HOST COMMAND.
struct RemoteShell {
  std::vector<std::string> words = {"ssh"};  ///< the program and its own options; never empty

  /// The program's file name.
  [[nodiscard]] std::string name() const;
  /// Whether it takes ssh's options.
  [[nodiscard]] bool is_ssh() const;
};

/// The remote shell that `launcher` uses, by its words and the environment (plm_rsh_agent). Empty
/// where it uses none that can be known here: it is not mpirun, or a batch system starts the
/// daemons.
[[nodiscard]] std::optional<RemoteShell> remote_shell_of(const std::string& launcher);

struct HostCheckOptions {
  std::string launcher = "mpirun";
  std::filesystem::path log_folder;       ///< gets one file per host with all that was said
  std::chrono::milliseconds limit{5000};  ///< until each host has begun to answer
  /// Waits for that long; false: the user wants the program to stop, and the check is given up.
  std::function<bool(std::chrono::milliseconds)> wait;
};

/// Looks at each host that drives panels, except this machine. Returns the faults in the wall's
/// order; none where all hosts are fit. Throws JobError where a process cannot be started or the
/// user stopped it.
[[nodiscard]] std::vector<HostFault> check_hosts(const Wall& wall, const HostCheckOptions& options);

}  // namespace tilewall
