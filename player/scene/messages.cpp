#include "player/scene/messages.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr std::string_view rotations[] = {"0", "90", "180", "270"};
constexpr std::string_view detail_states[] = {"none", "coming", "ready"};
constexpr int max_side_px = 16384;
// Sums and differences of such instants fit: 146 years from the clock's start.
constexpr std::int64_t latest_ns = std::int64_t{1} << 62;
constexpr std::int64_t most_buffers = 1024;
constexpr int most_cpus = 65536;
constexpr std::size_t most_host_restarts = 10'000;   // limit in one message
constexpr std::size_t most_decoded_movies = 10'000;  // limit in one message
constexpr std::string_view restarted_roles[] = {"host", "caster", "decoder"};
constexpr std::int64_t ahead_ticks = 48;          // usual number, which smooths a network's rate
constexpr std::int64_t chosen_ahead_ticks = 480;  // number where the user sets the memory for it

template <typename T, std::size_t count>
std::array<T, count> array_field(const Json& json, const char* field) {
  const auto values = json_field<std::vector<T>>(json, field);
  if (values.size() != count)
    throw InputError({"message"}, field, std::to_string(count) + " numbers",
                     std::to_string(values.size()));
  std::array<T, count> array{};
  std::copy(values.begin(), values.end(), array.begin());
  return array;
}

SizePx size_field(const Json& json, const char* field) {
  const auto size = array_field<int, 2>(json, field);
  return {size[0], size[1]};
}

ShownFrame shown_frame_from_json(const Json& json) {
  const bool has_damage = json.is_array() && json.size() == 5;
  if (!json.is_array() || (json.size() != 4 && !has_damage) ||
      !std::all_of(json.begin(), json.end(), [](const Json& n) { return n.is_number_integer(); }) ||
      (has_damage && json[4].get<std::uint64_t>() >= frame_damage_kinds))
    throw InputError({"message"}, "frames", "[tick, frame, stamp_ns, hash, damage]",
                     shown_json(json));
  return {json[0].get<std::int64_t>(), json[1].get<std::int64_t>(), json[2].get<std::int64_t>(),
          json[3].get<std::uint64_t>(),
          has_damage ? static_cast<FrameDamage>(json[4].get<std::uint64_t>()) : FrameDamage::none};
}

Json decoder_json(const DecoderStatus& status) {
  Json deaths = Json::array();
  for (const DecoderDeath& death : status.deaths) deaths.push_back({death.died_ns, death.back_ns});
  Json movies = Json::array();
  for (const DecodedMovie& movie : status.movies)
    movies.push_back({movie.id, movie.pictures, movie.px, movie.cpu_ns});
  return {{"movies", std::move(movies)},
          {"device", name_of(status.device)},
          {"device_note", status.device_note},
          {"deaths", std::move(deaths)}};
}

DecoderStatus decoder_from_json(const Json& json) {
  DecoderStatus status;
  const auto movies = json_field<std::vector<std::vector<std::uint64_t>>>(json, "movies");
  if (movies.size() > most_decoded_movies)
    throw InputError({"message"}, "movies", std::to_string(most_decoded_movies) + " at most",
                     std::to_string(movies.size()));
  for (const auto& movie : movies) {
    if (movie.size() != 4)
      throw InputError({"message"}, "movies", "[id, pictures, px, cpu_ns]", "");
    status.movies.push_back({movie[0], movie[1], movie[2], movie[3]});
  }
  const auto device = json_field<std::string>(json, "device");
  status.device = parse_decode_device(device).value_or(DecodeDevice::automatic);
  if (status.device == DecodeDevice::automatic)
    throw InputError({"message"}, "device", "cpu, vaapi or cuda", device);
  status.device_note = json_field<std::string>(json, "device_note");
  for (const auto& pair : json_field<std::vector<std::vector<std::int64_t>>>(json, "deaths")) {
    if (pair.size() != 2) throw InputError({"message"}, "deaths", "[died_ns, back_ns]", "");
    status.deaths.push_back({pair[0], pair[1]});
  }
  return status;
}

Json times_json(const PictureTimes& times) {
  return {times.pictures, times.p50_ns, times.p95_ns, times.max_ns};
}

PictureTimes times_field(const Json& json, const char* field) {
  const auto times = array_field<std::int64_t, 4>(json, field);
  return {static_cast<std::uint64_t>(std::max<std::int64_t>(times[0], 0)), times[1], times[2],
          times[3]};
}

