#include "player/director/statistics/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "player/director/statistics/damage.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

Json wall_json(const ReportInput& input) {
  const SizePx canvas = wall::Canvas(input.wall, input.bezels, input.content).size_px();
  return {{"name", input.wall.name},
          {"panels", input.wall.panels.size()},
          {"canvas_width_px", canvas.width},
          {"canvas_height_px", canvas.height}};
}

Json level_json(const BufferLevel& level) {
  Json json = {{"lowest", nullptr}, {"peak", level.peak}};
  if (level.lowest) json["lowest"] = *level.lowest;
  return json;
}

Json panel_json(const ReportInput& input, std::size_t index) {
  const PanelState& state = input.panels[index];
  const PanelCount& count = input.ledger.panel(index);
  const scene::ShownBatch& totals = state.totals;
  const double decode_s = static_cast<double>(totals.decode_ns) / 1e9;
  Json json = {{"panel", input.wall.panels[index].name},
               {"host", state.host},
               {"pid", state.pid},
               {"presenter", totals.presenter},
               {"cores", totals.cores},
               {"frames_shown", count.frames_shown},
               {"frames_late", input.ledger.frames_late(index)},
               {"skew_us", to_json(count.skew_ns.percentiles() / 1e3)},
               {"swap_offset_us", to_json(count.swap_offset_ns.percentiles() / 1e3)},
               {"decode_mpixel_s",
                decode_s > 0 ? static_cast<double>(totals.decoded_px) / 1e6 / decode_s : 0.0},
               {"decoded_px", totals.decoded_px},
               {"decode_s", decode_s},
               {"present_s", static_cast<double>(totals.present_ns) / 1e9},
               {"read_bytes", totals.read_bytes},
               {"received_bytes", totals.received_bytes},
               {"lost_packets", totals.lost_packets},
               {"repaired_packets", totals.repaired_packets},
               {"window_bytes", totals.window_bytes},
               {"damaged_blocks", totals.damaged_blocks},
               {"damaged_frames", totals.damaged_frames},
               {"peak_rss_bytes", totals.peak_rss_bytes},
               {"staged_bytes", level_json(state.staged_bytes)},
               {"stage_budget_bytes", totals.stage_budget_bytes},
               {"buffers_ready", level_json(state.buffers_ready)}};
  if (totals.volume) json["volume"] = volume_json(totals);
  if (count.last_frame) json["last_frame"] = *count.last_frame;
  if (!input.hashes) return json;
  Json& frames = json["frames"] = Json::array();
  for (const HashedFrame& shown : count.hashed) {
    Json frame = {{"frame", shown.frame},
                  {"tick", shown.tick},
                  {"due_ns", shown.due_ns},
                  {"stamp_ns", shown.stamp_ns},
                  {"hash", hash_text(shown)}};
    if (shown.damage != scene::FrameDamage::none) frame["damage"] = scene::name_of(shown.damage);
    frames.push_back(std::move(frame));
  }
  return json;
}

/// The panels that the show started without, and the instants of their first frames.
Json missing_json(const ReportInput& input) {
  Json missing = Json::array();
  for (std::size_t i = 0; i < input.panels.size(); ++i) {
    if (!input.panels[i].missed_start) continue;
    const auto first = input.ledger.first_shown(i);
    missing.push_back({{"panel", input.wall.panels[i].name},
                       {"joined_s", first ? Json(input.since_start_s(*first)) : Json(nullptr)}});
  }
  return missing;
}

void add_trace(ReportInput& input, Json& json) {
  const trace::TraceSummary& trace = *input.trace;
  json["trace"] = {
      {"events", trace.events}, {"events_dropped", trace.dropped}, {"written_bytes", trace.bytes}};
  if (!trace.problem.empty())
    input.notes.push_back(trace.problem);
  else if (trace.dropped > 0)
    input.notes.push_back(
        fmt::format("the trace lacks {} events: its buffers were full", trace.dropped));
}

