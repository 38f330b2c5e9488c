// When a panel's pictures are due, which of them are left out, and which of them were late.
//
// There are two scenes at a time: the newest one, and the one whose pictures are shown until the
// newest takes effect.
//
// Threads: the presenting thread's.
#pragma once

#include <optional>
#include <utility>

#include "player/panel/frame_wait.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::panel {

class PresentTiming {
 public:
  /// `gate` outlives this.
  PresentTiming(scene::LatePolicy late, ReleaseGate& gate) : late_(late), gate_(gate) {}

  /// A picture of that scene is shown next.
  void set_shown_scene(ScenePtr scene) { shown_scene_ = std::move(scene); }
  /// The scene of the picture that is shown, or is next; null before the first.
  [[nodiscard]] const ScenePtr& shown_scene() const noexcept { return shown_scene_; }

  /// When the picture is to be shown, `scene` being the newest. Empty while the policy "slow" has
  /// not released it.
  [[nodiscard]] std::optional<GlobalInstant> due_of(const DecodedPicture& picture,
                                                    const scene::Scene& scene);

  /// Whether another scene, or another tick of it, is shown when the picture would be due.
  [[nodiscard]] bool is_outdated(const DecodedPicture& picture, const scene::Scene& scene);

  /// Whether the picture is not shown because `following`, if there is one, is due at `now` as
  /// well. Under the policy "slow" every picture is shown.
  [[nodiscard]] bool is_overtaken(const DecodedPicture& picture,
                                  const std::optional<DecodedPicture>& following,
                                  const scene::Scene& scene, GlobalInstant now);

  // @pre there is a shown scene

  /// Whether a picture of that tick that was shown so much after its instant was late: by more than
  /// half of the time between two ticks.
  [[nodiscard]] bool is_late(std::int64_t tick, Nanos lateness) const;
  /// How long the presenting thread may stay awake before an instant.
  [[nodiscard]] Nanos most_awake() const;

 private:
  const scene::LatePolicy late_;
  ReleaseGate& gate_;
  ScenePtr shown_scene_;
};

/// Why a picture was late, or was left out for coming late.
[[nodiscard]] scene::LateCause late_cause(const DecodedPicture& picture, LocalInstant due) noexcept;

}  // namespace tilewall::panel
