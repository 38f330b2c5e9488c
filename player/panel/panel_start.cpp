#include "player/panel/panel_start.hpp"

#include <algorithm>

#include "player/placement/place_request.hpp"
#include "sync/trace/trace.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall {
namespace {

constexpr int max_decode_threads = 64;

}  // namespace

PanelConfig with_decode_threads(PanelConfig config) {
  const PlaceRequest request = parse_place(config.place, "--place");
  if (request.decoders && !request.decoders->empty())
    config.decode_threads =
        std::min(static_cast<int>(request.decoders->size()), max_decode_threads);
  return config;
}

HostUse host_use(const PanelConfig& config, int seats) {
  HostUse use;
  use.seats = seats;
  use.windows = !config.headless && config.presenter != "null";
  use.server = config.server.address;
  use.mounted = config.server.mounted;
  return use;
}

PanelPlan plan_placement(const PanelConfig& config, const PanelSeat& seat) {
  if (!config.pin) return {};
  const TraceSpan span("start: placement");
  return plan_panel_here(host_use(config, seat.seats), seat.seat,
                         parse_place(config.place, "--place"));
}

PresenterOptions presenter_options(const PanelConfig& config) {
  PresenterOptions options;
  options.kind = parse_presenter_kind(config.presenter).value_or(PresenterKind::automatic);
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

std::unique_ptr<Presenter> open_presenter(const PanelConfig& config) {
  const TraceSpan span("start: presenter");
  return make_presenter(presenter_options(config));
}

}  // namespace tilewall
