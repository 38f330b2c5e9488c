// Tells when a panel's pictures are due, which of them are left out, and which of them were late.
//
// It knows two scenes: the newest one, and the one whose pictures are shown until the newest takes
// effect. "lateness" is swap minus due; > 0 means that the swap came after the instant.
//
// Threads: one owner, the presenting thread.
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
  /// `gate` outlives this object.
  PresentTiming(scene::LatePolicy late, ReleaseGate& gate) : late_(late), gate_(gate) {}

  /// Sets the scene of the picture that is shown next.
  void set_shown_scene(ScenePtr scene) { shown_scene_ = std::move(scene); }
  /// The scene of the picture that is shown now or next; null before the first.
  [[nodiscard]] const ScenePtr& shown_scene() const noexcept { return shown_scene_; }

  /// The due instant of the picture; `scene` is the newest one. Empty while late policy slow has
  /// not released the picture.
  [[nodiscard]] std::optional<GlobalInstant> due_of(const DecodedPicture& picture,
                                                    const scene::Scene& scene);

  /// Whether the picture is never shown, because `scene` has taken effect by its due instant, or
  /// leaves out its tick.
  [[nodiscard]] bool is_outdated(const DecodedPicture& picture, const scene::Scene& scene);

  /// Whether the picture is left out because `following`, if there is one, is due at `now` already.
  /// Under late policy slow every picture is shown.
  [[nodiscard]] bool is_overtaken(const DecodedPicture& picture,
                                  const std::optional<DecodedPicture>& following,
                                  const scene::Scene& scene, GlobalInstant now);

  // @pre shown_scene() is not null

  /// Whether a picture with this lateness was late: by more than half of the time between two shown
  /// ticks.
  [[nodiscard]] bool is_late(std::int64_t tick, Nanos lateness) const;
  /// How long the presenting thread may stay awake before an instant.
  [[nodiscard]] Nanos most_awake() const;

 private:
  const scene::LatePolicy late_;
  ReleaseGate& gate_;
  ScenePtr shown_scene_;
};

/// The cause for a picture that was late, or was left out as late. `due` is its due instant.
[[nodiscard]] scene::LateCause late_cause(const DecodedPicture& picture, LocalInstant due) noexcept;

}  // namespace tilewall::panel
