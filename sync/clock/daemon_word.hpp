// What a clock daemon says of itself beside its stamps.
#pragma once

#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall {

struct DaemonWord {
  std::uint64_t boot_id = 0;  ///< of its machine: another one, another clock
  std::uint64_t axis_boot_id =
      0;                      ///< the axis it serves: its boot id where it began it; 0: none yet
  ClockMapping to_axis;       ///< its clock's place on the axis ("local" is its clock)
  Nanos utc_minus_global{0};  ///< the axis's UTC anchor
};

}  // namespace tilewall
