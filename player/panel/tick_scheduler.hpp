// Chooses the tick that a panel draws next: under late policies drop and lower the first one that
// can still be shown in time, under slow each one that the wall shows.
//
// Pure: the caller says how late it is. Threads: one owner, the decode thread.
#pragma once

#include <cstdint>

#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"
#include "sync/timeline/tick_grid.hpp"

namespace tilewall::panel {

/// Whether there is a picture to show at a tick.
enum class TickPicture {
  available,    ///< a new one
  unchanged,    ///< nothing new came in time: what is shown stays
  interrupted,  ///< the scene changed meanwhile, so the tick is not shown as it was
};

class TickScheduler {
 public:
  explicit TickScheduler(scene::LatePolicy late) noexcept : late_(late) {}

  /// Begins the ticks of a new epoch at `first`.
  void begin(std::int64_t first) noexcept;

  /// The epoch has begun without this panel: goes on with the first tick that is still in time for
  /// a picture that is drawn at `done`.
  void join_late(const scene::Scene& scene, GlobalInstant done);

  /// The tick to draw now, where that takes until `done`. Notes when that leaves ticks out.
  [[nodiscard]] std::int64_t choose(const scene::Scene& scene, GlobalInstant done);

  /// Whether ticks were left out since the picture drawn last. The host's decoder, which has passed
  /// those as well, need then not go back for the tick chosen.
  [[nodiscard]] bool is_behind() const noexcept { return is_behind_; }

  /// How many ticks that the wall shows are left out if `tick` is drawn now.
  [[nodiscard]] std::int64_t left_out(const scene::Scene& scene, std::int64_t tick) const;

  /// What became of the tick that was chosen.
  void finish(std::int64_t tick, TickPicture picture) noexcept;
  /// A picture was drawn.
  void note_drawn() noexcept;

  /// The first tick, `wanted` or later, that is not too late for a picture that is drawn at `done`.
  /// Past the scene's last tick where `wanted` is.
  [[nodiscard]] std::int64_t next_tick(const scene::Scene& scene, std::int64_t wanted,
                                       GlobalInstant done) const;

  /// Whether ticks are left out where the panel is behind: not under late policy slow, and not
  /// while the scene stands still or has no start yet.
  [[nodiscard]] bool drops(const sync::TickGrid& grid) const noexcept;

  /// Whether all ticks are drawn, or left out.
  [[nodiscard]] bool is_over(const sync::TickGrid& grid) const noexcept {
    return is_past(grid, next_);
  }
  /// The tick that is shown from now on where all are drawn.
  [[nodiscard]] std::int64_t last_tick(const sync::TickGrid& grid) const noexcept {
    return grid.paused() ? 0 : next_ - 1;
  }

  /// Whether `tick` follows the grid's last one.
  [[nodiscard]] static bool is_past(const sync::TickGrid& grid, std::int64_t tick) noexcept;

  /// Whether the tick is due so late after `now` that it is not drawn yet.
  [[nodiscard]] static bool is_far(const sync::TickGrid& grid, std::int64_t tick,
                                   GlobalInstant now) noexcept;

 private:
  const scene::LatePolicy late_;
  std::int64_t next_ = 0;   // of those that are neither drawn nor left out
  bool is_behind_ = false;  // it joined late, or left ticks out, and drew none since
  bool has_drawn_ = false;  // in this epoch
};

}  // namespace tilewall::panel
