// Decides how fine a tick's volumes are drawn, keeps a finer picture until all hosts of the wall
// show theirs, and reports how far this panel is.
//
// A scene that stands still is first drawn from coarse levels, and again once finer ones are
// loaded. On a wall with several hosts the finer pictures appear on all panels at
// Scene::detail_from.
//
// Threads: the decode thread owns it; report() may be asked by any.
#pragma once

#include <mutex>
#include <optional>

#include "player/panel/composer.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

/// Why a picture is drawn.
enum class DrawPurpose {
  next,    ///< its tick was not drawn yet
  repair,  ///< it was shown damaged, and what was missing has come
  refine,  ///< it was shown with coarser volumes than there are now
};

class DetailRefinement {
 public:
  /// `ring` outlives this.
  DetailRefinement(const PanelConfig& config, PictureRing& ring) noexcept
      : saves_pictures_(config.headless), late_(config.late), ring_(ring) {}

  /// A new epoch. `rejoins`: the panel comes to a show that goes on. Drops what was deferred.
  void begin(const Scene& scene, bool rejoins, GlobalInstant now);

  /// How the tick's volumes are to be drawn.
  [[nodiscard]] TickDetail detail_of(const Scene& scene, std::int64_t tick,
                                     DrawPurpose purpose) const;

  /// The tick was drawn: `status` and `better_comes` as the composer has them. Returns whether the
  /// director waits for the change of report() that follows from it.
  [[nodiscard]] bool note_drawn(const Scene& scene, std::int64_t tick, DrawPurpose purpose,
                                DrawStatus status, bool better_comes);

  /// Passes a picture to the ring; a refined one is deferred where the other hosts show theirs,
  /// too.
  void push(const Scene& scene, const DecodedPicture& picture, DrawPurpose purpose);

  /// Passes the deferred picture to the ring once the scene says from when on it is shown.
  void push_deferred(const Scene& scene);
  [[nodiscard]] bool is_deferring() const noexcept { return deferred_.has_value(); }

  [[nodiscard]] DetailReport report() const {
    const std::scoped_lock lock(mutex_);
    return report_;
  }

 private:
  const bool saves_pictures_;  // nobody watches a wall without windows
  const LatePolicy late_;
  PictureRing& ring_;
  bool joined_shown_ = false;  // the epoch's details were shown when this panel joined it
  std::optional<DecodedPicture> deferred_;  // its buffer is in no queue; of the current epoch
  mutable std::mutex mutex_;
  DetailReport report_;  // guarded by mutex_
};

}  // namespace tilewall
