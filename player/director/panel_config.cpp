#include "player/director/show_options.hpp"

namespace tilewall::director {
namespace {

void place_on_wall(const wall::Wall& wall, std::size_t index, scene::PanelConfig& config) {
  const wall::Panel& panel = wall.panels[index];
  config.name = panel.name;
  config.host = panel.host;
  config.column = panel.column;
  config.row = panel.row;
  config.frame_buffer_px = panel.size_px;
  config.rotation = panel.rotation;
  config.color = panel.color;
  config.lit_mm = panel.size_mm;
  config.display = panel.display;
  config.places = scene::PanelPlaces(wall, index);
  config.blend = wall::panel_blend(wall, index);
  const RectF& at = config.places.in(wall::BezelMode::show, wall::ContentMode::arc_length).rect_px;
  config.window_px =
      panel.window_px.value_or(PointPx{static_cast<int>(at.x), static_cast<int>(at.y)});
}

}  // namespace

scene::PanelConfig panel_config(const ShowOptions& options, std::size_t index,
                                const std::string& local_presenter) {
  scene::PanelConfig config;
  place_on_wall(options.wall, index, config);
  config.presenter = config.host.empty() ? local_presenter : options.presenter;
  config.headless = options.headless;
  config.late = options.late;
  config.hashes = options.hashes;
  for (const SnapshotRequest& request : options.snapshots)
    config.snapshot_frames.push_back(request.frame);
  config.decode_threads = options.decode_threads;
  config.stage_bytes = options.stage_bytes;
  config.pin = options.pin;
  if (index < options.places.size()) config.place = options.places[index];
  config.server = options.server;
  config.vsync = options.vsync;
  return config;
}

std::vector<std::string> panel_names(const wall::Wall& wall) {
  std::vector<std::string> names;
  for (const wall::Panel& panel : wall.panels) names.push_back(panel.name);
  return names;
}

}  // namespace tilewall::director
