#include "player/scene/timeline_json.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "player/scene/scene.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::scene {

using Json = nlohmann::json;

Json to_json(Rational value) { return {value.num, value.den}; }

Rational rational_field(const Json& object, const char* field) {
  const auto parts = json_field<std::vector<std::int64_t>>(object, field);
  if (parts.size() != 2) throw InputError({"message"}, field, "[num, den]", "");
  return {parts[0], parts[1]};
}

GlobalInstant instant_field(const Json& object, const char* field) {
  const GlobalInstant instant{Nanos(json_field<std::int64_t>(object, field))};
  expect_field(instant <= never && instant.since_epoch >= -never.since_epoch, field,
               "within 2^62 ns");
  return instant;
}

Json to_json(const sync::Timeline& timeline) {
  Json json = {{"start_ns", timeline.start.since_epoch.count()},
               {"rate_fps", to_json(timeline.rate_fps)},
               {"first_frame", timeline.first_frame},
               {"end_frame", timeline.end_frame},
               {"start_frame", timeline.start_frame},
               {"direction", timeline.direction},
               {"loop", to_string(timeline.loop)}};
  if (timeline.tick_limit) json["tick_limit"] = *timeline.tick_limit;
  return json;
}

sync::Timeline timeline_from_json(const Json& json) {
  sync::Timeline timeline;
  timeline.start = instant_field(json, "start_ns");
  timeline.rate_fps = rational_field(json, "rate_fps");
  timeline.first_frame = json_field<std::int64_t>(json, "first_frame");
  timeline.end_frame = json_field<std::int64_t>(json, "end_frame");
  timeline.start_frame = json_field<std::int64_t>(json, "start_frame");
  timeline.direction = json_field<int>(json, "direction");
  timeline.loop = json_enum<sync::LoopMode>(json, "loop", loop_mode_names);
  if (json.contains("tick_limit"))
    timeline.tick_limit = json_field<std::int64_t>(json, "tick_limit");
  expect_field(timeline.well_formed(), "timeline", "a frame of a range, a rate, a direction");
  return timeline;
}

Json to_json(const sync::TickGrid& tick_grid) {
  Json json = {{"start_ns", tick_grid.start.since_epoch.count()},
               {"rate_fps", to_json(tick_grid.rate_fps)}};
  if (tick_grid.count) json["count"] = *tick_grid.count;
  return json;
}

sync::TickGrid tick_grid_from_json(const Json& json) {
  sync::TickGrid tick_grid{instant_field(json, "start_ns"), rational_field(json, "rate_fps"),
                           std::nullopt};
  if (json.contains("count")) tick_grid.count = json_field<std::int64_t>(json, "count");
  expect_field(tick_grid.well_formed(), "beat", "a rate >= 0 and a count over 0");
  return tick_grid;
}

Json to_json(const sync::ShownTicks& ticks) {
  Json strides = Json::array();
  for (const sync::TickStride& stride : ticks.strides())
    strides.push_back({stride.from, stride.first, stride.every});
  return strides;
}

sync::ShownTicks shown_ticks_field(const Json& object, const char* field) {
  constexpr const char* expected = "at most 4 of [from, first, every], ascending";
  std::vector<sync::TickStride> strides;
  for (const auto& numbers : json_field<std::vector<std::vector<std::int64_t>>>(object, field)) {
    expect_field(numbers.size() == 3, field, expected);
    strides.push_back({numbers[0], numbers[1], numbers[2]});
  }
  sync::ShownTicks ticks;
  expect_field(ticks.assign(std::move(strides)), field, expected);
  return ticks;
}

}  // namespace tilewall::scene
