// Keeps the director's messages until the panel's threads take them: the config, scenes, released
// ticks, snapshot orders, the scene that may be shown next, and quit.
//
// Threads: the link's thread calls the functions of link_callbacks(). Any other thread may call the
// rest, and use the returned parts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "player/panel/director_link.hpp"
#include "player/panel/frame_wait.hpp"
#include "player/panel/kept_snapshots.hpp"
#include "player/panel/panel_counters.hpp"
#include "player/panel/panel_pictures.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class PanelInbox {
 public:
  /// `clock` outlives this object.
  explicit PanelInbox(const GlobalClock& clock) : clock_(clock) {}

  /// Callbacks for the link, which must not outlive this object. `report` is passed through. `pace`
  /// tells how fast the panel draws.
  [[nodiscard]] DirectorLink::Callbacks link_callbacks(
      std::function<std::vector<scene::ShownBatch>(bool again)> report,
      std::function<scene::DrawPace()> pace);

  /// Notes that the panel's first picture is ready.
  void note_primed() noexcept { primed_ = true; }
  /// Late policy slow: notes that the panel has drawn the ticks of the epoch up to `tick`.
  void note_ready(std::uint64_t epoch, std::int64_t tick);

  /// Waits for the first config. Throws JobError when none has come within `limit`.
  [[nodiscard]] scene::PanelConfig wait_for_config(std::chrono::milliseconds limit);

  [[nodiscard]] bool quits() const noexcept { return quits_; }
  [[nodiscard]] SceneSlot& scenes() noexcept { return scenes_; }
  [[nodiscard]] ReleaseGate& gate() noexcept { return gate_; }
  [[nodiscard]] SnapshotOrders& snapshot_orders() noexcept { return snapshot_orders_; }
  /// Pictures for snapshots that the director has not written yet.
  [[nodiscard]] KeptSnapshots& kept_snapshots() noexcept { return kept_snapshots_; }
  /// Which pictures clients watch.
  [[nodiscard]] const WatchedBy& watched() const noexcept { return watched_; }
  [[nodiscard]] ChangeStamp& change_stamp() noexcept { return change_stamp_; }

 private:
  [[nodiscard]] std::optional<scene::PanelStanding> standing(const scene::DrawPace& pace);
  void take_config(const scene::PanelConfig& config);
  void take_scene(scene::Scene scene, std::int64_t join_tick);

  const GlobalClock& clock_;
  SceneSlot scenes_;
  ReleaseGate gate_;
  SnapshotOrders snapshot_orders_;
  KeptSnapshots kept_snapshots_;
  WatchedBy watched_;
  ChangeStamp change_stamp_;
  std::atomic<bool> quits_{false};
  std::atomic<bool> primed_{false};
  std::mutex mutex_;
  std::condition_variable config_came_;
  std::optional<scene::PanelConfig> config_;  // guarded by mutex_
  std::uint64_t ready_epoch_ = 0;             // guarded by mutex_
  std::int64_t ready_end_ = 0;  // guarded by mutex_; one past the tick of note_ready()
};

}  // namespace tilewall::panel
