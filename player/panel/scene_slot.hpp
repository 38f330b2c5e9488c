// The newest scene, where the panel's threads meet: the link sets it, decoder and presenter read
// it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>

#include "player/scene/scene.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::panel {

using ScenePtr = std::shared_ptr<const scene::Scene>;

/// Any thread. Scenes are immutable once set.
class SceneSlot {
 public:
  SceneSlot();

  /// Takes the scene unless one of its version or a newer one is there already. `join_tick`: under
  /// late policy slow the first tick of its epoch that this panel takes part in.
  void set(ScenePtr scene, std::int64_t join_tick = 0);

  /// The newest scene's, where that is of this epoch (Scene::epoch), else 0.
  [[nodiscard]] std::int64_t join_tick(std::uint64_t epoch) const;

  /// Null before the first one.
  [[nodiscard]] ScenePtr get() const;

  /// Waits for a version above `version`. Null when `stop` was requested first.
  [[nodiscard]] ScenePtr wait_newer(std::uint64_t version, const std::stop_token& stop) const;
  /// Likewise, no longer than until `end`.
  void wait_newer_until(std::uint64_t version, LocalInstant end, const std::stop_token& stop) const;

  /// Readable since the last drain() when a scene was set: ends a presenter's wait for an instant.
  [[nodiscard]] int changed_fd() const noexcept { return changed_fd_.get(); }
  void drain() const noexcept;

  /// Makes changed_fd() readable without a new scene.
  void wake() const noexcept;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  ScenePtr scene_;              // guarded by mutex_
  std::int64_t join_tick_ = 0;  // guarded by mutex_
  UniqueFd changed_fd_;
};

}  // namespace tilewall::panel
