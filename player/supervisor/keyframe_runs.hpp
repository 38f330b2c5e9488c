// What operators do with the flight path of a show: `tilewall ctl keyframe`, as they could type it.
// Changes of the path are made one after the other; a preview runs beside them. A file of the run
// directory tells the console what became of each order (player/scene/path_messages.hpp).
//
// Threads: one owner, which also reaps children.
#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/changes/scene_change.hpp"
#include "player/scene/path_messages.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/supervisor.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {

class KeyframeRuns {
 public:
  /// The options and the run directory outlive this object.
  KeyframeRuns(const SupervisorOptions& options, const RunDir& run_dir);

  /// Carries the order out once the changes before it are made; the end of a preview at once. Does
  /// nothing where the show keeps no path. Orders beyond 100 that wait are dropped.
  void order(director::KeyframeOrder order);

  /// Starts what is to be done next, if that is possible now. To be called often. Returns a line
  /// for the operator where it cannot be started.
  [[nodiscard]] std::optional<std::string> look();

  /// Handles the end of a child, if it is one of these: returns its line for the operator.
  [[nodiscard]] std::optional<std::string> take_end(const ChildEnd& end);

 private:
  [[nodiscard]] std::filesystem::path output_of(std::string_view kind) const;
  /// Starts `tilewall ctl keyframe COMMAND FILE OPTIONS...`. Throws JobError.
  [[nodiscard]] pid_t start(std::string_view command, const std::vector<std::string>& options = {});
  void carry_out(director::KeyframeOrder order);
  void stop_preview();
  [[nodiscard]] bool can_begin(director::KeyframeOrder order) const noexcept;
  /// Tells the answer to an order to the console, and returns it.
  std::string answer(std::string line, bool has_failed);
  void write_state() const;

  const SupervisorOptions& options_;
  const RunDir& run_dir_;
  std::deque<director::KeyframeOrder> waiting_;
  pid_t change_pid_ = 0;     // of the command that changes the path; 0: none runs
  pid_t preview_pid_ = 0;    // the same of the preview
  bool is_stopped_ = false;  // whether the preview was asked to end
  scene::KeptPath state_;
};

}  // namespace tilewall::supervisor
