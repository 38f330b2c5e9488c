// Checks the wall's other hosts before mpirun starts panels there: each host's name must resolve,
// a remote shell must open without a password, and this version's programs must be installed.
//
// All hosts are checked at the same time, each by a process of its own, because only the death of
// its process interrupts the resolver.
// Threads: the caller has one thread, because the checks are forked from it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "player/supervisor/host_fault.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::supervisor {

/// The command by which mpirun runs a command on another host: SHELL [OPTIONS] HOST COMMAND.
struct RemoteShell {
  std::vector<std::string> words = {"ssh"};  ///< the program and its options; never empty

  /// The program's file name.
  [[nodiscard]] std::string name() const;
  /// Whether it accepts ssh's options.
  [[nodiscard]] bool is_ssh() const;
};

/// The remote shell with which `launcher` starts its daemons on other hosts. Reads the MCA
/// parameters plm, plm_rsh_agent with its synonyms, and plm_rsh_args in mpirun's own order: command
/// line, environment, files of --tune, parameter files of the user and of the machine. Empty if it
/// cannot be known here: the launcher is not mpirun, or a batch system starts the daemons.
[[nodiscard]] std::optional<RemoteShell> remote_shell_of(const std::string& launcher);

/// Quotes `text` as one word of a POSIX shell command.
[[nodiscard]] std::string shell_word(const std::string& text);

struct HostCheckOptions {
  std::string launcher = "mpirun";
  std::filesystem::path log_folder;       ///< one log per host: the command and its whole output
  std::chrono::milliseconds limit{5000};  ///< from the start to a host's first output
  /// Added to `limit` for a host that has output by then: a busy host starts programs slowly.
  std::chrono::milliseconds more{15000};
  /// Waits for the given time. Returns false if the operator stops the program, which ends the
  /// check.
  std::function<bool(std::chrono::milliseconds)> wait;
};

struct HostCheck {
  std::vector<HostFault> faults;   ///< in the order of the wall file; empty if all hosts are fit
  std::vector<std::string> notes;  ///< one line per fit host whose programs are another build
};

/// Checks each host that drives panels, except this machine; blocks for at most `limit` + `more`.
/// Checks nothing if the launcher's remote shell is unknown. Throws JobError if a process cannot be
/// started, or if `wait` returned false.
[[nodiscard]] HostCheck check_hosts(const wall::Wall& wall, const HostCheckOptions& options);

}  // namespace tilewall::supervisor
