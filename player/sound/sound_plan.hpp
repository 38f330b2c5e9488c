// What is to be heard, over the scenes of a show: each takes effect at an instant, and the one
// before it lasts until then. A value: whoever plays holds a copy that does not change.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "player/sound/audio_timeline.hpp"

namespace tilewall {

struct SoundScene {
  GlobalInstant from;          ///< takes effect then
  std::uint64_t schedule = 0;  ///< as the scene numbers it
  AudioTimeline timeline;
  double gain = 1;  ///< factor of the samples
};

class SoundPlan {
 public:
  /// What begins at `scene.from` or later no longer counts.
  void add(SoundScene scene);

  /// The wall has fallen behind the schedule's timeline by so much (late policy slow).
  void delay(std::uint64_t schedule, Nanos by);

  /// The piece that holds `at`.
  [[nodiscard]] SoundPiece piece_at(GlobalInstant at) const noexcept;
  [[nodiscard]] double gain_at(GlobalInstant at) const noexcept;

  /// Where the scenes begin that take effect after `at`.
  [[nodiscard]] std::vector<GlobalInstant> starts_after(GlobalInstant at) const;

  /// Forgets what was over at `at`.
  void forget_before(GlobalInstant at);

 private:
  struct Entry {
    SoundScene scene;
    Nanos delay{0};
  };
  /// Its place; entries_.size() before the first one.
  [[nodiscard]] std::size_t index_at(GlobalInstant at) const noexcept;

  std::deque<Entry> entries_;  // by scene.from, rising
};

}  // namespace tilewall
