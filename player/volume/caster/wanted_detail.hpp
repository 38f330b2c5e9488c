// The part of a timestep that a picture needs finer than the whole, and how far reading it is.
//
// Pure; guarded by its owner's mutex.
#pragma once

#include <cstdint>
#include <string>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/volume_levels.hpp"

namespace tilewall {

struct WantedDetail {
  std::int64_t timestep = 0;
  DetailChoice choice;
  ReadyTimestepPtr ready = {};  ///< what is there of it; null: nothing
  bool failed = false;
  std::string fault = {};  ///< of failed
  bool complete = false;   ///< `ready` has all of the choice

  /// Whether it has, or will have, all that `wanted` needs.
  [[nodiscard]] bool serves(std::int64_t of, const DetailChoice& wanted) const;
  /// Whether both are tiles of the same volume, so that what is there can stay.
  [[nodiscard]] bool can_become(std::int64_t of, const DetailChoice& wanted) const;
};

}  // namespace tilewall
