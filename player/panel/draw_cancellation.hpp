// Tells whether the picture that a panel is drawing is still needed, and how long its source may
// keep the panel's other regions waiting.
//
// Threads: the decode thread sets the state, and the threads of sources read it. Each field is
// atomic by itself. A source may read a mixture of old and new fields, and asks again soon after.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "player/panel/scene_slot.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class DrawCancellation {
 public:
  /// Both outlive this.
  DrawCancellation(const SceneSlot& scenes, const GlobalClock& clock)
      : scenes_(scenes), clock_(clock) {}

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
  /// The source that is waited for from now on; null: none.
  void set_source(const scene::SourceSpec* source) noexcept { source_ = source; }
  /// The other regions wait for that source until `patience` at most.
  void set_patience(LocalInstant patience) noexcept { patience_ns_ = patience.since_epoch.count(); }
  void clear_patience() noexcept { patience_ns_ = INT64_MAX; }
  /// The picture is of a scene that may be shown next, and the running show needs the thread at
  /// `until`: no source is waited for any longer.
  void set_yield(LocalInstant until) noexcept { yield_ns_ = until.since_epoch.count(); }
  void clear_yield() noexcept { yield_ns_ = INT64_MAX; }

  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Any thread.

  /// Cancels this picture and all later ones, because the panel ends.
  void stop() noexcept { stopping_ = true; }

  /// Whether a newer scene is shown when the picture is due, or by the time that it can be drawn.
  [[nodiscard]] bool is_superseded() const {
    // Pictures of the old scene are still needed until the new scene takes effect.
    const ScenePtr newest = scenes_.get();
    if (newest->version == version_) return false;
    if (newest->epoch == epoch_ || due_ns_ >= newest->since.since_epoch.count()) return true;
    // The picture is late. It is given up for a scene that does without the source that is waited
    // for. A scene that needs the same source would only wait again: a wall that is slower than
    // the operator changes its scene has to finish a picture now and then.
    const bool does_without = source_ != nullptr && !needs(*newest, source_);
    const Nanos longest = does_without ? unneeded_limit : needed_limit;
    return clock_.mapping().to_global(local_now()) >= newest->since + longest;
  }

  /// Whether the scene's pictures are no longer needed.
  [[nodiscard]] bool scene_ended() const { return stopping_ || is_superseded(); }
  [[nodiscard]] bool is_past_limit() const { return local_now().since_epoch.count() > limit_ns_; }
  /// Whether the panel's other regions go on without the source.
  [[nodiscard]] bool is_out_of_patience() const {
    return local_now().since_epoch.count() > std::min(patience_ns_.load(), yield_ns_.load());
  }

  /// Whether the source's picture is no longer needed now.
  [[nodiscard]] bool is_cancelled() const {
    return scene_ended() || is_past_limit() || is_out_of_patience();
  }
  /// The same for sources that draw at once or not at all, which is_past_limit() does not concern.
  [[nodiscard]] bool is_unwanted() const { return scene_ended() || is_out_of_patience(); }
  [[nodiscard]] bool is_stopping() const noexcept { return stopping_; }

 private:
  // How long after a newer scene took effect a late picture of the old one is still finished.
  static constexpr Nanos unneeded_limit = std::chrono::milliseconds(300);
  static constexpr Nanos needed_limit = std::chrono::seconds(2);

  /// Whether the scene shows the source.
  [[nodiscard]] static bool needs(const scene::Scene& scene, const scene::SourceSpec* source) {
    if (scene.is_black()) return false;
    return std::ranges::any_of(scene.regions, [&](const scene::Region& region) {
      return region.source.get() == source ||
             std::ranges::any_of(region.source->items, [&](const scene::PlaylistItem& item) {
               return item.source.get() == source;
             });
    });
  }

  const SceneSlot& scenes_;
  const GlobalClock& clock_;
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::int64_t> due_ns_{0};                    // global time
  std::atomic<std::int64_t> limit_ns_{0};                  // local time
  std::atomic<std::int64_t> patience_ns_{INT64_MAX};       // local time
  std::atomic<std::int64_t> yield_ns_{INT64_MAX};          // local time
  std::atomic<const scene::SourceSpec*> source_{nullptr};  // only compared, never read
  std::atomic<bool> stopping_{false};
};

}  // namespace tilewall::panel
