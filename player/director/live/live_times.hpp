// When timesteps of one live source came and went on the wall, and what labels say of it.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "sync/global_time.hpp"

namespace tilewall::director {

class LiveTimes {
 public:
  /// A new run of the source begins.
  void begin_run() { whole_at_.clear(); }
  /// These timesteps of the run are in the memory of all hosts.
  void note_whole(const std::set<std::int64_t>& timesteps, GlobalInstant now);
  /// A frame is shown from `since` on. Panels were told at `asked_at` to draw it, if that is known.
  void note_shown(std::int64_t frame, GlobalInstant since, std::optional<GlobalInstant> asked_at);
  /// Continues what another director knew: gone_by(), and the frame on the wall.
  void go_on(std::uint64_t gone_by, std::int64_t frame);

  /// The timesteps that have gone by since the first one that was shown, with both ends and those
  /// that were not shown. A new run goes on with the first one of it that is shown.
  [[nodiscard]] std::uint64_t gone_by() const noexcept { return gone_by_; }

  /// Since when all hosts have had the timestep; empty: they never had it.
  [[nodiscard]] std::optional<GlobalInstant> whole_at(std::int64_t timestep) const;
  /// What the label says of a timestep that panels are about to draw, such as "age 0.31 s  4.9 per
  /// s  2 skipped": its age when it will be shown, if it takes as long as the last one, and how
  /// many timesteps are shown each second. At most scene::longest_live_note bytes.
  [[nodiscard]] std::string note_of(std::int64_t timestep, GlobalInstant now,
                                    std::uint64_t skipped) const;

 private:
  std::map<std::int64_t, GlobalInstant> whole_at_;  // the newest 8192 of the run
  std::deque<GlobalInstant> shown_at_;              // the last nine, oldest first
  std::uint64_t gone_by_ = 0;
  std::int64_t newest_ = -1;  // frame that was shown, the newest of its run; -1: none
  Nanos took_{0};             // from the order to draw the last timestep to its instant
};

}  // namespace tilewall::director
