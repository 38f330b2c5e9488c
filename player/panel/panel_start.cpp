#include "player/panel/panel_start.hpp"

#include <algorithm>

#include "player/placement/place_request.hpp"
#include "sync/trace/trace.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall::panel {
namespace {

constexpr int max_decode_threads = 64;

}  // namespace

scene::PanelConfig with_decode_threads(scene::PanelConfig config) {
  const placement::PlaceRequest request = placement::parse_place(config.place, "--place");
  if (request.decoders && !request.decoders->empty())
    config.decode_threads =
        std::min(static_cast<int>(request.decoders->size()), max_decode_threads);
  return config;
}

placement::HostUse host_use(const scene::PanelConfig& config, int seats) {
  placement::HostUse use;
  use.seats = seats;
  use.windows = !config.headless && config.presenter != "null";
  use.server = config.server.address;
  use.mounted = config.server.mounted;
  return use;
}

placement::PanelPlan plan_placement(const scene::PanelConfig& config, const PanelSeat& seat) {
  if (!config.pin) return {};
  const sync::TraceSpan span("start: placement");
  return placement::plan_panel_here(host_use(config, seat.seats), seat.seat,
                                    placement::parse_place(config.place, "--place"));
}

present::PresenterOptions presenter_options(const scene::PanelConfig& config) {
  present::PresenterOptions options;
  options.kind =
      present::parse_presenter_kind(config.presenter).value_or(present::PresenterKind::automatic);
  options.headless = config.headless;
  options.title = "tilewall " + config.name;
  options.frame_buffer_px = config.frame_buffer_px;
  options.window_px = config.window_px;
  options.rotation = config.rotation;
  options.color = config.color;
  options.blend = config.blend;
  options.vsync = config.vsync;
  return options;
}

std::unique_ptr<present::Presenter> open_presenter(const scene::PanelConfig& config) {
  const sync::TraceSpan span("start: presenter");
  return present::make_presenter(presenter_options(config));
}

}  // namespace tilewall::panel
