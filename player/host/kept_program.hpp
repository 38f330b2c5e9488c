// Child programs that are kept running: they are started again when they die.
//
// Threads: one owner for each object, which also reaps children.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "player/host/hang_watch.hpp"
#include "player/host/restart_plan.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {

/// How a program is started.
struct ProgramStart {
  std::vector<std::string> arguments;  ///< the program's path first
  ChildOptions options;
  std::filesystem::path pid_file;  ///< "" = the process number is not written
  /// Called when a KeptProgram has died (false), and when it was started again (true).
  std::function<void(bool runs)> on_change{};
  const SharedCounter* turns = nullptr;  ///< counts the program's turns; null: it is not watched
  bool computes = false;                 ///< a turn may compute for longer than RestartLimits::hang
};

/// A program that is never given up: it is started again after every death. Where it dies too
/// often, or cannot be started, it is tried again after a pause. It is killed when a signal has
/// stopped it for long (StopWatch) and, with ProgramStart::turns, when it hangs.
class KeptProgram {
 public:
  /// Starts the program; later where the host cannot start a process now.
  explicit KeptProgram(ProgramStart start, RestartLimits limits = {});

  /// Its process number; 0 while it does not run.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Whether it has ended in order, and is not started again.
  [[nodiscard]] bool has_ended() const noexcept { return pid_ == 0 && !plan_.waits(); }

  /// Handles the end of a child, if it is this program.
  void take_end(const ChildEnd& end);

  /// Whether it died too often, and rests.
  [[nodiscard]] bool rests() const noexcept { return plan_.rests(); }
  /// Ends a rest after its least length, because the reason of the deaths may be gone.
  void rouse() { plan_.rouse(); }

  /// Starts the program when its pause is over, and kills it when it hangs or its replacement is
  /// overdue. To be called every StopWatch::longest_gap or more often.
  void look();

  /// Sends SIGTERM to a running program, and SIGKILL after `limit` in look(). Its end is a death,
  /// so the program is started again. Never waits.
  void replace(std::chrono::milliseconds limit);

  /// Sends SIGTERM, and SIGKILL after `limit`. Blocks until the process has ended.
  void end(std::chrono::milliseconds limit);

 private:
  void try_start();
  [[nodiscard]] bool hangs();
  [[nodiscard]] bool is_stopped_for_good();

  const ProgramStart start_;
  const RestartLimits limits_;
  RestartPlan plan_;
  pid_t pid_ = 0;                                                 // 0: it does not run
  std::optional<std::chrono::steady_clock::time_point> kill_at_;  // it is being replaced
  HangWatch hang_watch_;                                          // only with ProgramStart::turns
  StopWatch stop_watch_;
};

/// Writes a process number to a file, for people and tests. A failure, as on a full disk, is only
/// reported on standard error.
void note_pid(const std::filesystem::path& file, pid_t pid) noexcept;

}  // namespace tilewall::host