Json restart_json(const Restart& restart) {
  Json json = {{"role", restart.role}, {"panel", nullptr}, {"at_s", restart.at_s}};
  if (!restart.panel.empty()) json["panel"] = restart.panel;
  if (!restart.host.empty()) json["host"] = restart.host;
  json["back_s"] = json_or_null(restart.back_s);
  if (restart.hung) json["hung"] = true;
  return json;
}

/// The number of deaths of processes with that role on the host.
std::ptrdiff_t deaths_of(const ReportInput& input, const std::string& role,
                         const std::string& host) {
  return std::ranges::count_if(input.restarts, [&](const Restart& restart) {
    return restart.role == role && restart.host == host;
  });
}

Json decoder_json(const std::string& host, const scene::DecoderStatus& status,
                  std::ptrdiff_t deaths) {
  const scene::DecodedMovie sum = scene::sum_of(status.movies);
  const double cpu_s = static_cast<double>(sum.cpu_ns) / 1e9;
  return {{"host", host},
          {"decoded_pictures", sum.pictures},
          {"decode_cpu_s", cpu_s},
          {"decode_mpixel_s", cpu_s > 0 ? static_cast<double>(sum.px) / 1e6 / cpu_s : 0.0},
          {"device", scene::name_of(status.device)},
          {"device_note", status.device_note},
          {"deaths", deaths}};
}

void add_decoders(const ReportInput& input, Json& json) {
  const auto decoders = decoders_of(input.panels);
  if (decoders.empty()) return;
  json["decoders"] = Json::array();
  for (const auto& [host, status] : decoders) {
    const auto deaths = deaths_of(input, "decoder", host);
    json["decoders"].push_back(decoder_json(host, status, deaths));
    if (!status.device_note.empty())
      json["notes"].push_back(
          fmt::format("the movie is decoded by the processor on {}: {}", host, status.device_note));
    if (deaths > 0)
      json["notes"].push_back(
          fmt::format("the decoder on {} died {} time{}", host, deaths, deaths == 1 ? "" : "s"));
  }
}

/// Adds CPU times over all panels and hosts, for a comparison with one process that casts the whole
/// picture.
void add_volume_sums(const ReportInput& input, Json& json) {
  std::uint64_t cast_ns = 0;
  std::map<std::string, std::uint64_t> casters_ns;  // the newest figure for each host
  for (const PanelState& panel : input.panels) {
    const auto& volume = panel.totals.volume;
    if (!volume) continue;
    cast_ns += volume->beams_cpu_ns + volume->sample_cpu_ns;
    std::uint64_t& caster_ns = casters_ns[panel.host];
    caster_ns = std::max(caster_ns, volume->caster_cpu_ns);
  }
  if (casters_ns.empty()) return;
  std::uint64_t all_ns = 0;
  for (const auto& [host, ns] : casters_ns) all_ns += ns;
  json["volume"] = {{"casters", casters_ns.size()},
                    {"cast_cpu_s", static_cast<double>(cast_ns) / 1e9},
                    {"caster_cpu_s", static_cast<double>(all_ns) / 1e9}};
}

Json times_json(const scene::PictureTimes& times) {
  return {{"pictures", times.pictures},
          {"p50", static_cast<double>(times.p50_ns) / 1e6},
          {"p95", static_cast<double>(times.p95_ns) / 1e6},
          {"max", static_cast<double>(times.max_ns) / 1e6}};
}

}  // namespace

std::map<std::string, scene::DecoderStatus> decoders_of(const std::vector<PanelState>& panels) {
  std::map<std::string, scene::DecoderStatus> decoders;
  std::map<std::string, std::uint64_t> most_pictures;  // the most that a panel reports, by host
  for (const PanelState& panel : panels) {
    const auto& told = panel.totals.decoder;
    if (!told) continue;
    scene::DecoderStatus& known = decoders[panel.host];
    const std::uint64_t pictures = scene::sum_of(told->movies).pictures;
    std::uint64_t& most = most_pictures[panel.host];
    if (pictures >= most) {
      most = pictures;
      known.device = told->device;
      known.device_note = told->device_note;
    }
    for (const scene::DecodedMovie& movie : told->movies) scene::add_newest(known.movies, movie);
  }
  return decoders;
}

