#include "player/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "player/scene/timeline_json.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr std::string_view blend_modes[] = {"over", "difference"};
constexpr int max_coarser_by = 24;
// No request comes near these limits; numbers computed from them stay finite.
constexpr double largest_px = 1e15;
constexpr double least_side_px = 1e-15;
constexpr std::int64_t longest_ns = std::int64_t{1} << 61;  // 73 years

template <typename Enum, std::size_t count>
std::string name_of(Enum value, const std::string_view (&names)[count]) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

template <typename Enum, std::size_t count>
std::optional<Enum> parse_name(std::string_view text, const std::string_view (&names)[count]) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

RectF rect_field(const Json& object, const char* field) {
  const auto numbers = json_field<std::vector<double>>(object, field);
  if (numbers.size() != 4) throw InputError({"message"}, field, "[x, y, width, height]", "");
  const RectF rect{numbers[0], numbers[1], numbers[2], numbers[3]};
  expect_field(std::abs(rect.x) <= largest_px && std::abs(rect.y) <= largest_px, field,
               "within 1e15 px");
  expect_field(rect.width >= least_side_px && rect.height >= least_side_px &&
                   rect.width <= largest_px && rect.height <= largest_px,
               field, "a size over 0");
  return rect;
}

Rational positive_field(const Json& object, const char* field) {
  const Rational value = rational_field(object, field);
  expect_field(value.num > 0 && value.den > 0, field, "over 0");
  return value;
}

Json decimation_json(const Decimation& decimation) {
  return {{"strides", to_json(decimation.ticks)},
          {"cause", std::string(to_string(decimation.cause))},
          {"panel", decimation.panel},
          {"names_ticks", decimation.names_ticks}};
}

Decimation decimation_from_json(const Json& json) {
  Decimation decimation;
  decimation.ticks = shown_ticks_field(json, "strides");
  const auto cause = parse_late_cause(json_field<std::string>(json, "cause"));
  expect_field(cause.has_value(), "cause", "a cause of late frames");
  decimation.cause = *cause;
  decimation.panel = json_field<std::string>(json, "panel");
  decimation.names_ticks = json_field<bool>(json, "names_ticks");
  return decimation;
}

Json view_json(const ViewPath& view) {
  return {{"from_px", rect_json(view.from_px)},
          {"to_px", rect_json(view.to_px)},
          {"start_ns", view.start.since_epoch.count()},
          {"duration_ns", view.duration.count()}};
}

ViewPath view_from_json(const Json& json) {
  ViewPath view{rect_field(json, "from_px"), rect_field(json, "to_px"),
                instant_field(json, "start_ns"),
                Nanos(json_field<std::int64_t>(json, "duration_ns"))};
  expect_field(view.duration >= Nanos(0) && view.duration.count() <= longest_ns, "duration_ns",
               "0 to 2^61");
  return view;
}

/// A number where the opacity is at rest.
Json opacity_json(const OpacityPath& opacity) {
  if (opacity.duration <= Nanos(0)) return opacity.to;
  return {{"from", opacity.from},
          {"to", opacity.to},
          {"start_ns", opacity.start.since_epoch.count()},
          {"duration_ns", opacity.duration.count()}};
}

OpacityPath opacity_field(const Json& object) {
  const auto json = json_field<Json>(object, "opacity");
  OpacityPath opacity;
  if (json.is_object())
    opacity = {json_field<double>(json, "from"), json_field<double>(json, "to"),
               instant_field(json, "start_ns"),
               Nanos(json_field<std::int64_t>(json, "duration_ns"))};
  else
    opacity = OpacityPath::at_rest(json_field<double>(object, "opacity"));
  for (const double value : {opacity.from, opacity.to})
    expect_field(value >= 0 && value <= 1, "opacity", "0 to 1");
  expect_field(opacity.duration >= Nanos(0) && opacity.duration.count() <= longest_ns,
               "duration_ns", "0 to 2^61");
  return opacity;
}

Json millimetres_json(Vec3d v) { return {v.x, v.y, v.z}; }

