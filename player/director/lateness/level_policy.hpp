// Late policy lower: decides how many pyramid levels below full the wall shows, from the panels'
// late frames and times per picture.
//
// All panels have one level. It goes down at once when a panel cannot hold the present level, and
// up after some quiet seconds in which the finer level would fit with a margin. A climb that did
// not hold doubles the quiet time before the next one. While the panels leave out ticks together, a
// step down that hardly shortens their pictures is taken back, and none follows for a minute: other
// work delays them then.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// The figures of a panel's report.
struct LevelReport {
  std::uint64_t late_frames = 0;  ///< frames since its last report that were drawn too late
  scene::DrawPace pace;
  int drawn_level = 0;  ///< level of the movie's pyramid
};

struct LevelStep {
  int coarser_by = 0;                ///< Scene::coarser_by from now on
  std::optional<std::size_t> panel;  ///< panel that could not hold the last level; empty: going up
  bool no_coarser = false;           ///< going back up, because the sources have no coarser level
};

class LevelPolicy {
 public:
  explicit LevelPolicy(std::size_t panels) : panels_(panels) {}

  void take(std::size_t panel, const LevelReport& report, LocalInstant now);
  /// Forgets a panel that has disconnected.
  void leave(std::size_t panel) { panels_.at(panel) = {}; }
  /// Notes that the wall shows other sources, which may have coarser levels.
  void show_another() { deepest_.reset(); }

  /// The change to make now; empty: none. `period` is the time between ticks; 0: a pause, in which
  /// nothing changes. `is_decimated`: the panels leave out ticks together, so that slow panels miss
  /// none.
  [[nodiscard]] std::optional<LevelStep> step(LocalInstant now, Nanos period,
                                              bool is_decimated = false);

  /// Continues at the level that another policy chose, which counts as a change now.
  void go_on(int level, LocalInstant now) {
    level_ = level;
    changed_at_ = quiet_since_ = now;
  }

  [[nodiscard]] int coarser_by() const noexcept { return level_; }

 private:
  struct LateReport {
    LocalInstant at;
    std::uint64_t frames = 0;
  };
  struct PanelFigures {
    bool is_there = false;
    std::vector<LateReport> late;  // reports of the last second
    scene::DrawPace pace;
    int drawn_level = 0;
    [[nodiscard]] std::uint64_t late_frames() const;
  };
  void forget_old(LocalInstant now);
  [[nodiscard]] bool has_pace(const PanelFigures& panel) const;
  /// The slowest panel's mean; empty until all have drawn enough at this level.
  [[nodiscard]] std::optional<Nanos> slowest() const;
  [[nodiscard]] std::optional<std::size_t> overtaxed(Nanos period, bool is_decimated) const;
  [[nodiscard]] bool drew_coarser() const;
  [[nodiscard]] bool finer_fits(Nanos period) const;
  /// Judges the last step down. Returns a step back up where it did not help.
  [[nodiscard]] std::optional<LevelStep> judge(Nanos mean, LocalInstant now, bool is_decimated);
  [[nodiscard]] std::optional<LevelStep> go_down(std::size_t panel, LocalInstant now);
  LevelStep change(int level, LocalInstant now);

  static constexpr Nanos shortest_quiet = std::chrono::seconds(3);

  std::vector<PanelFigures> panels_;
  int level_ = 0;
  LocalInstant changed_at_{Nanos::min() / 2};
  LocalInstant quiet_since_{Nanos::min() / 2};  // the finer level would fit since then
  LocalInstant climbed_at_{Nanos::min() / 2};
  Nanos quiet_needed_ = shortest_quiet;
  std::optional<int> deepest_;           // the coarsest level that the sources have, once known
  std::vector<int> drawn_before_;        // the panels' pyramid levels before the last step down
  bool untried_ = false;                 // the last step down is not judged yet
  std::optional<Nanos> slowest_before_;  // mean of the slowest panel at the level before
  LocalInstant no_deeper_until_{Nanos::min() / 2};
  // By level: factor of a picture's time at the next finer level.
  std::map<int, double> finer_cost_;
};

}  // namespace tilewall::director
