// Programs that are kept running: started again when they die.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "player/host/hang_watch.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {

/// How a program is started.
struct ProgramStart {
  std::vector<std::string> arguments;
  ChildOptions options;
  std::filesystem::path pid_file;
  /// Called where a KeptProgram has died (false), and where it was started again (true).
  std::function<void(bool runs)> on_change{};
  const SharedCounter* turns = nullptr;  ///< its sign of life; outlives it. null: it has none
};

/// How often something died of late. Threads: one owner.
class RecentDeaths {
 public:
  explicit RecentDeaths(std::chrono::milliseconds window) : window_(window) {}
  /// One died now. How many did within the window.
  std::size_t add();
  void forget() { deaths_.clear(); }

 private:
  const std::chrono::milliseconds window_;
  std::deque<std::chrono::steady_clock::time_point> deaths_;
};

/// One that is given up when it dies too often. Threads: one owner, who reaps children.
class KeptChild {
 public:
  /// Starts it. Throws JobError.
  explicit KeptChild(ProgramStart start);

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// Starts it again unless it ended with an exit code of at most `last_in_order`, or has died too
  /// often: more than five times in 10 s. Returns whether it runs. Throws JobError.
  bool restart_after(const ChildEnd& end, int last_in_order);

 private:
  const ProgramStart start_;
  RecentDeaths deaths_;
  pid_t pid_ = 0;
};

/// When a program that dies is started again.
struct RestartLimits {
  std::chrono::milliseconds window{10'000};
  std::size_t most = 6;  ///< deaths within the window; then it rests
  /// Before the start after the second death within the window; each further one four times as
  /// long. After the first: none.
  std::chrono::milliseconds first_pause{0};
  std::chrono::milliseconds rest{2'000};
  std::chrono::milliseconds least_rest{2'000};              ///< of a rest that rouse() ends
  std::chrono::milliseconds hang = HangWatch::usual_limit;  ///< without a sign of life
};

/// One that is never given up: every end but exit code 0 is a death; where it dies too often or
/// cannot be started, it is tried again after a pause. One that hangs is killed (`turns`). Threads:
/// one owner, who reaps children.
class KeptProgram {
 public:
  explicit KeptProgram(ProgramStart start, RestartLimits limits = {});

  void take_end(const ChildEnd& end);

  /// Whether it died too often, and is not started for a while.
  [[nodiscard]] bool rests() const noexcept { return rests_since_.has_value(); }
  /// There is a reason to think that it would live now: a rest ends soon.
  void rouse();

  /// To be called twice a second or more: starts what is due, kills what hangs.
  void look();

  /// Asks it to end, and kills it after `limit`.
  void end(std::chrono::milliseconds limit);

 private:
  void try_start();

  const ProgramStart start_;
  const RestartLimits limits_;
  RecentDeaths deaths_;
  pid_t pid_ = 0;                                                  // 0: it does not run
  std::optional<std::chrono::steady_clock::time_point> start_at_;  // while it does not run
  std::optional<std::chrono::steady_clock::time_point> rests_since_;
  HangWatch hang_watch_;  // of the process, where it has a sign of life
};

// Process numbers in files, for people and tests that look for a process.

/// Best effort: without room for the file (a full run directory) there is none, and a line in the
/// log says so.
void note_pid(const std::filesystem::path& file, pid_t pid) noexcept;

}  // namespace tilewall::host
