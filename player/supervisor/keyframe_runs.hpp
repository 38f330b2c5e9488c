// What the operator's keys do to a flight path: `tilewall ctl keyframe`, as the operator could type
// it, one after the other.
//
// Threads: one owner, which also reaps children.
#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/supervisor.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {

class KeyframeRuns {
 public:
  /// The options and the run directory outlive this object.
  KeyframeRuns(const SupervisorOptions& options, const RunDir& run_dir)
      : options_(options), run_dir_(run_dir) {}

  /// Adds what the wall shows as a key frame, or removes the nearest one, once the orders before
  /// are done. Does nothing where the show keeps no path. Orders beyond 100 that wait are dropped.
  void order(bool adds);

  /// Starts the next order, if none is being done. To be called often.
  void look();

  /// Handles the end of a child, if it is one of these: returns its line for the operator.
  [[nodiscard]] std::optional<std::string> take_end(const ChildEnd& end);

 private:
  [[nodiscard]] std::filesystem::path output() const;

  const SupervisorOptions& options_;
  const RunDir& run_dir_;
  std::deque<bool> waiting_;  // whether each adds
  pid_t pid_ = 0;             // 0: none runs
};

}  // namespace tilewall::supervisor