Vec3d millimetres_field(const Json& object, const char* field) {
  const Vec3d vector = vec3d(json_field<std::array<double, 3>>(object, field));
  expect_field(std::isfinite(dot(vector, vector)) && dot(vector, vector) > 0, field,
               "a length over 0");
  return vector;
}

Json plane_json(const wall::RegionPlane& plane) {
  Json json = {{"middle_mm", millimetres_json(plane.middle_mm)},
               {"right_mm", millimetres_json(plane.right_mm)},
               {"down_mm", millimetres_json(plane.down_mm)}};
  if (plane.seen_px) json["seen_px"] = rect_json(*plane.seen_px);
  return json;
}

wall::RegionPlane plane_from_json(const Json& json) {
  wall::RegionPlane plane{millimetres_field(json, "middle_mm"), millimetres_field(json, "right_mm"),
                          millimetres_field(json, "down_mm"), std::nullopt};
  if (json.contains("seen_px")) plane.seen_px = rect_field(json, "seen_px");
  return plane;
}

Json region_json(const Region& region, SourceCatalogue& sources) {
  Json json = {{"name", region.name},
               {"canvas_px", rect_json(region.canvas_px)},
               {"source", sources.id_of(region.source)},
               {"timeline", to_json(region.timeline)},
               {"base_fps", to_json(region.base_fps)},
               {"speed", to_json(region.speed)},
               {"fit", to_string(region.fit)},
               {"opacity", opacity_json(region.opacity)},
               {"blend", to_string(region.blend)},
               {"difference_gain", region.difference_gain},
               {"owner", region.owner},
               {"group", region.group}};
  if (region.first_stage != 0) json["first_stage"] = region.first_stage;
  if (region.clip_px) json["clip_px"] = rect_json(*region.clip_px);
  if (region.view) json["view"] = view_json(*region.view);
  if (region.look) json["look"] = to_json(*region.look);
  if (!region.slate.empty()) json["slate"] = region.slate;
  if (region.leaves_at) json["leaves_at_ns"] = region.leaves_at->since_epoch.count();
  if (region.plane) json["plane"] = plane_json(*region.plane);
  return json;
}

Region region_from_json(const Json& json, const ReceivedSources& sources) {
  Region region;
  region.name = json_field<std::string>(json, "name");
  region.canvas_px = rect_field(json, "canvas_px");
  region.source = sources.at(json_field<std::uint64_t>(json, "source"));
  region.timeline = timeline_from_json(json_field<Json>(json, "timeline"));
  region.fit = json_enum<FitMode>(json, "fit", fit_mode_names);
  region.opacity = opacity_field(json);
  region.blend = json_enum<BlendMode>(json, "blend", blend_modes);
  region.difference_gain = json_field<double>(json, "difference_gain");
  region.base_fps = positive_field(json, "base_fps");
  region.speed = positive_field(json, "speed");
  region.owner = json_field<std::string>(json, "owner");
  region.group = json_field<std::string>(json, "group");
  if (json.contains("first_stage"))
    region.first_stage =
        json_number<int>(json, "first_stage", shown_whole, whole_volumes.number - 1);
  if (json.contains("clip_px")) region.clip_px = rect_field(json, "clip_px");
  if (json.contains("look")) region.look = volume_look_from_json(json_field<Json>(json, "look"));
  if (json.contains("leaves_at_ns")) region.leaves_at = instant_field(json, "leaves_at_ns");
  if (json.contains("slate")) region.slate = json_field<std::string>(json, "slate");
  if (json.contains("plane")) region.plane = plane_from_json(json_field<Json>(json, "plane"));
  if (json.contains("view")) region.view = view_from_json(json_field<Json>(json, "view"));
  expect_field(region.difference_gain >= 1 && region.difference_gain <= max_difference_gain,
               "difference_gain", "1 to 255");
  expect_field(region.timeline.end_frame <= region.source->frames, "end_frame",
               "a frame of the source");
  return region;
}

Json cue_json(const CuePosition& cue) {
  Json json = {
      {"name", cue.cue}, {"rounds", cue.rounds}, {"since_ns", cue.since.since_epoch.count()}};
  if (!cue.armed.empty()) json["armed"] = cue.armed;
  if (cue.is_last) json["is_last"] = true;
  return json;
}