Json volume_json(const scene::ShownBatch& totals) {
  if (!totals.volume) return nullptr;
  const scene::VolumeStatus& volume = *totals.volume;
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e9; };
  const double cast_s = seconds(volume.cast_ns);
  return {{"drawn_by", volume.drawn_by},
          {"samples", totals.samples},
          {"msample_s", cast_s > 0 ? static_cast<double>(totals.samples) / 1e6 / cast_s : 0.0},
          {"style_s", seconds(volume.style_ns)},
          {"occupancy_s", seconds(volume.occupancy_ns)},
          {"cast_s", cast_s},
          {"beams_cpu_s", seconds(volume.beams_cpu_ns)},
          {"sample_cpu_s", seconds(volume.sample_cpu_ns)},
          {"gpu_s", seconds(volume.gpu_ns)},
          {"annotate_s", seconds(volume.annotate_ns)},
          {"wait_s", seconds(volume.wait_ns)},
          {"copy_s", seconds(volume.copy_ns)},
          {"present_s", seconds(totals.present_ns)},
          {"held_bytes", volume.held_bytes},
          {"memory_limit_bytes", volume.limit_bytes},
          {"level", volume.level},
          {"read_bytes", volume.read_bytes},
          {"read_bricks", volume.read_bricks},
          {"read_s", seconds(volume.read_ns)},
          {"decode_s", seconds(volume.decode_ns)},
          {"caster_cpu_s", seconds(volume.caster_cpu_ns)},
          {"still_ms", times_json(volume.still)},
          {"moving_ms", times_json(volume.moving)}};
}

std::string hash_text(const scene::ShownFrame& shown) { return fmt::format("{:016x}", shown.hash); }

void BufferLevel::add(std::uint64_t level, bool counts) {
  peak = std::max(peak, level);
  if (counts) lowest = std::min(lowest.value_or(level), level);
}

Json to_json(const Percentiles& values) {
  return {{"p50", values.p50}, {"p99", values.p99}, {"max", values.max}};
}

Json report_json(ReportInput input) {
  const ShowTotals totals = input.ledger.totals();
  Json json = {{"wall", wall_json(input)},
               {"duration_s", totals.duration_s},
               {"frames_scheduled", totals.frames_scheduled},
               {"frames_shown", totals.frames_shown},
               {"frames_shown_by_any", totals.frames_shown_by_any},
               {"frames_late", totals.frames_late},
               {"fps", totals.fps},
               {"skew_us", to_json(totals.skew_us)},
               {"clock_error_us", to_json(input.clock_bounds_ns.percentiles() / 1e3)},
               {"missing_at_start", missing_json(input)},
               {"restarts", Json::array()},
               {"per_panel", Json::array()}};
  json["start_s"] = json_or_null(input.start_s);
  if (input.trace) add_trace(input, json);
  if (!input.error.empty()) json["error"] = input.error;
  if (!input.notes.empty()) json["notes"] = input.notes;
  std::uint64_t damaged_frames = 0;
  for (const PanelState& panel : input.panels) damaged_frames += panel.totals.damaged_frames;
  json["damaged_frames"] = damaged_frames;
  json["damage"] = to_json(damage_of(input.ledger, input.panels, input.restarts, true));
  std::vector<Restart> restarts = input.restarts;  // unsorted: hosts report theirs later
  std::ranges::stable_sort(restarts, {}, &Restart::at_s);
  for (const Restart& restart : restarts) json["restarts"].push_back(restart_json(restart));
  add_decoders(input, json);
  add_volume_sums(input, json);
  for (std::size_t i = 0; i < input.panels.size(); ++i)
    json["per_panel"].push_back(panel_json(input, i));
  return json;
}

}  // namespace tilewall::director
