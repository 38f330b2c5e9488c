// Late policy slow: decides which ticks the panels may show, and with which delay.
//
// A tick is released once every present panel has decoded it. It is shown at its due instant plus
// the delay of the wall. Where that is too soon for the message to arrive, the delay grows: the
// timeline is slowed, and no frame is skipped.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "player/scene/messages.hpp"

namespace tilewall::director {

class ReleasePlan {
 public:
  explicit ReleasePlan(std::size_t panels);

  /// Begins a new epoch: no tick is ready or released, and the delay is 0. For the same epoch only
  /// the grid is replaced.
  void start(std::uint64_t epoch, const sync::TickGrid& grid);

  /// Notes that the panel has decoded the ticks of `epoch` from its join tick up to `tick`.
  void ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick);

  /// Takes out a panel that has disconnected or stalled. The others no longer wait for it. A
  /// stalled panel is present again once it has decoded all released ticks.
  void leave(std::size_t panel);

  /// Adds a panel that has connected. Returns the first tick that it takes part in.
  std::int64_t join(std::size_t panel);

  /// Continues with the delay that the last director had.
  void go_on(Nanos delay) { delay_ = delay; }
  /// Adds a panel that goes on with the epoch after the director was started again. Ticks that were
  /// released to other panels only are released once more. Returns the first tick that the panel
  /// takes part in.
  std::int64_t rejoin(std::size_t panel, const scene::PanelStanding& standing);
  /// Lets the first panel that joins begin with that tick, where no tick was released yet.
  void begin_with(std::int64_t tick) {
    if (released_end_ == 0) released_end_ = tick;
  }

  /// Releases the ticks that all present panels have decoded; empty where there is none. Panels get
  /// the release at least `lead` before its first instant.
  [[nodiscard]] std::optional<scene::Release> release(GlobalInstant now, Nanos lead);

  /// The delay of the wall after its timelines.
  [[nodiscard]] Nanos delay() const noexcept { return delay_; }
  /// One past the last released tick.
  [[nodiscard]] std::int64_t released_end() const noexcept { return released_end_; }
  /// The slowest panel that the others wait for, once a tick's instant has passed; empty: none.
  [[nodiscard]] std::optional<std::size_t> slowest(GlobalInstant now) const;

 private:
  static constexpr std::int64_t no_tick = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool overdue(GlobalInstant now) const;

  struct Member {
    bool present = false;
    std::int64_t ready_end = 0;  ///< one past the last decoded tick
  };
  std::vector<Member> members_;
  std::uint64_t epoch_ = 0;
  sync::TickGrid grid_;
  std::int64_t released_end_ = 0;
  std::int64_t again_from_ = no_tick;  // released ticks from here on are released once more
  Nanos delay_{0};
};

}  // namespace tilewall::director
