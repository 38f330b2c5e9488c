// Decides how fine a tick's volumes are drawn, defers a finer picture until all panels of the wall
// show theirs, and reports the panel's progress.
//
// A scene that stands still is first drawn from coarse levels, and again once finer ones are
// loaded. On a wall with several panels the finer pictures appear on all panels at
// Scene::detail_from.
//
// Threads: one owner, the decode thread. report() may be called by any thread.
#pragma once

#include <mutex>
#include <optional>

#include "player/panel/composer.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// Why a picture is drawn.
enum class DrawPurpose {
  next,    ///< The tick was not drawn yet
  repair,  ///< The tick was shown damaged, and the missing frame has come
  refine,  ///< The tick was shown from coarser volumes than are loaded now
  live     ///< The next timestep of a live source, which waits for its instant
};

class DetailRefinement {
 public:
  /// `ring` outlives this.
  DetailRefinement(const scene::PanelConfig& config, PictureRing& ring) noexcept
      : saves_pictures_(config.headless), late_(config.late), ring_(ring) {}

  /// Begins a new epoch, and drops a deferred picture. `rejoins`: this panel comes to a show that
  /// is running already.
  void begin(const scene::Scene& scene, bool rejoins, GlobalInstant now);

  /// How fine the tick's volumes are to be drawn.
  [[nodiscard]] TickDetail detail_of(const scene::Scene& scene, std::int64_t tick,
                                     DrawPurpose purpose) const;

  /// Notes that the tick was drawn, with the composer's `status` and `better_comes`. Returns
  /// whether report() has changed in a way that the director waits for.
  [[nodiscard]] bool note_drawn(const scene::Scene& scene, std::int64_t tick, DrawPurpose purpose,
                                picture::DrawStatus status, bool better_comes);

  /// Passes a picture of the regions' `frames` to the ring. A refined picture is deferred instead
  /// on a wall with several panels.
  void push(const scene::Scene& scene, const DecodedPicture& picture, const RegionFrames& frames,
            DrawPurpose purpose);

  /// Passes the deferred picture to the ring once the scene has the instant of its stage. `frames`
  /// are the regions' frames by now: a picture that has others, an earlier timestep of a live
  /// source, is dropped.
  void push_deferred(const scene::Scene& scene, const RegionFrames& frames);
  /// Drops the deferred picture. Its buffer is free again.
  void drop_deferred();
  [[nodiscard]] bool is_deferring() const noexcept { return deferred_.has_value(); }

  [[nodiscard]] scene::DetailReport report() const {
    const std::scoped_lock lock(mutex_);
    return report_;
  }

 private:
  /// The stage of volumes in the tick's picture.
  [[nodiscard]] int stage_of(const scene::Scene& scene, std::int64_t tick) const;

  const bool saves_pictures_;  // a wall without windows
  const scene::LatePolicy late_;
  PictureRing& ring_;
  bool joined_shown_ = false;  // the wall showed the epoch's details when this panel joined
  GlobalInstant joined_at_;    // when this panel came to a running show; 0: at its start
  struct Deferred {
    DecodedPicture picture;
    RegionFrames frames;
    int stage = 0;  // of volumes in the picture
  };
  // Picture of the current epoch; its buffer is in no queue.
  std::optional<Deferred> deferred_;
  mutable std::mutex mutex_;
  scene::DetailReport report_;  // guarded by mutex_
};

}  // namespace tilewall::panel
