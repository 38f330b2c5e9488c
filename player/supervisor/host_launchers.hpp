// Starts the panels of each host by a launcher of its own, and starts launchers again that end. So
// a host that is missing, late or lost affects no other host.
//
// A launcher is up once its host's keeper has started, which prints a line for that. One that is
// killed later is started again as a KeptProgram. One that does not come up, or loses its host, is
// tried again after a pause that grows from 1 s to 10 s. Before such a try the host is checked,
// where it is known how the launcher reaches it: a remote shell might wait for a lost host for
// minutes, or ask for a password at the terminal.
//
// Threads: one owner, which also reaps children; the process has no other thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/host/kept_program.hpp"
#include "player/supervisor/host_check.hpp"
#include "player/supervisor/host_fault.hpp"
#include "player/supervisor/launch.hpp"
#include "player/supervisor/run_dir.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {

/// The launcher of one host.
class HostLauncher {
 public:
  struct Settings {
    LaunchOptions launch;
    bool several_hosts = false;        ///< the launcher has to be told which host is meant
    std::optional<RemoteShell> shell;  ///< how the host is checked; empty: it is not checked
    std::filesystem::path logs;        ///< folder
    std::filesystem::path pids;        ///< folder
    std::chrono::milliseconds first_pause{1'000};  ///< before the second try
    std::chrono::milliseconds longest_pause{10'000};
    std::chrono::milliseconds start_limit{30'000};  ///< time until it is up; then it is ended
    std::chrono::milliseconds end_limit{1'000};     ///< time after SIGTERM; then SIGKILL
    std::function<double()> since_start_s{};        ///< seconds since the command began
  };

  /// `settings` outlives this object.
  HostLauncher(LaunchHost host, const Settings& settings);

  /// Starts the launcher.
  void start();
  /// Starts the launcher later: a check has found `fault`.
  void start_later(const HostFault& fault);

  /// Handles the end of a child, if it belongs to this host.
  void take_end(const ChildEnd& end);
  /// Goes on with what is due: a check, a start, the end of a launcher that is not up in time. To
  /// be called several times a second.
  void look();
  /// Ends the launcher and starts another one, by order of the operator. Where none runs, the next
  /// one is tried now. Does nothing after stop_restarting().
  void replace();
  /// From now on nothing is started.
  void stop_restarting();

  [[nodiscard]] const LaunchHost& host() const noexcept { return host_; }
  [[nodiscard]] bool runs() const noexcept { return program_ && program_->pid() != 0; }
  /// Why the host has no panels; empty while it has, or is started.
  [[nodiscard]] const std::optional<HostFault>& fault() const noexcept { return fault_; }
  /// Whether it was never up, and at least one try has failed.
  [[nodiscard]] bool has_only_failed() const noexcept { return !was_up_ && fault_.has_value(); }
  /// How the newest launcher that lost its host, or did not come up, has ended; empty if none has.
  [[nodiscard]] const std::optional<ChildEnd>& failure() const noexcept { return failure_; }
  [[nodiscard]] std::filesystem::path log() const;

  /// A line for the operator: a new fault, or that the host is back. "" if there is nothing new.
  [[nodiscard]] std::string take_news();

  /// A launcher that died after it was up. Times are seconds since the command began.
  struct Death {
    double at_s = 0;
    std::optional<double> back_s;  ///< when the next one was up; empty: not yet
  };
  [[nodiscard]] const std::vector<Death>& deaths() const noexcept { return deaths_; }

 private:
  using SteadyClock = std::chrono::steady_clock;

  void note_start();
  void note_death();
  [[nodiscard]] bool is_checked() const;
  void look_for_mark();
  void note_fault(const HostFault& fault);
  void fail(const ChildEnd& end);
  void begin_try();
  void finish_check();
  [[nodiscard]] std::string log_since_start() const;

  const LaunchHost host_;
  const Settings& settings_;
  std::optional<host::KeptProgram> program_;       // empty: no launcher is kept now
  std::optional<HostLook> check_;                  // the check before the next try
  std::optional<SteadyClock::time_point> try_at_;  // empty: it runs, or is being checked
  std::chrono::milliseconds pause_;                // before the next try
  SteadyClock::time_point started_at_;
  std::uintmax_t log_begin_bytes_ = 0;  // length of the log when the launcher was started
  bool is_up_ = false;
  bool was_up_ = false;
  bool is_late_ = false;      // it was ended, because it was not up in time
  bool is_replaced_ = false;  // it was ended by replace()
  bool restarts_ = true;
  std::optional<HostFault> fault_;
  std::optional<ChildEnd> failure_;
  std::string told_;  // the fault that the operator knows; "" = none
  std::vector<Death> deaths_;
};

/// The launchers of all hosts of a wall.
class HostLaunchers {
 public:
  HostLaunchers(std::vector<LaunchHost> hosts, HostLauncher::Settings settings);

  /// Starts the launchers of all hosts, in parallel. Those of `unfit` hosts are started once a
  /// check finds them fit.
  void start(const std::vector<HostFault>& unfit);

  void take_end(const ChildEnd& end);
  /// To be called several times a second. Returns new lines for the operator.
  [[nodiscard]] std::vector<std::string> look();
  /// Replaces the launcher of a panel's host.
  void replace(int panel);
  void stop_restarting();

  [[nodiscard]] bool any_runs() const;
  /// Whether no host was ever up, and each has failed.
  [[nodiscard]] bool all_have_failed() const;
  /// A host whose launcher has ended without coming up; null where there is none.
  [[nodiscard]] const HostLauncher* first_failed() const;
  /// The faults of hosts that have no panels now.
  [[nodiscard]] std::vector<HostFault> faults() const;
  /// The launchers that died after they were up, as entries of the report's "restarts".
  [[nodiscard]] std::vector<nlohmann::json> restarts() const;

 private:
  const HostLauncher::Settings settings_;
  std::deque<HostLauncher> launchers_;
};

}  // namespace tilewall::supervisor
