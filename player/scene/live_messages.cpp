#include "player/scene/live_messages.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "player/scene/timeline_json.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::scene {

using Json = nlohmann::json;

namespace {

constexpr std::int64_t last_frame = live_frame(~std::uint64_t{0}, last_timestep);
constexpr std::size_t most_kept = 4096;
constexpr std::size_t most_skipped = 16;
constexpr int longest_side = 8192;
constexpr int most_ranks = 1024;

std::int64_t timestep_field(const Json& json, const char* field) {
  return json_number<std::int64_t>(json, field, no_timestep, last_timestep);
}

std::int64_t frame_field(const Json& json, const char* field) {
  return json_number<std::int64_t>(json, field, no_timestep, last_frame);
}

/// A list of timesteps or frames, each at most `last`.
std::vector<std::int64_t> numbers_field(const Json& json, const char* field, std::int64_t last) {
  auto numbers = json_field<std::vector<std::int64_t>>(json, field);
  const bool holds =
      numbers.size() <= most_kept && std::ranges::all_of(numbers, [&](std::int64_t number) {
        return number >= 0 && number <= last;
      });
  expect_field(holds, field, "4096 timesteps at most");
  return numbers;
}

std::string note_field(const Json& json, const char* field) {
  auto note = json_field<std::string>(json, field);
  expect_field(note.size() <= longest_live_note, field, "47 bytes at most");
  return note;
}

std::array<double, 3> vector_field(const Json& json, const char* field, bool positive) {
  const auto list = json_field<std::vector<double>>(json, field);
  const bool holds = list.size() == 3 && std::ranges::all_of(list, [&](double value) {
                       return std::isfinite(value) && (!positive || value > 0);
                     });
  expect_field(holds, field, positive ? "3 numbers over 0" : "3 finite numbers");
  return {list[0], list[1], list[2]};
}

Json shape_json(const LiveShape& shape) {
  return {{"name", shape.name},     {"grid", shape.grid},   {"spacing", shape.spacing},
          {"origin", shape.origin}, {"field", shape.field}, {"ranks", shape.ranks}};
}

LiveShape shape_from_json(const Json& json) {
  LiveShape shape;
  shape.name = json_field<std::string>(json, "name");
  const auto grid = json_field<std::vector<int>>(json, "grid");
  const bool holds = grid.size() == 3 && std::ranges::all_of(grid, [](int side) {
                       return side >= 1 && side <= longest_side;
                     });
  expect_field(holds, "grid", "3 sides of 1 to 8192 voxels");
  shape.grid = {grid[0], grid[1], grid[2]};
  shape.spacing = vector_field(json, "spacing", true);
  shape.origin = vector_field(json, "origin", false);
  shape.field = json_field<std::string>(json, "field");
  shape.ranks = json_number<int>(json, "ranks", 1, most_ranks);
  return shape;
}

}  // namespace

render::WorldBox box_of(const LiveShape& shape) {
  std::array<double, 3> middle{};
  std::array<double, 3> half{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = (shape.grid[axis] - 1) * shape.spacing[axis];
    middle[axis] = shape.origin[axis] + length / 2;
    half[axis] = std::max(length, shape.spacing[axis]) / 2;
  }
  return {{middle[0], middle[1], middle[2]}, {{half[0], 0, 0}, {0, half[1], 0}, {0, 0, half[2]}}};
}

const std::string& LiveStep::note_of(std::int64_t frame) const noexcept {
  static const std::string none;
  if (frame == no_timestep) return none;
  if (frame == next) return next_note;
  if (frame == shown) return shown_note;
  return frame == before ? before_note : none;
}

const LiveStep* find_step(const LiveSteps& steps, const SourceSpec& source) noexcept {
  const auto step = std::ranges::find(steps, source.path, &LiveStep::source);
  return step == steps.end() ? nullptr : &*step;
}

std::vector<std::int64_t> frames_of(const Scene& scene, const LiveSteps& steps, GlobalInstant due) {
  const GlobalInstant at = scene.pictured_at(due);
  std::vector<std::int64_t> frames;
  for (const Region& region : scene.regions) {
    if (!region.source->live) {
      frames.push_back(region.timeline.frame_at(at));
      continue;
    }
    const LiveStep* const step = find_step(steps, *region.source);
    frames.push_back(step == nullptr ? no_timestep : step->at(at));
  }
  return frames;
}

Json to_json(const LiveStep& step) {
  return {{"type", "live"},
          {"source", step.source},
          {"number", step.number},
          {"shown", step.shown},
          {"next", step.next},
          {"from_ns", step.from.since_epoch.count()},
          {"before", step.before},
          {"since_ns", step.since.since_epoch.count()},
          {"shown_note", step.shown_note},
          {"next_note", step.next_note},
          {"before_note", step.before_note}};
}

