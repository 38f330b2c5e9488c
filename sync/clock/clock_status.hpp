// What a host knows about global time right now; as published to all panels of the host.
#pragma once

#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall::sync {

enum class ClockState : std::uint32_t {
  collecting = 0,  ///< too few exchanges: show nothing by this clock yet
  locked = 1,      ///< in step; the mapping is steered without steps
  holdover = 2,    ///< the daemon does not answer: the mapping runs on, its bound grows
};

/// What holds before anything is known: local time with no bound at all.
[[nodiscard]] inline ClockMapping unknown_mapping() noexcept {
  ClockMapping mapping;
  mapping.bound_at_anchor = Nanos::max();
  return mapping;
}

/// Plain data: lies in shared memory as it stands.
struct ClockStatus {
  ClockMapping mapping = unknown_mapping();
  ClockState state = ClockState::collecting;
  std::uint32_t daemon = 0;     ///< the one followed: 0 the wall's first, 1 its standby
  Nanos round_trip_min{0};      ///< of the last 64 exchanges
  double drift_ppb = 0;         ///< of the LOCAL clock against global: > 0, it runs fast
  std::uint64_t samples = 0;    ///< exchanges used since the start
  std::uint64_t rejected = 0;   ///< exchanges whose stamps contradicted themselves or all others
  std::uint64_t lost = 0;       ///< requests without an answer
  std::uint64_t restarts = 0;   ///< times the axis changed under us and was learned anew
  std::uint64_t failovers = 0;  ///< times another daemon was taken up on the same axis
  std::uint64_t daemon_boot_id = 0;  ///< 0: none heard yet
  std::uint64_t axis_boot_id = 0;    ///< of the machine whose clock the axis began as; 0: none yet
  Nanos utc_minus_global{0};         ///< the axis's anchor: UTC since 1970 is global plus this
  LocalInstant updated;
  LocalInstant heard;  ///< when the newest exchange ended: a holdover lasts since then

  /// Local minus global time at `local`, as IEEE 1588 has it; > 0: the local clock is ahead.
  [[nodiscard]] Nanos offset_at(LocalInstant local) const noexcept {
    return local.since_epoch - mapping.to_global(local).since_epoch;
  }

  /// How long nobody has answered; 0 outside of holdover.
  [[nodiscard]] Nanos holdover_at(LocalInstant local) const noexcept {
    return state == ClockState::holdover ? local - heard : Nanos{0};
  }
};

[[nodiscard]] constexpr const char* to_string(ClockState state) noexcept {
  switch (state) {
    case ClockState::collecting:
      return "collecting";
    case ClockState::locked:
      return "locked";
    case ClockState::holdover:
      return "holdover";
  }
  return "unknown";
}

}  // namespace tilewall::sync
