// The axis that a clock daemon serves: one that began as its own clock, or that of the wall's other
// daemon, which its own clock carries on.
//
// The role is decided once, and kept for the life of the process. Without another daemon it begins
// an axis at once. With one it takes up the other's axis. It begins its own only where nobody
// answers there for `begin_after`, or where the other one waits as well and has the greater boot
// id. So two daemons that follow each other serve one axis, whichever starts first, and a machine
// that comes back joins the axis that the other one has carried on. No daemon follows one that
// follows it: see ClockFollower::Options::carries_axis. Threads: one owner. All instants are
// arguments.
#pragma once

#include <cstdint>

#include "sync/clock/clock_status.hpp"
#include "sync/global_time.hpp"

namespace tilewall::sync {

/// The fields that a clock daemon sends beside its stamps.
struct DaemonWord {
  std::uint64_t boot_id = 0;  ///< Boot id of its machine; another id means another clock
  /// Axis that it serves: the boot id of the clock that began it; 0: none yet.
  std::uint64_t axis_boot_id = 0;
  ClockMapping to_axis;       ///< Place of its clock on the axis ("local" is its clock)
  Nanos utc_minus_global{0};  ///< UTC anchor of the axis
};

class TimeAxisRole {
 public:
  static constexpr Nanos begin_after = std::chrono::seconds(3);

  /// `follows`: whether the wall has another daemon.
  TimeAxisRole(std::uint64_t own_boot_id, Nanos own_utc_minus_global, bool follows,
               LocalInstant start);

  /// The fields for a reply. `other`: status of this daemon's own client of the other daemon; its
  /// default without another one.
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
