// Programs that are kept running: started again when they die.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall {

/// How a program is started.
struct ProgramStart {
  std::vector<std::string> arguments;
  ChildOptions options;
  std::filesystem::path pid_file;
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
  void start();

  const ProgramStart start_;
  std::deque<std::chrono::steady_clock::time_point> deaths_;
  pid_t pid_ = 0;
};

/// One that is never given up: every end but exit code 0 is a death; where it dies too often or
/// cannot be started, it is tried again after a pause. Threads: one owner, who reaps children.
class KeptProgram {
 public:
  explicit KeptProgram(ProgramStart start);

  void take_end(const ChildEnd& end);

  /// To be called now and then: starts what is due.
  void look();

  /// Asks it to end, and kills it after `limit`.
  void end(std::chrono::milliseconds limit);

 private:
  void try_start();
  void pause(const JobError& why);

  const ProgramStart start_;
  std::optional<KeptChild> child_;                                 // empty: it does not run
  std::optional<std::chrono::steady_clock::time_point> start_at_;  // while it does not run
};

}  // namespace tilewall
