#include "player/director/status.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "player/director/statistics/damage.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

std::int64_t restarts_of(const StatusInput& input, const std::string& panel) {
  return std::count_if(input.restarts.begin(), input.restarts.end(),
                       [&](const Restart& restart) { return restart.panel == panel; });
}

Json panel_json(const StatusInput& input, std::size_t index) {
  const wall::Panel& panel = input.wall.panels[index];
  const PanelState& state = input.panels[index];
  const PanelCount& count = input.ledger.panel(index);
  const scene::ShownBatch& newest = state.totals;
  const std::int64_t now_ns = input.now.since_epoch.count();
  Json json = {{"panel", panel.name},
               {"column", panel.column},
               {"row", panel.row},
               {"host", state.host},
               {"pid", state.pid},
               {"connected", state.connection.has_value()},
               {"missed_start", state.missed_start},
               {"frame", json_or_null(count.last_frame)},
               {"frames_shown", count.frames_shown},
               {"frames_late", input.ledger.frames_late_so_far(index)},
               {"skew_us", to_json(count.recent_skew_ns.percentiles(now_ns) / 1e3)},
               {"swap_offset_us", to_json(count.recent_swap_offset_ns.percentiles(now_ns) / 1e3)},
               {"buffers_ready", newest.buffers_ready},
               {"buffers", newest.buffers},
               {"window_bytes", newest.window_bytes},
               {"staged_bytes", newest.staged_bytes},
               {"peak_rss_bytes", newest.peak_rss_bytes},
               {"host_memory_bytes", newest.host_memory_bytes},
               {"stage_budget_bytes", newest.stage_budget_bytes},
               {"level", newest.level},
               {"presenter", newest.presenter},
               {"cores", newest.cores},
               {"realtime", newest.realtime},
               {"clock_state", newest.clock.state},
               {"clock_bound_us", static_cast<double>(newest.clock.bound_ns) / 1e3},
               {"damaged_frames", newest.damaged_frames},
               {"restarts", restarts_of(input, panel.name)}};
  json["hash"] = count.hashed.empty() ? Json(nullptr) : Json(hash_text(count.hashed.back()));
  json["volume"] = volume_json(newest);
  const bool was_late = index < input.late_causes.size() && !input.late_causes[index].empty();
  json["late_cause"] = was_late ? Json(input.late_causes[index]) : Json(nullptr);
  json["late_by_cause"] =
      to_json(index < input.late_by_cause.size() ? input.late_by_cause[index] : LateByCause{});
  json["silent_s"] =
      state.heard_at
          ? Json(std::chrono::duration<double>(input.local_now - *state.heard_at).count())
          : Json(nullptr);
  return json;
}

/// The wall as a client needs it, to open a movie for it and to place regions.
Json wall_json(const StatusInput& input) {
  const SizePx canvas_px =
      wall::Canvas(input.wall, input.scene.bezels, input.scene.content).size_px();
  const SizePx abutting_px = wall::Canvas(input.wall, wall::BezelMode::show).size_px();
  const std::filesystem::path& file = input.wall.file;
  return {{"name", input.wall.name},
          {"file", file.empty() ? "" : std::filesystem::absolute(file).string()},
          {"panels", input.wall.panels.size()},
          {"canvas_px", {canvas_px.width, canvas_px.height}},
          {"abutting_px", {abutting_px.width, abutting_px.height}}};
}

Json inputs_json(const InputWays& ways) {
  return {{"hdr", ways.hdr}, {"skip_missing", ways.skip_missing}, {"import", ways.import_first}};
}

Json decimation_json(const scene::Decimation& decimation) {
  const bool leaves_out = decimation.every() > 1;
  return {
      {"every_nth_tick", decimation.every()},
      {"cause", leaves_out ? Json(std::string(scene::to_string(decimation.cause))) : Json(nullptr)},
      {"panel", leaves_out ? Json(decimation.panel) : Json(nullptr)}};
}

std::int64_t decoder_deaths(const StatusInput& input) {
  return std::count_if(input.restarts.begin(), input.restarts.end(),
                       [](const Restart& restart) { return restart.role == "decoder"; });
}

Health health_of(const StatusInput& input) {
  return health_of(HealthInput{input.wall, input.panels, input.phase, input.error, input.recent,
                               input.frozen, input.late_causes, input.resting_level,
                               input.local_now});
}

}  // namespace

Json status_json(const StatusInput& input, const StatusParts& parts) {
  const ShowLedger::Progress progress = input.ledger.progress();
  const Health health = health_of(input);
  Json json = {
      {"type", "status"},
      {"light", std::string(to_string(health.light))},
      {"reasons", health.reasons},
      {"missing_hosts",
       hosts_where(input.wall, [&](std::size_t i) { return !input.panels[i].connection; })},
      {"wall", wall_json(input)},
      {"inputs", inputs_json(input.inputs)},
      {"phase", input.phase},
      {"running_s", std::chrono::duration<double>(input.local_now - input.started).count()},
      {"frame", json_or_null(input.frame)},
      {"frames_left", json_or_null(input.frames_left)},
      {"rate_fps", input.rate_fps.value()},
      {"fps", input.ledger.recent_fps(input.now)},
      {"due_fps", input.scene.tick_grid.rate_fps.value()},
      {"late", scene::to_string(input.late)},
      {"decimation", decimation_json(input.scene.decimation)},
      {"scene", scene_status_json(input.scene, input.now,
                                  parts.lists ? ListDetail::items : ListDetail::current,
                                  parts.transfers ? TransferDetail::points : TransferDetail::name)},
      {"frames_due", progress.frames_due},
      {"frames_shown", input.ledger.frames_shown()},
      {"frames_late", progress.frames_late},
      {"skew_us", to_json(input.ledger.recent_skew_ns(input.now) / 1e3)},
      {"frozen", input.frozen},
      {"restarts", input.restarts.size()},
      {"decoder_deaths", decoder_deaths(input)},
      {"damage", to_json(damage_of(input.ledger, input.panels, input.restarts, false))},
      {"last_note", input.last_note.empty() ? Json(nullptr) : Json(input.last_note)}};
  if (!parts.panels) return json;
  json["per_panel"] = Json::array();
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    json["per_panel"].push_back(panel_json(input, i));
  return json;
}

}  // namespace tilewall::director
