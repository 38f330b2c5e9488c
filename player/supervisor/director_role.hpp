// The director, a fork of the supervisor, which is started again when it dies or hangs. What
// survives it belongs to this object: its port, its journal, its statistics, and its report.
//
// Threads: one owner, which also reaps children.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "player/director/show_options.hpp"
#include "player/host/hang_watch.hpp"
#include "player/host/restart_plan.hpp"
#include "player/supervisor/director_output.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::supervisor {

class DirectorRole {
 public:
  using Clock = std::chrono::steady_clock;

  /// A director that makes no turn for so long is killed; one that a signal has stopped, after half
  /// a second (StopWatch). Clients and, under late policy slow, panels wait for it.
  static constexpr std::chrono::milliseconds hang_limit{5000};

  /// The pause before the next start after so many deaths within ten seconds: none after three,
  /// then 50 ms, and each further one four times as long, up to 2 s. Two deaths of one change take
  /// it back, so the third start is another one.
  [[nodiscard]] static std::chrono::milliseconds pause_after(std::size_t deaths);

  /// Throws JobError.
  DirectorRole();

  /// The port at which every director listens. To be set before start().
  void set_port(UniqueFd listening) { listening_ = std::move(listening); }
  /// The memory for its options.
  [[nodiscard]] director::ShowMemory memory() const;
  [[nodiscard]] const ReportMemory& report() const noexcept { return report_; }

  /// Forks the director, which runs `direct` with the port and the times of earlier deaths.
  /// @pre the calling process has one thread
  void start(const ChildOptions& options, std::function<int(DirectorRole& role)> direct);
  /// The port, for the forked process.
  [[nodiscard]] UniqueFd take_port() { return std::move(listening_); }
  /// Writes the error as the report, unless the show has begun: it goes on with another director
  /// then. For the forked process.
  void report_failure(const std::string& line) const;

  /// Whether the show has begun: its panels were sent a scene with a start.
  [[nodiscard]] bool has_begun() const;
  /// 0: it does not run now.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Whether it runs, or will be started again.
  [[nodiscard]] bool is_on() const noexcept { return pid_ != 0 || start_at_.has_value(); }

  /// Handles its end at `died_s` seconds since the command began. Returns whether it is over: it
  /// has written its report, or cannot begin the show.
  [[nodiscard]] bool take_end(double died_s);
  /// Starts it again when its pause is over and a process can be started, and kills it when it
  /// hangs. To be called every host::StopWatch::longest_gap or more often.
  void look();
  /// Asks it to end the show and to write the report. One that has died is started again for that.
  void stop();
  /// Kills it for good.
  void kill();

 private:
  void fork_now();
  const ReportMemory report_;
  const UniqueFd journal_;
  const UniqueFd checkpoint_;
  const UniqueFd hashes_;
  const UniqueFd log_;
  const SharedCounter turns_;
  UniqueFd listening_;
  ChildOptions options_;
  std::function<int(DirectorRole& role)> direct_;
  pid_t pid_ = 0;
  bool is_killed_ = false;
  bool stops_ = false;
  host::RecentDeaths deaths_;
  std::vector<double> deaths_s_;
  std::optional<Clock::time_point> start_at_;  // while it does not run and will be started
  host::HangWatch hang_watch_{hang_limit};
  host::StopWatch stop_watch_{host::StopWatch::awaited_limit};
};

}  // namespace tilewall::supervisor
