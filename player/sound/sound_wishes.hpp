// Which sound is needed soon: what a decoder is to have ready.
#pragma once

#include <vector>

#include "player/sound/sound_plan.hpp"

namespace tilewall {

/// Seconds [from_s, until_s) of a file's sound.
struct SoundWish {
  int file = no_sound_file;
  double from_s = 0;
  double until_s = 0;
};

inline constexpr Nanos sound_ahead = std::chrono::milliseconds(2500);

/// The first is needed first: what is due from `now` on for so long, across seams and changes; then
/// the beginnings of scenes that take effect later, a second of each. Pure.
[[nodiscard]] std::vector<SoundWish> sound_wishes(const SoundPlan& plan, GlobalInstant now,
                                                  Nanos ahead = sound_ahead);

}  // namespace tilewall