struct VolumeNumber {
  const char* key;
  std::uint64_t VolumeStatus::*value;
};

constexpr VolumeNumber volume_numbers[] = {{"style_ns", &VolumeStatus::style_ns},
                                           {"occupancy_ns", &VolumeStatus::occupancy_ns},
                                           {"cast_ns", &VolumeStatus::cast_ns},
                                           {"beams_cpu_ns", &VolumeStatus::beams_cpu_ns},
                                           {"sample_cpu_ns", &VolumeStatus::sample_cpu_ns},
                                           {"gpu_ns", &VolumeStatus::gpu_ns},
                                           {"annotate_ns", &VolumeStatus::annotate_ns},
                                           {"wait_ns", &VolumeStatus::wait_ns},
                                           {"copy_ns", &VolumeStatus::copy_ns},
                                           {"held_bytes", &VolumeStatus::held_bytes},
                                           {"limit_bytes", &VolumeStatus::limit_bytes},
                                           {"read_bytes", &VolumeStatus::read_bytes},
                                           {"read_bricks", &VolumeStatus::read_bricks},
                                           {"read_ns", &VolumeStatus::read_ns},
                                           {"decode_ns", &VolumeStatus::decode_ns},
                                           {"caster_cpu_ns", &VolumeStatus::caster_cpu_ns}};

Json volume_json(const VolumeStatus& status) {
  Json json = {{"level", status.level},
               {"drawn_by", status.drawn_by},
               {"blank", status.blank},
               {"detail_failed", status.detail_failed},
               {"progress", status.progress},
               {"still", times_json(status.still)},
               {"moving", times_json(status.moving)}};
  for (const VolumeNumber& number : volume_numbers) json[number.key] = status.*number.value;
  return json;
}

VolumeStatus volume_from_json(const Json& json) {
  VolumeStatus status;
  for (const VolumeNumber& number : volume_numbers)
    status.*number.value = json_field<std::uint64_t>(json, number.key);
  status.level = json_field<int>(json, "level");
  status.drawn_by = json_field<std::string>(json, "drawn_by");
  status.blank = json_field<bool>(json, "blank");
  status.detail_failed = json_field<bool>(json, "detail_failed");
  status.progress = json_number<int>(json, "progress", 0, VolumeStatus::all_read);
  status.still = times_field(json, "still");
  status.moving = times_field(json, "moving");
  return status;
}

}  // namespace

std::string to_string(LatePolicy policy) {
  return std::string(late_policy_names[static_cast<std::size_t>(policy)]);
}

namespace {

Json standing_json(const PanelStanding& standing) {
  return {{"version", standing.version},
          {"schedule", standing.epoch},
          {"primed", standing.primed},
          {"pace", to_json(standing.pace)},
          {"cpus", standing.cpus},
          {"ready_end", standing.ready_end},
          {"released_end", standing.released_end},
          {"delay_ns", standing.delay_ns}};
}

PanelStanding standing_from_json(const Json& json) {
  const auto tick = [&](const char* field) {
    return json_number<std::int64_t>(json, field, 0, latest_ns);
  };
  return {json_field<std::uint64_t>(json, "version"),
          json_field<std::uint64_t>(json, "schedule"),
          json_field<bool>(json, "primed"),
          draw_pace_from_json(json_field<Json>(json, "pace")),
          json_field<int>(json, "cpus"),
          tick("ready_end"),
          tick("released_end"),
          tick("delay_ns")};
}

}  // namespace

Json to_json(const PanelHello& hello) {
  Json json = {{"type", "hello"},
               {"protocol", control_protocol_version},
               {"panel", hello.panel},
               {"pid", hello.pid},
               {"host", hello.host}};
  if (hello.standing) json["standing"] = standing_json(*hello.standing);
  return json;
}

PanelHello hello_from_json(const Json& json) {
  if (const int protocol = json_field<int>(json, "protocol"); protocol != control_protocol_version)
    throw InputError({"message"}, "protocol", std::to_string(control_protocol_version),
                     std::to_string(protocol));
  PanelHello hello{json_field<int>(json, "panel"),
                   json_field<int>(json, "pid"),
                   json_field<std::string>(json, "host"),
                   {}};
  if (json.contains("standing"))
    hello.standing = standing_from_json(json_field<Json>(json, "standing"));
  return hello;
}

