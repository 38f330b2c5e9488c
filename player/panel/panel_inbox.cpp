#include "player/panel/panel_inbox.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "player/panel/panel_report.hpp"
#include "sync/base/error.hpp"

namespace tilewall::panel {

DirectorLink::Callbacks PanelInbox::link_callbacks(
    std::function<std::vector<scene::ShownBatch>(bool again)> report,
    std::function<scene::DrawPace()> pace) {
  return {[this](const scene::PanelConfig& config) { take_config(config); },
          [this](scene::Scene scene, std::int64_t join_tick) {
            take_scene(std::move(scene), join_tick);
          },
          [this](const scene::Release& release) {
            gate_.add(release);
            scenes_.wake();
          },
          [this](const scene::LiveStep& step) { scenes_.set_live(step); },
          [this](PreparedPtr prepared) { scenes_.set_prepared(std::move(prepared)); },
          [this](const SnapshotOrder& order) { snapshot_orders_.add(order); },
          [this] {
            quits_ = true;
            scenes_.wake();
          },
          std::move(report),
          [this, pace = std::move(pace)] { return standing(pace()); },
          {},
          [this](const scene::SnapshotBand& band) { return kept_snapshots_.band(band); },
          [this](const scene::SnapshotName& name) { kept_snapshots_.forget(name); },
          [this](const scene::WatchOrder& order) { watched_.set(order); }};
}

void PanelInbox::note_ready(std::uint64_t epoch, std::int64_t tick) {
  const std::scoped_lock lock(mutex_);
  if (epoch < ready_epoch_) return;
  if (std::exchange(ready_epoch_, epoch) != epoch) ready_end_ = 0;
  ready_end_ = std::max(ready_end_, tick + 1);
}

std::optional<scene::PanelStanding> PanelInbox::standing(const scene::DrawPace& pace) {
  const ScenePtr scene = scenes_.get();
  if (!scene) return std::nullopt;
  scene::PanelStanding standing{scene->version, scene->epoch, primed_, pace, host_cpus(), 0, 0, 0};
  if (const auto released = gate_.newest(scene->epoch)) {
    standing.released_end = released->tick + 1;
    standing.delay_ns = released->delay_ns;
  }
  const std::scoped_lock lock(mutex_);
  if (ready_epoch_ == scene->epoch) standing.ready_end = ready_end_;
  return standing;
}

scene::PanelConfig PanelInbox::wait_for_config(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (!config_came_.wait_for(lock, limit, [&] { return config_.has_value(); }))
    throw JobError("panel: no director answers");
  return *config_;
}

void PanelInbox::take_config(const scene::PanelConfig& config) {
  const std::scoped_lock lock(mutex_);
  if (config_) return;  // a second connection sends the same config again
  config_ = config;
  config_came_.notify_all();
}

void PanelInbox::take_scene(scene::Scene scene, std::int64_t join_tick) {
  change_stamp_.received(scene.epoch, clock_.mapping().to_global(local_now()));
  scenes_.set(std::make_shared<const scene::Scene>(std::move(scene)), join_tick);
}

}  // namespace tilewall::panel
