// One exchange with the clock daemon: the four stamps of both ends.
#pragma once

#include "sync/global_time.hpp"

namespace tilewall::sync {

/// Each stamp errs, if at all, to the safe side: `sent` stamps are taken before the packet leaves
/// and `received` ones after it has come. So global time at `sent` is at most `remote_received`,
/// and at `received` at least `remote_sent`: two certain statements, whatever the path did.
///
/// The remote stamps are of the daemon's own clock. Where the daemon began the axis, that clock is
/// global time itself. Otherwise ClockFilter::place_daemon has its place on the axis.
struct ClockSample {
  LocalInstant sent;
  GlobalInstant remote_received;
  GlobalInstant remote_sent;
  LocalInstant received;

  /// Time on the path both ways, without the time that the daemon took.
  [[nodiscard]] Nanos round_trip() const noexcept {
    return (received - sent) - (remote_sent - remote_received);
  }
};

}  // namespace tilewall::sync