SizePx PanelConfig::viewed_size_px() const noexcept {
  const bool sideways = rotation == wall::Rotation::deg90 || rotation == wall::Rotation::deg270;
  return sideways ? SizePx{frame_buffer_px.height, frame_buffer_px.width} : frame_buffer_px;
}

std::int64_t ticks_ahead(std::optional<std::size_t> stage_bytes) noexcept {
  return stage_bytes ? chosen_ahead_ticks : ahead_ticks;
}

Json to_json(const PanelConfig& config) {
  Json json = {{"type", "config"},
               {"name", config.name},
               {"host", config.host},
               {"column", config.column},
               {"row", config.row},
               {"frame_buffer_px", {config.frame_buffer_px.width, config.frame_buffer_px.height}},
               {"rotation", std::string(rotations[static_cast<std::size_t>(config.rotation)])},
               {"gain", config.color.gain},
               {"gamma", config.color.gamma},
               {"lit_mm", {config.lit_mm.width, config.lit_mm.height}},
               {"places", to_json(config.places)},
               {"blend", to_json(config.blend)},
               {"display", config.display},
               {"window_px", {config.window_px.x, config.window_px.y}},
               {"presenter", config.presenter},
               {"headless", config.headless},
               {"late", to_string(config.late)},
               {"hashes", config.hashes},
               {"snapshot_frames", config.snapshot_frames},
               {"decode_threads", config.decode_threads},
               {"pin", config.pin},
               {"place", config.place},
               {"server", config.server.address},
               {"server_mounted", config.server.mounted},
               {"vsync", config.vsync}};
  if (config.stage_bytes) json["stage_bytes"] = *config.stage_bytes;
  return json;
}

PanelConfig config_from_json(const Json& json) {
  PanelConfig config;
  config.name = json_field<std::string>(json, "name");
  config.host = json_field<std::string>(json, "host");
  config.column = json_field<int>(json, "column");
  config.row = json_field<int>(json, "row");
  config.frame_buffer_px = size_field(json, "frame_buffer_px");
  config.rotation = json_enum<wall::Rotation>(json, "rotation", rotations);
  config.color.gain = array_field<double, 3>(json, "gain");
  config.color.gamma = array_field<double, 3>(json, "gamma");
  const auto lit_mm = array_field<double, 2>(json, "lit_mm");
  config.lit_mm = {lit_mm[0], lit_mm[1]};
  config.places = places_from_json(json_field<Json>(json, "places"));
  config.blend = blend_from_json(json_field<Json>(json, "blend"));
  config.display = json_field<std::string>(json, "display");
  const SizePx window = size_field(json, "window_px");
  config.window_px = {window.width, window.height};
  config.presenter = json_field<std::string>(json, "presenter");
  config.headless = json_field<bool>(json, "headless");
  config.late = json_enum<LatePolicy>(json, "late", late_policy_names);
  config.hashes = json_field<bool>(json, "hashes");
  config.snapshot_frames = json_field<std::vector<std::int64_t>>(json, "snapshot_frames");
  config.decode_threads = std::clamp(json_field<int>(json, "decode_threads"), 1, 64);
  if (json.contains("stage_bytes"))
    config.stage_bytes = json_field<std::uint64_t>(json, "stage_bytes");
  config.pin = json_field<bool>(json, "pin");
  config.place = json_field<std::string>(json, "place");
  config.server = {json_field<std::string>(json, "server"),
                   json_field<bool>(json, "server_mounted")};
  config.vsync = json_field<bool>(json, "vsync");
  if (config.frame_buffer_px.width < 1 || config.frame_buffer_px.height < 1 ||
      config.frame_buffer_px.width > max_side_px || config.frame_buffer_px.height > max_side_px)
    throw InputError({"message"}, "frame_buffer_px", "sides in [1, 16384]", "others");
  return config;
}

