// Late policy "lower": how many pyramid levels below full the wall shows, from what its panels say
// of their late frames and of the time a picture takes them.
//
// One level for all panels. Down at once when a panel cannot hold the one shown; up after some
// quiet seconds in which the measured times say that the finer one fits with margin. A climb that
// did not hold doubles the quiet that the next one takes. While the panels leave out ticks
// together, a step down that hardly shortens their pictures is taken back, and none follows for a
// minute: other work delays them. Pure; one owner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// What a panel's report says.
struct LevelReport {
  std::uint64_t late_frames = 0;  ///< since its last report, for want of drawing time
  scene::DrawPace pace;
  int drawn_level = 0;  ///< of the movie's pyramid
};

struct LevelStep {
  int coarser_by = 0;                ///< from now on
  std::optional<std::size_t> panel;  ///< that could not hold the level before; empty: going up
  bool no_coarser = false;  ///< back up, as nothing was coarser: the panels have no level below
};

class LevelPolicy {
 public:
  explicit LevelPolicy(std::size_t panels) : panels_(panels) {}

  void take(std::size_t panel, const LevelReport& report, LocalInstant now);
  /// The panel is gone: its figures count no more.
  void leave(std::size_t panel) { panels_.at(panel) = {}; }
  /// What is shown has other levels from now on: a coarser one is worth another try.
  void show_another() { deepest_.reset(); }

  /// What is to change now. `period`: of the ticks; 0 = paused, when nothing changes.
  /// `is_decimated`: the panels leave out ticks together, and so miss none although they are slow.
  [[nodiscard]] std::optional<LevelStep> step(LocalInstant now, Nanos period,
                                              bool is_decimated = false);

  [[nodiscard]] int coarser_by() const noexcept { return level_; }

 private:
  struct LateReport {
    LocalInstant at;
    std::uint64_t frames = 0;
  };
  struct PanelFigures {
    bool is_there = false;
    std::vector<LateReport> late;  // of the last second
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
  /// What the last step down has brought: one back up where it was no help.
  [[nodiscard]] std::optional<LevelStep> judge(Nanos mean, LocalInstant now, bool is_decimated);
  [[nodiscard]] std::optional<LevelStep> go_down(std::size_t panel, LocalInstant now);
  LevelStep change(int level, LocalInstant now);

  static constexpr Nanos shortest_quiet = std::chrono::seconds(3);

  std::vector<PanelFigures> panels_;
  int level_ = 0;
  LocalInstant changed_at_{Nanos::min() / 2};
  LocalInstant quiet_since_{Nanos::min() / 2};  // since when the finer level would fit
  LocalInstant climbed_at_{Nanos::min() / 2};
  Nanos quiet_needed_ = shortest_quiet;
  std::optional<int> deepest_;        // there is nothing coarser than this
  std::vector<int> drawn_before_;     // pyramid levels, before the last step down
  bool untried_ = false;              // whether the last step down helps is not known yet
  std::optional<Nanos> mean_before_;  // of the panel that asked for that step, at the level before
  std::optional<Nanos> slowest_before_;  // likewise, of the slowest panel
  LocalInstant no_deeper_until_{Nanos::min() / 2};
  std::map<int, double> finer_cost_;  // of a level: so many times its own time the finer one takes
};

}  // namespace tilewall::director