LiveStep live_step_from_json(const Json& json) {
  return {json_field<std::string>(json, "source"),
          json_field<std::uint64_t>(json, "number"),
          frame_field(json, "shown"),
          frame_field(json, "next"),
          instant_field(json, "from_ns"),
          frame_field(json, "before"),
          instant_field(json, "since_ns"),
          note_field(json, "shown_note"),
          note_field(json, "next_note"),
          note_field(json, "before_note")};
}

Json to_json(const LiveDrawn& drawn) {
  return {{"type", "live_drawn"}, {"source", drawn.source}, {"number", drawn.number}};
}

LiveDrawn live_drawn_from_json(const Json& json) {
  return {json_field<std::string>(json, "source"), json_field<std::uint64_t>(json, "number")};
}

Json to_json(const CasterHello& hello) {
  return {{"type", "caster_hello"},
          {"protocol", control_protocol_version},
          {"pid", hello.pid},
          {"host", hello.host},
          {"source", hello.source}};
}

CasterHello caster_hello_from_json(const Json& json) {
  if (const int protocol = json_field<int>(json, "protocol"); protocol != control_protocol_version)
    throw InputError({"message"}, "protocol", std::to_string(control_protocol_version),
                     std::to_string(protocol));
  return {json_field<int>(json, "pid"), json_field<std::string>(json, "host"),
          json_field<std::string>(json, "source")};
}

Json to_json(const LiveReport& report) {
  Json skipped = Json::array();
  for (const LiveSkipped& one : report.skipped)
    skipped.push_back({{"timestep", one.timestep},
                       {"skip", live_skip_names[static_cast<std::size_t>(one.skip)]},
                       {"cause", one.cause}});
  Json json = {{"type", "live_report"},
               {"run", report.run},
               {"reached", report.reached},
               {"kept", report.kept},
               {"resolved", report.resolved},
               {"skipped", std::move(skipped)},
               {"waits_for", report.waits_for},
               {"refused", report.refused},
               {"newest_time", report.newest_time},
               {"received_bytes", report.received_bytes},
               {"lost_packets", report.lost_packets},
               {"repaired_packets", report.repaired_packets},
               {"received", report.received},
               {"work",
                {{"timesteps", report.work.timesteps},
                 {"wire_s", report.work.wire_s},
                 {"convert_s", report.work.convert_s},
                 {"tiles_s", report.work.tiles_s},
                 {"after_s", report.work.after_s}}}};
  if (report.shape) json["shape"] = shape_json(*report.shape);
  return json;
}

LiveReport live_report_from_json(const Json& json) {
  LiveReport report;
  if (json.contains("shape")) report.shape = shape_from_json(json_field<Json>(json, "shape"));
  report.run = json_field<std::uint64_t>(json, "run");
  report.reached = timestep_field(json, "reached");
  report.kept = numbers_field(json, "kept", last_timestep);
  report.resolved = timestep_field(json, "resolved");
  const auto skipped = json_field<std::vector<Json>>(json, "skipped");
  expect_field(skipped.size() <= most_skipped, "skipped", "16 timesteps at most");
  for (const Json& one : skipped)
    report.skipped.push_back({timestep_field(one, "timestep"),
                              json_enum<LiveSkip>(one, "skip", live_skip_names),
                              json_field<std::string>(one, "cause")});
  report.waits_for = json_field<std::string>(json, "waits_for");
  report.refused = json_field<std::string>(json, "refused");
  report.newest_time = json_field<double>(json, "newest_time");
  report.received_bytes = json_field<std::uint64_t>(json, "received_bytes");
  report.lost_packets = json_field<std::uint64_t>(json, "lost_packets");
  report.repaired_packets = json_field<std::uint64_t>(json, "repaired_packets");
  report.received = json_field<std::uint64_t>(json, "received");
  const Json work = json_field<Json>(json, "work");
  report.work = {json_field<std::uint64_t>(work, "timesteps"), json_field<double>(work, "wire_s"),
                 json_field<double>(work, "convert_s"), json_field<double>(work, "tiles_s"),
                 json_field<double>(work, "after_s")};
  return report;
}

Json to_json(const LiveOrder& order) {
  return {{"type", "live_order"},
          {"run", order.run},
          {"wanted", order.wanted},
          {"on_wall", order.on_wall}};
}

LiveOrder live_order_from_json(const Json& json) {
  return {json_field<std::uint64_t>(json, "run"), timestep_field(json, "wanted"),
          numbers_field(json, "on_wall", last_frame)};
}

}  // namespace tilewall::scene
