// The ranks of a rendering: places on this machine or on all hosts of a wall, and the processes
// that run there.
//
// The crew starts the processes, passes on what they answer, and starts again those that end: at
// once, then after pauses of 1 to 10 s. It does not know which frames they draw.
//
// Threads: the caller's. The calling process may have none that holds a lock, as ranks are forked
// from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "player/movie/convert/progress_sink.hpp"
#include "player/rendering/frame_painter.hpp"
#include "player/rendering/rank_messages.hpp"
#include "player/rendering/ranks/rank_process.hpp"
#include "player/supervisor/launch.hpp"
#include "player/supervisor/launch_folder.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::rendering {

struct RankOptions {
  int ranks = 1;                    ///< on each host, 1 to most_ranks_a_host; they share its cores
  bool local = false;               ///< all on this machine, whatever the wall file names
  std::string launcher = "mpirun";  ///< starts ranks on other hosts, as in SupervisorOptions
};

/// How far a rank has come. asked: it draws samples.
enum class RankState { waits, opening, opened, asked, preparing, draws, refused };

/// A word or two for people, such as "opens the volume".
[[nodiscard]] std::string_view to_string(RankState state);

/// A rank's place: the process that runs there now, and how its predecessors fared.
struct RankPlace {
  supervisor::LaunchHost host;
  std::size_t index = 0;
  std::string label;  ///< for people
  std::filesystem::path folder;
  std::unique_ptr<RankProcess> process;  ///< null where none runs
  RankState state = RankState::waits;
  double asked_at_s = 0;  ///< state asked: since when
  double start_at_s = 0;  ///< state waits: when the next one is started
  double pause_s = 0;
  std::size_t most_under_way = 2;
  std::int64_t stored = 0;  ///< frames
  int failures = 0;         ///< since a frame was stored
  std::string reason;       ///< why the last one ended
};

/// Who gives work to a crew, and gets what it answers.
class CrewListener {
 public:
  virtual ~CrewListener() = default;
  /// An answer other than a note. Throws DamagedAnswer where it makes no sense in the place's
  /// state: the rank is started again.
  virtual void take(RankPlace& place, const RankAnswer& answer) = 0;
  /// The place's process is gone, and the place waits for another one or is left out. `before` is
  /// its state until now.
  virtual void lost(const RankPlace& place, RankState before) = 0;
};

class RankCrew {
 public:
  /// Checks the launcher, and makes the places; starts nothing yet. All arguments outlive this.
  /// Throws InputError for the launcher.
  RankCrew(const PictureJob& pictures, const wall::Wall& wall, const RankOptions& options,
           const std::stop_token& stop, movie::ProgressSink& progress);

  /// Seconds since the crew was made.
  [[nodiscard]] double now_s() const;

  [[nodiscard]] std::deque<RankPlace>& places() noexcept { return places_; }
  [[nodiscard]] const std::deque<RankPlace>& places() const noexcept { return places_; }

  /// Asks the hosts whether they can run a rank. Those that cannot are left out, with a line.
  void leave_out_unfit_hosts(CrewListener& listener);

  /// Starts the processes that are due, waits a moment for answers, and passes them on. Throws
  /// JobError after a stop, and what the listener throws.
  void turn(CrewListener& listener);

  /// Ends the place's process for good, with a line.
  void leave_out(RankPlace& place, const std::string& reason, CrewListener& listener);

  /// Throws the reason of the last rank where none works or is likely to.
  void throw_if_stuck() const;

  /// Kills all processes.
  void end();

 private:
  void make_places();
  void start(RankPlace& place);
  void wait();
  void look_at(RankPlace& place, CrewListener& listener);
  void pass_on(RankPlace& place, const RankAnswer& answer, CrewListener& listener);
  void lose(RankPlace& place, const std::string& reason, CrewListener& listener);

  const PictureJob& pictures_;
  const wall::Wall& wall_;
  const RankOptions& options_;
  const std::stop_token& stop_;
  movie::ProgressSink& progress_;
  const bool several_hosts_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const supervisor::LaunchFolder folder_{"render"};
  std::set<std::pair<std::string, std::size_t>> told_;  // notes
  std::deque<RankPlace> places_;  // last: ranks end before the folder that they use
};

}  // namespace tilewall::rendering
