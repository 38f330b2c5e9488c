#include "player/scene/scene.hpp"

#include <nlohmann/json.hpp>

#include "player/scene/json_fields.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::string_view source_kinds[] = {"wall_movie", "images", "movie", "pattern"};
constexpr std::string_view fit_modes[] = {"contain", "cover", "stretch"};
constexpr std::string_view bezel_modes[] = {"hide", "show"};
constexpr std::string_view loop_modes[] = {"once", "loop"};

template <typename Enum, std::size_t count>
Json name_of(Enum value, const std::string_view (&names)[count]) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

RectF rect_field(const Json& object, const char* field) {
  const auto numbers = json_field<std::vector<double>>(object, field);
  if (numbers.size() != 4) throw InputError({"message"}, field, "[x, y, width, height]", "");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

Json timeline_json(const Timeline& timeline) {
  Json json = {{"start_ns", timeline.start.since_epoch.count()},
               {"rate_fps", {timeline.rate_fps.num, timeline.rate_fps.den}},
               {"first_frame", timeline.first_frame},
               {"end_frame", timeline.end_frame},
               {"start_frame", timeline.start_frame},
               {"direction", timeline.direction},
               {"loop", name_of(timeline.loop, loop_modes)}};
  if (timeline.tick_limit) json["tick_limit"] = *timeline.tick_limit;
  return json;
}

void check_timeline(const Timeline& timeline) {
  const auto check = [](bool holds, const char* field, const char* expected) {
    if (!holds) throw InputError({"message"}, field, expected, "another value");
  };
  check(timeline.rate_fps.num >= 0 && timeline.rate_fps.den > 0, "rate_fps", "a rate >= 0");
  check(timeline.end_frame > timeline.first_frame, "end_frame", "more than first_frame");
  check(timeline.start_frame >= timeline.first_frame && timeline.start_frame < timeline.end_frame,
        "start_frame", "a frame of the range");
  check(timeline.direction == 1 || timeline.direction == -1, "direction", "1 or -1");
}

Timeline timeline_from_json(const Json& json) {
  const auto rate = json_field<std::vector<std::int64_t>>(json, "rate_fps");
  if (rate.size() != 2) throw InputError({"message"}, "rate_fps", "[num, den]", "");
  Timeline timeline;
  timeline.start.since_epoch = Nanos(json_field<std::int64_t>(json, "start_ns"));
  timeline.rate_fps = {rate[0], rate[1]};
  timeline.first_frame = json_field<std::int64_t>(json, "first_frame");
  timeline.end_frame = json_field<std::int64_t>(json, "end_frame");
  timeline.start_frame = json_field<std::int64_t>(json, "start_frame");
  timeline.direction = json_field<int>(json, "direction");
  timeline.loop = json_enum<LoopMode>(json, "loop", loop_modes);
  if (json.contains("tick_limit"))
    timeline.tick_limit = json_field<std::int64_t>(json, "tick_limit");
  check_timeline(timeline);
  return timeline;
}

Json source_json(const SourceSpec& source) {
  return {{"kind", name_of(source.kind, source_kinds)},
          {"path", source.path},
          {"files", source.files},
          {"size_px", {source.size_px.width, source.size_px.height}}};
}

SourceSpec source_from_json(const Json& json) {
  const auto size = json_field<std::vector<int>>(json, "size_px");
  if (size.size() != 2) throw InputError({"message"}, "size_px", "[width, height]", "");
  SourceSpec source;
  source.kind = json_enum<SourceKind>(json, "kind", source_kinds);
  source.path = json_field<std::string>(json, "path");
  source.files = json_field<std::vector<std::string>>(json, "files");
  source.size_px = {size[0], size[1]};
  return source;
}

Json region_json(const Region& region) {
  Json json = {{"canvas_px", rect_json(region.canvas_px)},
               {"source", source_json(region.source)},
               {"timeline", timeline_json(region.timeline)},
               {"fit", name_of(region.fit, fit_modes)},
               {"owner", region.owner}};
  if (region.view_px) json["view_px"] = rect_json(*region.view_px);
  return json;
}

Region region_from_json(const Json& json) {
  Region region;
  region.canvas_px = rect_field(json, "canvas_px");
  region.source = source_from_json(json_field<Json>(json, "source"));
  region.timeline = timeline_from_json(json_field<Json>(json, "timeline"));
  region.fit = json_enum<FitMode>(json, "fit", fit_modes);
  region.owner = json_field<std::string>(json, "owner");
  if (json.contains("view_px")) region.view_px = rect_field(json, "view_px");
  return region;
}

}  // namespace

Json to_json(const Scene& scene) {
  Json regions = Json::array();
  for (const Region& region : scene.regions) regions.push_back(region_json(region));
  return {
      {"version", scene.version},
      {"schedule", scene.schedule},
      {"bezels", name_of(scene.bezels, bezel_modes)},
      {"regions", std::move(regions)},
      {"overlay",
       {{"shown", scene.overlay.shown}, {"since_ns", scene.overlay.since.since_epoch.count()}}}};
}

Scene scene_from_json(const Json& json) {
  Scene scene;
  scene.version = json_field<std::uint64_t>(json, "version");
  scene.schedule = json_field<std::uint64_t>(json, "schedule");
  scene.bezels = json_enum<BezelMode>(json, "bezels", bezel_modes);
  for (const Json& region : json_field<std::vector<Json>>(json, "regions"))
    scene.regions.push_back(region_from_json(region));
  const Json overlay = json_field<Json>(json, "overlay");
  scene.overlay.shown = json_field<bool>(overlay, "shown");
  scene.overlay.since.since_epoch = Nanos(json_field<std::int64_t>(overlay, "since_ns"));
  if (scene.regions.size() != 1)
    throw InputError({"message"}, "regions", "one region", std::to_string(scene.regions.size()));
  return scene;
}

std::optional<FitMode> parse_fit_mode(std::string_view text) {
  for (std::size_t i = 0; i < std::size(fit_modes); ++i)
    if (fit_modes[i] == text) return static_cast<FitMode>(i);
  return std::nullopt;
}

}  // namespace tilewall