CuePosition cue_from_json(const Json& json) {
  CuePosition cue;
  cue.cue = json_field<std::string>(json, "name");
  cue.rounds = json_field<std::int64_t>(json, "rounds");
  cue.since = instant_field(json, "since_ns");
  if (json.contains("armed")) cue.armed = json_field<std::string>(json, "armed");
  if (json.contains("is_last")) cue.is_last = json_field<bool>(json, "is_last");
  return cue;
}

Json hint_json(const Hint& hint) {
  return {{"text", hint.text},
          {"since_ns", hint.since.since_epoch.count()},
          {"until_ns", hint.until.since_epoch.count()}};
}

Hint hint_from_json(const Json& json) {
  return {json_field<std::string>(json, "text"), instant_field(json, "since_ns"),
          instant_field(json, "until_ns")};
}

OverlaySwitch overlay_from_json(const Json& json) {
  return {json_field<bool>(json, "shown"), instant_field(json, "since_ns")};
}

}  // namespace

std::optional<GlobalInstant> Region::glides_until() const {
  std::optional<GlobalInstant> until = leaves_at;
  const auto extend = [&](GlobalInstant end) { until = std::max(until.value_or(end), end); };
  if (view && view->duration > Nanos(0)) extend(view->end());
  if (opacity.duration > Nanos(0)) extend(opacity.end());
  if (const auto look_until = look ? look->glides_until() : std::nullopt) extend(*look_until);
  return until;
}

bool Region::stands_still() const noexcept {
  return timeline.paused() || source->frames == 1 ||
         (source->kind == SourceKind::volume && timeline.tick_count() == 1);
}

int stage_of(const Region& region, int stage) noexcept {
  if (stage == whole_volumes.number) return stage;
  const std::int64_t own = std::int64_t{stage} - region.first_stage;
  return static_cast<int>(std::clamp<std::int64_t>(own, 0, whole_volumes.number));
}

bool Scene::details_follow() const noexcept {
  return detail_from && (*detail_from == never || volume_stage.number < whole_volumes.number);
}

std::int64_t Scene::next_shown(std::int64_t tick) const noexcept {
  if (is_last(tick)) return tick;
  const std::int64_t next = decimation.ticks.next(tick);
  return tick_grid.count ? std::min(next, *tick_grid.count - 1) : next;
}

std::int64_t Decimation::every() const noexcept {
  const std::vector<sync::TickStride>& strides = ticks.strides();
  const bool is_named = names_ticks && strides.size() > 1;
  return is_named ? strides[strides.size() - 2].every : ticks.every();
}

std::string to_text(const Decimation& decimation, std::int64_t tick) {
  const std::int64_t every = decimation.ticks.every_at(tick);
  if (every == 1) return "every tick";
  return fmt::format("1 of {} ticks: {} {}", every, to_string(decimation.cause), decimation.panel);
}

bool has_sound(const Scene& scene) noexcept {
  return std::any_of(scene.regions.begin(), scene.regions.end(),
                     [](const Region& region) { return has_sound(*region.source); });
}

std::set<SourcePtr> sources_of(const Scene& scene) {
  std::set<SourcePtr> sources;
  for (const Region& region : scene.regions) sources.insert(region.source);
  return sources;
}

