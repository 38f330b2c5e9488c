// What a clock daemon serves: an axis that began as its own clock, or the axis of the other daemon
// of its wall, carried on by its own clock.
//
// Decided once, and kept for the life of the process. Without another daemon it begins an axis at
// once. With one it takes up that one's axis, and begins its own only where nobody answers there
// for `begin_after`, or the other one waits as well and has the greater boot id. So two daemons
// that follow each other serve one axis, whichever starts first, and a machine that comes back
// joins the axis that the other one has carried on. Nobody ever follows one that follows him: see
// ClockFollower::Options::carries_axis. Threads: one owner. All instants are arguments.
#pragma once

#include <cstdint>

#include "sync/clock/clock_status.hpp"
#include "sync/global_time.hpp"

namespace tilewall::sync {

/// What a clock daemon says of itself beside its stamps.
struct DaemonWord {
  std::uint64_t boot_id = 0;  ///< of its machine: another one, another clock
  std::uint64_t axis_boot_id =
      0;                      ///< the axis it serves: its boot id where it began it; 0: none yet
  ClockMapping to_axis;       ///< its clock's place on the axis ("local" is its clock)
  Nanos utc_minus_global{0};  ///< the axis's UTC anchor
};

class TimeAxisRole {
 public:
  static constexpr Nanos begin_after = std::chrono::seconds(3);

  /// `follows`: whether there is another daemon to look to.
  TimeAxisRole(std::uint64_t own_boot_id, Nanos own_utc_minus_global, bool follows,
               LocalInstant start);

  /// What to tell those who ask. `other`: what this daemon's own client knows of the other daemon;
  /// its default without one.
  [[nodiscard]] DaemonWord word(const ClockStatus& other, LocalInstant now) noexcept;

 private:
  enum class Role { waiting, begins, carries };
  [[nodiscard]] Role decide(const ClockStatus& other, LocalInstant now) const noexcept;

  std::uint64_t own_boot_id_;
  Nanos own_utc_minus_global_;
  LocalInstant start_;
  Role role_;
};

}  // namespace tilewall::sync
