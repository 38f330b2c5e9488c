// Items of sound, as timelines hold them.
#pragma once

#include <memory>
#include <utility>

#include "player/sound/audio_timeline.hpp"

namespace tilewall::test {

[[nodiscard]] inline std::shared_ptr<const sound::SoundItems> sound_items(sound::SoundItems items) {
  return std::make_shared<const sound::SoundItems>(std::move(items));
}

/// One file from frame 0 on.
[[nodiscard]] inline std::shared_ptr<const sound::SoundItems> sound_item(int file, Rational fps,
                                                                         std::int64_t frames) {
  return sound_items({{file, fps, 0, frames, 0, 0}});
}

}  // namespace tilewall::test
