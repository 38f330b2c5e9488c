// Late policy "slow": which ticks the panels may show, and how much later than the timeline says.
//
// A tick is released once every panel that takes part has it decoded. It is due when its timeline
// says, plus the delay that the wall has gathered; where that is no longer far enough in the future
// for the message to arrive, the delay grows: the timeline is slowed, no frame is skipped. Pure;
// one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "player/scene/messages.hpp"

namespace tilewall::director {

class ReleasePlan {
 public:
  explicit ReleasePlan(std::size_t panels);

  /// A new epoch: nothing is ready or released, nothing delayed.
  void start(std::uint64_t epoch, const sync::TickGrid& grid);

  /// The panel has decoded all ticks of `epoch` up to `tick` from its join_tick on.
  void ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick);

  /// The panel is gone, or stalled: the others don't wait for it, until it is ready for all that
  /// they were given.
  void leave(std::size_t panel);

  /// The panel is there (again). Returns the first tick that it takes part in.
  std::int64_t join(std::size_t panel);

  /// The ticks that can be released now; empty when there is none. `lead`: how long before its
  /// instant the panels must know of a tick.
  [[nodiscard]] std::optional<scene::Release> release(GlobalInstant now, Nanos lead);

  [[nodiscard]] Nanos delay() const noexcept { return delay_; }
  /// One past the last released tick.
  [[nodiscard]] std::int64_t released_end() const noexcept { return released_end_; }
  /// The panel that holds the wall up: a tick's instant is past and the others wait for this one.
  [[nodiscard]] std::optional<std::size_t> slowest(GlobalInstant now) const;

 private:
  [[nodiscard]] bool overdue(GlobalInstant now) const;

  struct Member {
    bool present = false;
    std::int64_t ready_end = 0;  ///< one past the last decoded tick
  };
  std::vector<Member> members_;
  std::uint64_t epoch_ = 0;
  sync::TickGrid grid_;
  std::int64_t released_end_ = 0;
  Nanos delay_{0};
};

}  // namespace tilewall::director
