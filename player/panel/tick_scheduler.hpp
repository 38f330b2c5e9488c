// Chooses the tick that a panel draws next: under late policies drop and lower the first tick that
// can still be shown in time, under slow every shown tick.
//
// It reads no clock; callers pass the instants. Threads: one owner, the decode thread.
#pragma once

#include <cstdint>

#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"
#include "sync/timeline/tick_grid.hpp"

namespace tilewall::panel {

/// Whether there is a picture to show at a tick.
enum class TickPicture {
  available,    ///< there is a new picture
  unchanged,    ///< no new picture came in time, and the last one stays
  interrupted,  ///< a newer scene has come, and the tick may be drawn again for it
};

class TickScheduler {
 public:
  explicit TickScheduler(scene::LatePolicy late) noexcept : late_(late) {}

  /// Begins the ticks of a new epoch at `first`.
  void begin(std::int64_t first) noexcept;

  /// Joins an epoch that runs already, at the first tick that is in time for a picture drawn by
  /// `done`.
  void join_late(const scene::Scene& scene, GlobalInstant done);

  /// The tick to draw now; its picture is drawn by `done`. Notes whether ticks are left out.
  [[nodiscard]] std::int64_t choose(const scene::Scene& scene, GlobalInstant done);

  /// Whether ticks were left out since the last drawn picture. The host's decoder has passed them
  /// too, so the panel should join it (FrameWait::joined_tick) instead of making it go back.
  [[nodiscard]] bool is_behind() const noexcept { return is_behind_; }

  /// How many shown ticks are left out if `tick` is drawn now.
  [[nodiscard]] std::int64_t left_out(const scene::Scene& scene, std::int64_t tick) const;

  /// Ends the chosen tick. An interrupted tick is chosen again.
  void finish(std::int64_t tick, TickPicture picture) noexcept;
  /// Notes that a picture was drawn.
  void note_drawn() noexcept;

  /// The first tick, `wanted` or later, that is in time for a picture drawn by `done`. Past the
  /// scene's last tick where `wanted` is.
  [[nodiscard]] std::int64_t next_tick(const scene::Scene& scene, std::int64_t wanted,
                                       GlobalInstant done) const;

  /// Whether a panel that is behind leaves out ticks. It does not under late policy slow, in a
  /// pause, or before the scene has a start.
  [[nodiscard]] bool drops(const sync::TickGrid& grid) const noexcept;

  /// Whether all ticks are drawn or left out.
  [[nodiscard]] bool is_over(const sync::TickGrid& grid) const noexcept {
    return is_past(grid, next_);
  }
  /// The first tick that is neither drawn nor left out.
  [[nodiscard]] std::int64_t next() const noexcept { return next_; }
  /// The tick that stays on the panel when is_over().
  [[nodiscard]] std::int64_t last_tick(const sync::TickGrid& grid) const noexcept {
    return grid.paused() ? 0 : next_ - 1;
  }

  /// Whether `tick` comes after the grid's last tick.
  [[nodiscard]] static bool is_past(const sync::TickGrid& grid, std::int64_t tick) noexcept;

  /// Whether the tick is due more than longest_drawn_ahead after `now`.
  [[nodiscard]] static bool is_far(const sync::TickGrid& grid, std::int64_t tick,
                                   GlobalInstant now) noexcept;

 private:
  const scene::LatePolicy late_;
  std::int64_t next_ = 0;   // the first tick that is neither drawn nor left out
  bool is_behind_ = false;  // the panel joined late or left ticks out, and drew nothing since
  bool has_drawn_ = false;  // a picture was drawn in this epoch
};

}  // namespace tilewall::panel
