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
#include <string>
#include <vector>

#include "player/supervisor/host_fault.hpp"
#include "player/supervisor/remote_shell.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

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