namespace {

Json restarts_json(const std::vector<HostRestart>& restarts) {
  Json json = Json::array();
  for (const HostRestart& one : restarts)
    json.push_back({{"role", one.role},
                    {"key_ns", one.key_ns},
                    {"died_ns", one.died_ns},
                    {"back_ns", one.back_ns}});
  return json;
}

std::int64_t instant_ns_field(const Json& json, const char* field) {
  return json_number<std::int64_t>(json, field, -latest_ns, latest_ns);
}

std::vector<HostRestart> restarts_from_json(const Json& json) {
  std::vector<HostRestart> restarts;
  const auto list = json_field<std::vector<Json>>(json, "host_restarts");
  if (list.size() > most_host_restarts)
    throw InputError({"message"}, "host_restarts", std::to_string(most_host_restarts) + " at most",
                     std::to_string(list.size()));
  for (const Json& one : list) {
    auto role = json_field<std::string>(one, "role");
    if (std::ranges::find(restarted_roles, role) == std::end(restarted_roles))
      throw InputError({"message"}, "role", "host, caster or decoder", shown_json(role));
    restarts.push_back({std::move(role), json_field<std::int64_t>(one, "key_ns"),
                        instant_ns_field(one, "died_ns"), instant_ns_field(one, "back_ns")});
  }
  return restarts;
}

}  // namespace

Json to_json(const ShownBatch& batch) {
  Json frames = Json::array();
  for (const ShownFrame& shown : batch.frames) {
    frames.push_back({shown.tick, shown.frame, shown.stamp_ns, shown.hash});
    if (shown.damage != FrameDamage::none)
      frames.back().push_back(static_cast<std::uint64_t>(shown.damage));
  }
  Json json = {{"type", "shown"},
               {"schedule", batch.epoch},
               {"frames", std::move(frames)},
               {"clock_state", batch.clock.state},
               {"clock_bound_ns", batch.clock.bound_ns},
               {"clock_holdover_ns", batch.clock.holdover_ns},
               {"clock_daemon", batch.clock.daemon},
               {"clock_failovers", batch.clock.failovers},
               {"presenter", batch.presenter},
               {"cores", batch.cores},
               {"read_bytes", batch.read_bytes},
               {"decoded_px", batch.decoded_px},
               {"decode_ns", batch.decode_ns},
               {"present_ns", batch.present_ns},
               {"damaged_blocks", batch.damaged_blocks},
               {"damaged_frames", batch.damaged_frames},
               {"received_bytes", batch.received_bytes},
               {"lost_packets", batch.lost_packets},
               {"repaired_packets", batch.repaired_packets},
               {"samples", batch.samples},
               {"window_bytes", batch.window_bytes},
               {"staged_bytes", batch.staged_bytes},
               {"stage_budget_bytes", batch.stage_budget_bytes},
               {"peak_rss_bytes", batch.peak_rss_bytes},
               {"host_memory_bytes", batch.host_memory_bytes},
               {"buffers_ready", batch.buffers_ready},
               {"buffers", batch.buffers},
               {"level", batch.level},
               {"realtime", batch.realtime},
               {"late", to_json(batch.late)},
               {"late_schedule", batch.late_epoch},
               {"pace", to_json(batch.pace)},
               {"cpus", batch.cpus},
               {"detail_schedule", batch.detail.epoch},
               {"detail", detail_states[static_cast<std::size_t>(batch.detail.state)]},
               {"detail_best_tick", batch.detail.best_tick},
               {"detail_stage", batch.detail.stage},
               {"detail_more", batch.detail.more_comes}};
  for (const RegionStay& stay : batch.regions)
    json["regions"].push_back({{"region", stay.region}, {"since_ns", stay.since_ns}});
  if (batch.again_after_ns) json["again_after_ns"] = *batch.again_after_ns;
  if (!batch.host_restarts.empty()) json["host_restarts"] = restarts_json(batch.host_restarts);
  if (batch.decoder) json["decoder"] = decoder_json(*batch.decoder);
  if (batch.volume) json["volume"] = volume_json(*batch.volume);
  return json;
}

/// Throws InputError for more regions than a scene has.
std::vector<RegionStay> stays_from_json(const Json& json) {
  std::vector<RegionStay> stays;
  for (const Json& one : json_field<std::vector<Json>>(json, "regions"))
    stays.push_back({json_field<std::string>(one, "region"), instant_ns_field(one, "since_ns")});
  expect_field(stays.size() <= max_regions, "regions", "64 at most");
  return stays;
}

