// Keeps the picture of the next timesteps of live sources, drawn over a picture that stays, until
// the director says from which instant it is shown.
//
// On a wall where something plays there is no such picture: each tick shows the timesteps that are
// due, and the director chooses instants that no panel has drawn ahead of. There a panel tells at
// once that it has drawn the next timestep, and the director asks the casters whether they have it.
//
// Threads: one owner, the decode thread.
#pragma once

#include <functional>
#include <optional>

#include "player/panel/composer.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/scene/live_messages.hpp"

namespace tilewall::panel {

class LiveAhead {
 public:
  using TellDrawn = std::function<void(const scene::LiveDrawn& drawn)>;

  /// `scenes` and `ring` outlive this object.
  LiveAhead(const SceneSlot& scenes, PictureRing& ring, TellDrawn tell_drawn)
      : scenes_(scenes), ring_(ring), tell_drawn_(std::move(tell_drawn)), steps_(scenes.live()) {}

  /// Whether the scene has a live source.
  [[nodiscard]] static bool is_in(const scene::Scene& scene) noexcept;

  /// Takes the newest timesteps.
  void update() { steps_ = scenes_.live(); }
  /// Whether there are newer ones.
  [[nodiscard]] bool has_news() const { return steps_ != scenes_.live(); }
  /// The timesteps of the last update(); never null.
  [[nodiscard]] const LiveStepsPtr& steps() const noexcept { return steps_; }

  /// Drops the picture, which shows another scene.
  void begin_epoch();
  /// Drops the picture unless it is wanted() next. To be called before a buffer is acquired:
  /// another of the ring's few buffers may hold a finer picture that waits for the director as
  /// well.
  void drop_unwanted(const scene::Scene& scene);

  /// The frames of the scene's regions at an instant.
  [[nodiscard]] RegionFrames frames(const scene::Scene& scene, GlobalInstant at) const {
    return scene::frames_of(scene, *steps_, at);
  }
  /// The last instant from which a timestep is shown; the least instant where there is none.
  [[nodiscard]] GlobalInstant newest_instant() const noexcept;

  /// A picture that has to be drawn, or shown.
  struct Wanted {
    RegionFrames frames;
    GlobalInstant from;  ///< when it is shown; `never`: that is not known yet
  };
  /// What is to be done next; empty: nothing.
  [[nodiscard]] std::optional<Wanted> wanted(const scene::Scene& scene) const;

  /// Notes the frames of a picture that stays, and was passed to the ring.
  void note_shown(const RegionFrames& frames) { shown_ = frames; }
  /// Those frames; empty before an epoch's first picture.
  [[nodiscard]] const RegionFrames& shown() const noexcept { return shown_; }
  /// The instant from which they are shown; the least one where that is the scene's. Better
  /// pictures of them are not shown before it either.
  [[nodiscard]] GlobalInstant shown_from() const noexcept { return shown_from_; }
  /// Whether the picture with these frames is kept, or is the newest in the ring: a timestep that
  /// is shown again needs no other picture.
  [[nodiscard]] bool has(const RegionFrames& frames) const {
    return frames == shown_ || (kept_ && kept_->frames == frames);
  }
  /// Keeps a picture, whose buffer is in no queue. @pre none is kept
  void keep(const DecodedPicture& picture, RegionFrames frames) {
    kept_ = {picture, std::move(frames)};
  }
  /// Tells that the picture is drawn, or shows it at its instant. @pre has(wanted.frames)
  void settle(const Wanted& wanted);
  /// Tells that all next timesteps are drawn, once each.
  void tell_drawn();

 private:
  struct Kept {
    DecodedPicture picture;
    RegionFrames frames;
  };

  void drop();

  const SceneSlot& scenes_;
  PictureRing& ring_;
  const TellDrawn tell_drawn_;
  LiveStepsPtr steps_;
  RegionFrames shown_;  // of the last picture in the ring; empty before an epoch's first
  GlobalInstant shown_from_{Nanos::min()};
  std::optional<Kept> kept_;
  scene::LiveSteps told_;  // the steps of the last tell_drawn()
};

}  // namespace tilewall::panel
