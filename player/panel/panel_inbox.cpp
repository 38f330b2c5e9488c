#include "player/panel/panel_inbox.hpp"

#include <memory>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::panel {

DirectorLink::Callbacks PanelInbox::link_callbacks(
    std::function<std::vector<scene::ShownBatch>()> report) {
  return {[this](const scene::PanelConfig& config) { take_config(config); },
          [this](scene::Scene scene, std::int64_t join_tick) {
            take_scene(std::move(scene), join_tick);
          },
          [this](const scene::Release& release) {
            gate_.add(release);
            scenes_.wake();
          },
          [this](const SnapshotOrder& order) { snapshot_orders_.add(order); },
          [this] {
            quits_ = true;
            scenes_.wake();
          },
          std::move(report)};
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
