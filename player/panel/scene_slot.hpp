// Holds the newest scene, the timesteps of its live sources, and the scene that may be shown next.
// The link sets them; the decode thread and the presenting thread read them.
//
// Threads: any. Scenes are immutable once set.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>

#include "player/scene/arming_messages.hpp"
#include "player/scene/live_messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::panel {

using ScenePtr = std::shared_ptr<const scene::Scene>;
using LiveStepsPtr = std::shared_ptr<const scene::LiveSteps>;
using PreparedPtr = std::shared_ptr<const scene::PreparedScene>;

class SceneSlot {
 public:
  SceneSlot();

  /// Sets the scene unless the slot has its version or a newer one. `join_tick` is the first tick
  /// of the epoch in which this panel takes part, under late policy slow.
  void set(ScenePtr scene, std::int64_t join_tick = 0);

  /// The join tick of the newest scene; 0 where that has another epoch.
  [[nodiscard]] std::int64_t join_tick(std::uint64_t epoch) const;

  /// The newest scene; null before the first.
  [[nodiscard]] ScenePtr get() const;

  /// Sets the timesteps of a live source unless the slot has its number or a newer one.
  void set_live(const scene::LiveStep& step);
  /// The newest timesteps of all live sources; never null.
  [[nodiscard]] LiveStepsPtr live() const;

  /// Sets the scene that may be shown next; null: none. Each call counts as news, also with a scene
  /// that is there already: its sender wants to be told again.
  void set_prepared(PreparedPtr prepared);
  [[nodiscard]] PreparedPtr prepared() const;

  /// Whether there is a version above `version`, or other timesteps than `live`.
  [[nodiscard]] bool has_newer(std::uint64_t version, const LiveStepsPtr& live) const;
  /// Waits for a version above `version`, for other timesteps than `live`, or until another scene
  /// than `prepared` may be shown next; until `end` at most, or until `stop` is requested.
  void wait_news_until(std::uint64_t version, const LiveStepsPtr& live, const PreparedPtr& prepared,
                       LocalInstant end, const std::stop_token& stop) const;

  /// A descriptor that is readable when a scene was set since the last drain(). The presenting
  /// thread waits on it. The slot owns it.
  [[nodiscard]] int changed_fd() const noexcept { return changed_fd_.get(); }
  /// Makes changed_fd() unreadable until the next scene.
  void drain() const noexcept;

  /// Makes changed_fd() readable without a new scene.
  void wake() const noexcept;

 private:
  /// @pre mutex_ is locked
  [[nodiscard]] bool is_newer(std::uint64_t version, const LiveStepsPtr& live) const {
    return scene_ && (scene_->version > version || live_ != live);
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  ScenePtr scene_;              // guarded by mutex_
  LiveStepsPtr live_;           // guarded by mutex_; never null
  PreparedPtr prepared_;        // guarded by mutex_; null: none
  std::int64_t join_tick_ = 0;  // guarded by mutex_
  UniqueFd changed_fd_;
};

}  // namespace tilewall::panel
