#include "player/director/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tilewall {
namespace {

using Json = nlohmann::json;

Json wall_json(const ReportInput& input) {
  const SizePx canvas = Canvas(input.wall, input.bezels).size_px();
  return {{"name", input.wall.name},
          {"panels", input.wall.panels.size()},
          {"canvas_width_px", canvas.width},
          {"canvas_height_px", canvas.height}};
}

Json panel_json(const ReportInput& input, std::size_t index) {
  const PanelState& state = input.panels[index];
  const PanelCount& count = input.ledger.panel(index);
  const ShownBatch& totals = state.totals;
  const double decode_s = static_cast<double>(totals.decode_ns) / 1e9;
  Json json = {{"panel", input.wall.panels[index].name},
               {"host", state.host},
               {"pid", state.pid},
               {"presenter", totals.presenter},
               {"frames_shown", count.frames_shown},
               {"frames_late", input.ledger.frames_late(index)},
               {"skew_us", to_json(count.skew_ns.percentiles() / 1e3)},
               {"swap_offset_us", to_json(count.swap_offset_ns.percentiles() / 1e3)},
               {"decode_mpixel_s",
                decode_s > 0 ? static_cast<double>(totals.decoded_px) / 1e6 / decode_s : 0.0},
               {"decoded_px", totals.decoded_px},
               {"decode_s", decode_s},
               {"read_bytes", totals.read_bytes},
               {"received_bytes", 0},
               {"lost_packets", 0},
               {"repaired_packets", 0},
               {"damaged_blocks", totals.damaged_blocks},
               {"damaged_frames", totals.damaged_frames},
               {"peak_rss_bytes", totals.peak_rss_bytes}};
  if (count.last_frame) json["last_frame"] = *count.last_frame;
  if (!input.hashes) return json;
  Json& frames = json["frames"] = Json::array();
  for (const ShownFrame& shown : count.hashed)
    frames.push_back({{"frame", shown.frame}, {"hash", fmt::format("{:016x}", shown.hash)}});
  return json;
}

Json restart_json(const Restart& restart) {
  Json json = {{"role", restart.role}, {"panel", restart.panel}, {"at_s", restart.at_s}};
  json["back_s"] = restart.back_s ? Json(*restart.back_s) : Json(nullptr);
  if (restart.hung) json["hung"] = true;
  return json;
}

}  // namespace

Json to_json(const Percentiles& values) {
  return {{"p50", values.p50}, {"p99", values.p99}, {"max", values.max}};
}

Json report_json(ReportInput input) {
  const ShowTotals totals = input.ledger.totals();
  Json json = {{"wall", wall_json(input)},
               {"duration_s", totals.duration_s},
               {"frames_scheduled", totals.frames_scheduled},
               {"frames_shown", totals.frames_shown},
               {"frames_late", totals.frames_late},
               {"fps", totals.fps},
               {"skew_us", to_json(totals.skew_us)},
               {"clock_error_us", to_json(input.clock_bounds_ns.percentiles() / 1e3)},
               {"restarts", Json::array()},
               {"per_panel", Json::array()}};
  json["start_s"] = input.start_s ? Json(*input.start_s) : Json(nullptr);
  if (!input.error.empty()) json["error"] = input.error;
  if (!input.notes.empty()) json["notes"] = input.notes;
  std::uint64_t damaged_frames = 0;
  for (const PanelState& panel : input.panels) damaged_frames += panel.totals.damaged_frames;
  json["damaged_frames"] = damaged_frames;
  for (const Restart& restart : input.restarts) json["restarts"].push_back(restart_json(restart));
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    json["per_panel"].push_back(panel_json(input, i));
  return json;
}

}  // namespace tilewall