ShownBatch batch_from_json(const Json& json) {
  ShownBatch batch;
  batch.epoch = json_field<std::uint64_t>(json, "schedule");
  for (const Json& frame : json_field<std::vector<Json>>(json, "frames"))
    batch.frames.push_back(shown_frame_from_json(frame));
  batch.clock = {json_field<std::string>(json, "clock_state"),
                 json_field<std::int64_t>(json, "clock_bound_ns"),
                 json_field<std::int64_t>(json, "clock_holdover_ns"),
                 json_field<int>(json, "clock_daemon"),
                 json_field<std::uint64_t>(json, "clock_failovers")};
  batch.cores = json_field<std::string>(json, "cores");
  batch.presenter = json_field<std::string>(json, "presenter");
  batch.read_bytes = json_field<std::uint64_t>(json, "read_bytes");
  batch.decoded_px = json_field<std::uint64_t>(json, "decoded_px");
  batch.decode_ns = json_field<std::uint64_t>(json, "decode_ns");
  batch.present_ns = json_field<std::uint64_t>(json, "present_ns");
  batch.damaged_blocks = json_field<std::uint64_t>(json, "damaged_blocks");
  batch.damaged_frames = json_field<std::uint64_t>(json, "damaged_frames");
  batch.received_bytes = json_field<std::uint64_t>(json, "received_bytes");
  batch.lost_packets = json_field<std::uint64_t>(json, "lost_packets");
  batch.repaired_packets = json_field<std::uint64_t>(json, "repaired_packets");
  batch.samples = json_field<std::uint64_t>(json, "samples");
  batch.window_bytes = json_field<std::uint64_t>(json, "window_bytes");
  batch.staged_bytes = json_field<std::uint64_t>(json, "staged_bytes");
  batch.stage_budget_bytes = json_field<std::uint64_t>(json, "stage_budget_bytes");
  batch.peak_rss_bytes = json_field<std::uint64_t>(json, "peak_rss_bytes");
  batch.host_memory_bytes = json_field<std::uint64_t>(json, "host_memory_bytes");
  batch.buffers_ready = json_field<std::int64_t>(json, "buffers_ready");
  batch.buffers = json_number<std::int64_t>(json, "buffers", 0, most_buffers);
  batch.level = json_field<int>(json, "level");
  batch.realtime = json_field<bool>(json, "realtime");
  batch.late = late_counts_from_json(json_field<Json>(json, "late"));
  batch.late_epoch = json_field<std::uint64_t>(json, "late_schedule");
  batch.pace = draw_pace_from_json(json_field<Json>(json, "pace"));
  batch.cpus = json_number<int>(json, "cpus", 0, most_cpus);
  batch.detail = {json_field<std::uint64_t>(json, "detail_schedule"),
                  json_enum<DetailState>(json, "detail", detail_states),
                  json_field<std::int64_t>(json, "detail_best_tick"),
                  json_number<int>(json, "detail_stage", 0, std::numeric_limits<int>::max()),
                  json_field<bool>(json, "detail_more")};
  if (json.contains("again_after_ns"))
    batch.again_after_ns = instant_ns_field(json, "again_after_ns");
  if (json.contains("regions")) batch.regions = stays_from_json(json);
  if (json.contains("host_restarts")) batch.host_restarts = restarts_from_json(json);
  if (json.contains("decoder")) batch.decoder = decoder_from_json(json["decoder"]);
  if (json.contains("volume")) batch.volume = volume_from_json(json["volume"]);
  return batch;
}

Json to_json(const Release& release) {
  Json ticks = Json::array();
  for (const ReleasedTick& tick : release.ticks) ticks.push_back({tick.tick, tick.delay_ns});
  return {{"type", "release"}, {"schedule", release.epoch}, {"ticks", std::move(ticks)}};
}

Json to_json(const ChangeDrawn& drawn) {
  return {{"type", "drawn"},
          {"schedule", drawn.epoch},
          {"received_ns", drawn.received_ns},
          {"ready_ns", drawn.ready_ns}};
}

ChangeDrawn change_drawn_from_json(const Json& json) {
  return {json_field<std::uint64_t>(json, "schedule"), instant_ns_field(json, "received_ns"),
          instant_ns_field(json, "ready_ns")};
}

Release release_from_json(const Json& json) {
  Release release;
  release.epoch = json_field<std::uint64_t>(json, "schedule");
  for (const auto& pair : json_field<std::vector<std::vector<std::int64_t>>>(json, "ticks")) {
    if (pair.size() != 2) throw InputError({"message"}, "ticks", "[tick, delay_ns]", "");
    release.ticks.push_back({pair[0], pair[1]});
  }
  return release;
}

}  // namespace tilewall::scene
