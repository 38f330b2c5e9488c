// Says whether the picture that a panel is drawing is still needed.
//
// Threads: the decode thread owns it. The sources' own threads ask it, too, so all of its state is
// atomic; a source that reads a value from just before a change asks again soon after.
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

  /// The scene of this version is drawn from now on.
  void set_version(std::uint64_t version) noexcept { version_ = version; }
  /// Scene::epoch of the scene that is drawn.
  void set_epoch(std::uint64_t epoch) noexcept { epoch_ = epoch; }
  /// The picture that is drawn is due then.
  void set_due(GlobalInstant due) noexcept { due_ns_ = due.since_epoch.count(); }
  /// Any newer scene ends what is drawn, whenever it takes effect.
  void set_due_never() noexcept { due_ns_ = INT64_MAX; }
  /// The picture is needed no longer than until then.
  void set_limit(LocalInstant limit) noexcept { limit_ns_ = limit.since_epoch.count(); }
  void clear_limit() noexcept { limit_ns_ = INT64_MAX; }

  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Any thread.

  /// The panel ends: nothing is needed any more.
  void stop() noexcept { stopping_ = true; }

  /// Whether a newer scene is shown when the picture is due.
  [[nodiscard]] bool is_superseded() const {
    // Pictures of the scene before are still needed up to the instant when the new one takes
    // effect.
    const ScenePtr newest = scenes_.get();
    return newest->version != version_ &&
           (newest->epoch == epoch_ || due_ns_ >= newest->since.since_epoch.count());
  }

  /// Whether nothing of the scene is drawn any more.
  [[nodiscard]] bool scene_ended() const { return stopping_ || is_superseded(); }
  [[nodiscard]] bool is_past_limit() const { return local_now().since_epoch.count() > limit_ns_; }

  /// Whether nobody waits for the picture any more.
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
