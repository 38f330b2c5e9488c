// A host's state of knowledge about global time, as published to all panels of the host.
#pragma once

#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall::sync {

enum class ClockState : std::uint32_t {
  collecting = 0,  ///< Too few exchanges: show nothing by this clock yet
  locked = 1,      ///< The mapping follows the daemon, and is steered without steps
  holdover = 2,    ///< The daemon does not answer: the mapping runs on, and its bound grows
};

/// The mapping before anything is known: local time with the widest bound.
[[nodiscard]] inline ClockMapping unknown_mapping() noexcept {
  ClockMapping mapping;
  mapping.bound_at_anchor = Nanos::max();
  return mapping;
}

/// Plain data, which lies in shared memory as it stands.
struct ClockStatus {
  ClockMapping mapping = unknown_mapping();
  ClockState state = ClockState::collecting;
  std::uint32_t daemon = 0;     ///< The daemon followed: 0 the wall's first, 1 its standby
  Nanos round_trip_min{0};      ///< Least round trip of the last 64 exchanges
  double drift_ppb = 0;         ///< Rate of the LOCAL clock against global; > 0: it runs fast
  std::uint64_t samples = 0;    ///< Exchanges used since the start
  std::uint64_t rejected = 0;   ///< Exchanges whose stamps contradicted themselves or all others
  std::uint64_t lost = 0;       ///< Requests without an answer
  std::uint64_t restarts = 0;   ///< Times that the axis changed and was learned anew
  std::uint64_t failovers = 0;  ///< Changes to another daemon on the same axis
  std::uint64_t daemon_boot_id = 0;  ///< Boot id of the daemon followed; 0: none heard yet
  /// Boot id of the machine whose clock began the axis; 0: none yet.
  std::uint64_t axis_boot_id = 0;
  Nanos utc_minus_global{0};  ///< The axis's anchor: UTC since 1970 is global time plus this
  LocalInstant updated;
  LocalInstant heard;  ///< End of the newest exchange; a holdover lasts since then

  /// Local minus global time at `local`, as IEEE 1588 has it; > 0: the local clock is ahead.
  [[nodiscard]] Nanos offset_at(LocalInstant local) const noexcept {
    return local.since_epoch - mapping.to_global(local).since_epoch;
  }

  /// Time since the last answer; 0 outside of holdover.
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
