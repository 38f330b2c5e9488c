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
#include "sync/base/child_process.hpp"
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
  /// check. Used by check_hosts() alone.
  std::function<bool(std::chrono::milliseconds)> wait;
};

/// The check of one host, by a process of its own. Threads: one owner, which also reaps children;
/// the calling process has one thread.
class HostLook {
 public:
  /// Starts the process. `log` replaces that of an earlier check. Throws JobError if the process
  /// cannot be started.
  HostLook(const wall::Host& host, const RemoteShell& shell, const HostCheckOptions& options,
           std::filesystem::path log);

  /// Handles the end of a child, if it is this check's process.
  void take_end(const ChildEnd& end);
  /// Kills the process when it is overdue. To be called ten times a second or so.
  void look();
  /// Kills the process and reaps it.
  void abort();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool done() const noexcept { return end_.has_value(); }
  /// Why the host cannot run panels; empty if it can. @pre done()
  [[nodiscard]] std::optional<HostFault> fault() const;
  /// A line about a fit host whose programs are another build; "" if there is nothing to say.
  /// @pre done()
  [[nodiscard]] std::string note() const;

 private:
  using SteadyClock = std::chrono::steady_clock;
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] HostAnswer answer() const;
  [[nodiscard]] bool is_this_machine() const;

  HostQuestion question_;
  std::filesystem::path log_;
  SteadyClock::time_point until_;   // limit for the first output
  std::chrono::milliseconds more_;  // added for a host that has output
  pid_t pid_ = 0;
  std::optional<ChildEnd> end_;    // empty while it runs
  bool ended_unfinished_ = false;  // it was killed after the host had begun to answer
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
