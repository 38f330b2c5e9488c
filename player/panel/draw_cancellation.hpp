// Tells whether the picture that a panel is drawing is still needed.
//
// Threads: the decode thread sets the state, and the threads of sources read it. Each field is
// atomic by itself. A source may read a mixture of old and new fields, and asks again soon after.
#pragma once

#include <atomic>
#include <cstdint>

#include "player/panel/scene_slot.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class DrawCancellation {
 public:
  /// `scenes` outlives this.
  explicit DrawCancellation(const SceneSlot& scenes) : scenes_(scenes) {}

  // The decode thread only.

  /// Scene::version of the scene that is drawn from now on.
  void set_version(std::uint64_t version) noexcept { version_ = version; }
  /// Scene::epoch of the scene that is drawn.
  void set_epoch(std::uint64_t epoch) noexcept { epoch_ = epoch; }
  /// The due instant of the picture that is drawn.
  void set_due(GlobalInstant due) noexcept { due_ns_ = due.since_epoch.count(); }
  /// Any newer scene cancels the picture, whenever that scene takes effect.
  void set_due_never() noexcept { due_ns_ = INT64_MAX; }
  /// The picture is needed until `limit` at most.
  void set_limit(LocalInstant limit) noexcept { limit_ns_ = limit.since_epoch.count(); }
  void clear_limit() noexcept { limit_ns_ = INT64_MAX; }

  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Any thread.

  /// Cancels this picture and all later ones, because the panel ends.
  void stop() noexcept { stopping_ = true; }

  /// Whether a newer scene is shown when the picture is due.
  [[nodiscard]] bool is_superseded() const {
    // Pictures of the old scene are still needed until the new scene takes effect.
    const ScenePtr newest = scenes_.get();
    return newest->version != version_ &&
           (newest->epoch == epoch_ || due_ns_ >= newest->since.since_epoch.count());
  }

  /// Whether the scene's pictures are no longer needed.
  [[nodiscard]] bool scene_ended() const { return stopping_ || is_superseded(); }
  [[nodiscard]] bool is_past_limit() const { return local_now().since_epoch.count() > limit_ns_; }

  /// Whether the picture is no longer needed.
  [[nodiscard]] bool is_cancelled() const { return scene_ended() || is_past_limit(); }

 private:
  const SceneSlot& scenes_;
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::int64_t> due_ns_{0};    // global time
  std::atomic<std::int64_t> limit_ns_{0};  // local time
  std::atomic<bool> stopping_{false};
};

}  // namespace tilewall::panel