Json to_json(const Scene& scene, SourceCatalogue& sources) {
  Json regions = Json::array();
  for (const Region& region : scene.regions) regions.push_back(region_json(region, sources));
  Json json = {
      {"version", scene.version},
      {"schedule", scene.epoch},
      {"since_ns", scene.since.since_epoch.count()},
      {"beat", to_json(scene.tick_grid)},
      {"bezels", name_of(scene.bezels, wall::bezel_mode_names)},
      {"content", std::string(wall::to_string(scene.content))},
      {"regions", std::move(regions)},
      {"blank", scene.blank},
      {"coarser_by", scene.coarser_by},
      {"overlay",
       {{"shown", scene.overlay.shown}, {"since_ns", scene.overlay.since.since_epoch.count()}}},
      {"hints", scene.hints},
      {"volume", scene.audio_gain},
      {"muted", scene.muted}};
  if (!scene.decimation.ticks.strides().empty())
    json["decimation"] = decimation_json(scene.decimation);
  if (scene.panic) json["panic"] = true;
  if (scene.frozen_at) json["frozen_at_ns"] = scene.frozen_at->since_epoch.count();
  if (scene.cue) json["cue"] = cue_json(*scene.cue);
  if (scene.hint) json["hint"] = hint_json(*scene.hint);
  if (scene.detail_from) {
    json["detail_from_ns"] = scene.detail_from->since_epoch.count();
    json["volume_stage"] = scene.volume_stage.number;
    json["volume_stage_from_ns"] = scene.volume_stage.from.since_epoch.count();
  }
  if (!scene.progress.text.empty())
    json["progress"] = {{"text", scene.progress.text}, {"panel", scene.progress.panel}};
  return json;
}

Scene scene_from_json(const Json& json, const ReceivedSources& sources) {
  Scene scene;
  scene.version = json_field<std::uint64_t>(json, "version");
  scene.epoch = json_field<std::uint64_t>(json, "schedule");
  scene.since = instant_field(json, "since_ns");
  scene.tick_grid = tick_grid_from_json(json_field<Json>(json, "beat"));
  if (json.contains("decimation"))
    scene.decimation = decimation_from_json(json_field<Json>(json, "decimation"));
  scene.bezels = json_enum<wall::BezelMode>(json, "bezels", wall::bezel_mode_names);
  const auto content = wall::parse_content_mode(json_field<std::string>(json, "content"));
  expect_field(content.has_value(), "content", "a content mode");
  scene.content = *content;
  for (const Json& region : json_field<std::vector<Json>>(json, "regions"))
    scene.regions.push_back(region_from_json(region, sources));
  scene.blank = json_field<bool>(json, "blank");
  if (json.contains("panic")) scene.panic = json_field<bool>(json, "panic");
  if (json.contains("frozen_at_ns")) scene.frozen_at = instant_field(json, "frozen_at_ns");
  if (json.contains("cue")) scene.cue = cue_from_json(json_field<Json>(json, "cue"));
  scene.coarser_by = json_field<int>(json, "coarser_by");
  scene.overlay = overlay_from_json(json_field<Json>(json, "overlay"));
  scene.hints = json_field<bool>(json, "hints");
  if (json.contains("hint")) scene.hint = hint_from_json(json_field<Json>(json, "hint"));
  if (json.contains("detail_from_ns")) {
    scene.detail_from = instant_field(json, "detail_from_ns");
    scene.volume_stage = {
        json_number<int>(json, "volume_stage", 0, std::numeric_limits<int>::max()),
        instant_field(json, "volume_stage_from_ns")};
  }
  if (json.contains("progress")) {
    const Json progress = json_field<Json>(json, "progress");
    scene.progress = {json_field<std::string>(progress, "text"),
                      json_field<std::string>(progress, "panel")};
  }
  scene.audio_gain = json_field<double>(json, "volume");
  scene.muted = json_field<bool>(json, "muted");
  expect_field(!scene.regions.empty() && scene.regions.size() <= max_regions, "regions", "1 to 64");
  expect_field(scene.coarser_by >= 0 && scene.coarser_by <= max_coarser_by, "coarser_by",
               "0 to 24");
  return scene;
}

std::optional<FitMode> parse_fit_mode(std::string_view text) {
  return parse_name<FitMode>(text, fit_mode_names);
}

std::optional<BlendMode> parse_blend_mode(std::string_view text) {
  return parse_name<BlendMode>(text, blend_modes);
}

std::optional<sync::LoopMode> parse_loop_mode(std::string_view text) {
  return parse_name<sync::LoopMode>(text, loop_mode_names);
}

std::string to_string(FitMode fit) { return name_of(fit, fit_mode_names); }
std::string to_string(BlendMode blend) { return name_of(blend, blend_modes); }
std::string to_string(sync::LoopMode loop) { return name_of(loop, loop_mode_names); }

}  // namespace tilewall::scene
