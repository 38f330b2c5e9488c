// What a show's result says about how its processes ended: the exit code, an error where the
// director gave none, and the lines of their logs that tell why.
//
// Threads: one owner.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/supervisor/host_fault.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/supervisor.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {

/// Notes what happens to the processes of a show, and completes the director's report with it.
class ShowOutcome {
 public:
  /// `launcher`: the launcher as the user has named it, for messages.
  explicit ShowOutcome(std::string launcher) : launcher_(std::move(launcher)) {}

  void director_ended(const ChildEnd& end) { director_end_ = end; }
  /// A host's launcher ended without starting panels, and no other host has any.
  void launcher_failed(const ChildEnd& end, std::string log_file) {
    launcher_end_ = end;
    launcher_log_ = std::move(log_file);
  }
  /// Notes the hosts that have no panels at the end.
  void set_missing_hosts(std::vector<HostFault> faults) { missing_hosts_ = std::move(faults); }

  /// Adds an entry to the report's "restarts".
  void add_restart(nlohmann::json restart) { restarts_.push_back(std::move(restart)); }

  /// Notes whether the disk of the run directory is full. This cannot wait until the end of the
  /// show, when its processes have often made room again.
  void look_at_disk(const std::filesystem::path& run_dir);

  /// A line for each role that has left its first crash report in the logs since the last call.
  /// For the terminal; the result's notes have the same lines.
  [[nodiscard]] std::vector<std::string> new_crashes(const std::filesystem::path& run_dir);

  /// The show's result. `report` is the director's, which may be empty. Keeps the logs of a show
  /// that failed, or in which a process crashed. @pre all processes of the show have ended
  [[nodiscard]] ShowResult result(nlohmann::json report, RunDir& run_dir);

  /// The exit code, the restarts and the error that follow from the ends of the processes.
  /// `launcher_text` is what the launcher that failed printed. Pure.
  [[nodiscard]] ShowResult explained(nlohmann::json report, const std::string& launcher_text) const;

 private:
  [[nodiscard]] std::string launcher_failure(const std::string& launcher_text) const;
  void note_full_disk(ShowResult& result, const RunDir& run_dir) const;

  std::string launcher_;
  ChildEnd director_end_;
  std::optional<ChildEnd> launcher_end_;  // empty: some host's launcher has started panels
  std::string launcher_log_ = "launcher";
  std::vector<HostFault> missing_hosts_;
  std::vector<nlohmann::json> restarts_;
  std::map<std::string, std::string> crashes_;  // a line for each role that has crashed
  bool disk_was_full_ = false;                  // at any time of the show
};

/// The result of a show that was not started, because hosts are not fit.
[[nodiscard]] ShowResult refusal_by_hosts(const std::vector<HostFault>& faults, RunDir& run_dir);

}  // namespace tilewall::supervisor
