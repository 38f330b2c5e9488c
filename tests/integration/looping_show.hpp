// A show whose processes a test kills, and what its report tells of that.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::test {

constexpr SizePx restart_wall_px = {320, 192};
constexpr int restart_frames = 12;
constexpr int endless_frames = 60'000;  // a show that the test ends

/// A show that loops over a numbered movie on two by two panels until it has shown `frames`.
class LoopingShow {
 public:
  LoopingShow(const TemporaryFolder& folder, int frames,
              const std::string& wall = "two-by-two.toml", const Words& more = {});

  [[nodiscard]] const std::filesystem::path& run_dir() const { return run_dir_; }

  /// Kills the process of that role. Returns the number of the process that came in its place, 0 if
  /// none came.
  pid_t kill_role(const std::string& role, int signal = SIGKILL);

  /// Kills the host service while none can start, as its socket's name is taken, and frees that
  /// name again. Returns whether a service came back then.
  bool break_host_service();

  /// Kills the keeper of a panel, and so the panel. Returns whether another panel came.
  bool kill_keeper_of(const std::string& role);

  /// Kills the keeper of the whole host. Returns whether the panel of that role came back.
  bool kill_host_keeper(const std::string& role);

  /// Kills a panel while none can start, as its keeper has too little memory for one.
  void lose(const std::string& role);

  /// Restarts a panel while it may have too little memory for its threads, until three processes
  /// have failed. Returns whether they have.
  bool starve(const std::string& role);

  [[nodiscard]] pid_t pid_of(const std::string& role) const;

  /// Kills a process above the panel of that role. Returns whether another panel came.
  bool kill_above(const std::string& role, pid_t above);

  /// Waits until all panels show new frames by the processes that the pid files name now.
  [[nodiscard]] bool all_show() const;

  Show finish() { return end_of(*program_, report_); }

  /// Ends the show before it has shown all frames.
  Show stop();

 private:
  /// Frames shown by each panel; empty while a panel is away.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> shown_by_processes() const;

  [[nodiscard]] std::optional<std::vector<std::int64_t>> eventually_shown() const;

  const std::filesystem::path run_dir_;
  const std::filesystem::path report_;
  std::optional<RunningProgram> program_;
};

/// The restarts of a role, in the order of the report.
[[nodiscard]] std::vector<nlohmann::json> restarts_of(const Show& show, const std::string& role);

/// Whether a panel showed pictures, and each time the frame that `other` showed at that instant.
/// Instants at which `other` showed nothing are not compared: it was away, left a frame out, or had
/// ended. A panel that is out of step has hardly an instant in common with it.
[[nodiscard]] bool is_in_step(const Show& show, const std::string& panel, const std::string& other);

/// How many frames a panel left out, of a show of restart_frames. What it showed lies in the
/// movie's order, without repeats.
[[nodiscard]] int left_out(const std::vector<ShownHash>& shown);

}  // namespace tilewall::test
