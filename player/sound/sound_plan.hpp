// What is to be heard, over the scenes of a show: each takes effect at an instant, and the one
// before it lasts until then. A value: whoever plays holds a copy that does not change.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "player/scene/scene_paths.hpp"
#include "player/sound/audio_timeline.hpp"

namespace tilewall::sound {

struct SoundScene {
  GlobalInstant from;       ///< instant at which the scene takes effect
  std::uint64_t epoch = 0;  ///< Scene::epoch
  AudioTimeline timeline;
  double gain = 1;            ///< factor of the samples
  scene::OpacityPath fade{};  ///< a further factor: that of the region whose sound it is
};

class SoundPlan {
 public:
  /// What begins at `scene.from` or later no longer counts.
  void add(SoundScene scene);

  /// The wall has fallen behind the epoch's timeline by so much (late policy slow).
  void delay(std::uint64_t epoch, Nanos by);

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

/// A plan that is delayed as the director says. A scene of the delayed epoch that comes later has
/// the same delay.
class DelayedPlan {
 public:
  void add(SoundScene scene);

  /// Whether the delay of the epoch's sound changes. Changes below 1 ms are left out.
  bool delay(std::uint64_t epoch, Nanos by);

  void forget_before(GlobalInstant at) { plan_.forget_before(at); }

  [[nodiscard]] const SoundPlan& now() const noexcept { return plan_; }

 private:
  SoundPlan plan_;
  std::uint64_t delayed_epoch_ = 0;
  Nanos delay_{0};
};

// Which sound is needed soon: what a decoder is to have ready.

/// Seconds [from_s, until_s) of a file's sound.
struct SoundRequest {
  int file = no_sound_file;
  double from_s = 0;
  double until_s = 0;
};

inline constexpr Nanos sound_ahead = std::chrono::milliseconds(2500);

/// The first is needed first: what is due from `now` on for so long, across seams and changes; then
/// the beginnings of scenes that take effect later, a second of each. Pure.
[[nodiscard]] std::vector<SoundRequest> sound_requests(const SoundPlan& plan, GlobalInstant now,
                                                       Nanos ahead = sound_ahead);

}  // namespace tilewall::sound
