#include "player/cli/ctl_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "player/director/damage.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

std::string number_or_dash(const Json& value) {
  return value.is_number() ? fmt::format("{}", value.get<std::int64_t>()) : "-";
}

/// Those that are gone or silent, then those with late frames, then by skew.
bool worse(const Json& a, const Json& b) {
  const auto badness = [](const Json& panel) {
    return std::make_tuple(!panel.at("connected").get<bool>(),
                           panel.at("frames_late").get<std::int64_t>(),
                           panel.at("skew_us").at("p99").get<double>());
  };
  return badness(a) > badness(b);
}

std::string state_of(const Json& panel) {
  if (!panel.at("connected").get<bool>()) return "gone";
  const Json& silent = panel.at("silent_s");
  if (silent.is_number() && silent.get<double>() > 1)
    return fmt::format("silent for {:.1f} s", silent.get<double>());
  std::string state = panel.at("clock_state").get<std::string>();
  if (!panel.at("realtime").get<bool>()) state += ", no realtime";
  if (panel.at("late_cause").is_string())
    state += ", late by " + panel.at("late_cause").get<std::string>();
  if (panel.at("restarts").get<int>() > 0)
    state += fmt::format(", {} restarts", panel.at("restarts").get<int>());
  return state;
}

bool is_staged(const Json& panel) { return panel.at("stage_budget_bytes").get<double>() > 0; }

/// "12.5/64": MiB of coming frames held, and at most.
std::string staged_of(const Json& panel) {
  constexpr double mib = 1 << 20;
  return fmt::format("{:.1f}/{:.0f}", panel.at("staged_bytes").get<double>() / mib,
                     panel.at("stage_budget_bytes").get<double>() / mib);
}

void print_panel(const Json& panel, bool with_staged) {
  const Json& skew = panel.at("skew_us");
  const Json& offset = panel.at("swap_offset_us");
  fmt::print(
      "{:<10} {:>9} {:>7} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>5}{} {:>6} {:>6} {:<6} {}\n",
      panel.at("panel").get<std::string>(), number_or_dash(panel.at("frame")),
      panel.at("frames_late").get<std::int64_t>(), skew.at("p50").get<double>(),
      skew.at("p99").get<double>(), offset.at("p50").get<double>(), offset.at("p99").get<double>(),
      fmt::format("{}/{}", panel.at("buffers_ready").get<int>(), panel.at("buffers").get<int>()),
      with_staged ? fmt::format(" {:>10}", staged_of(panel)) : "", panel.at("level").get<int>(),
      fmt::format("{:.1f}", panel.at("clock_bound_us").get<double>()),
      panel.at("presenter").get<std::string>(), state_of(panel));
}

/// "main: movies/flight, frame 12 of 240, speed 1"
void print_region(const Json& region) {
  fmt::print("{}: {}, frame {} of {}, {}{:g} times its rate{}{}\n",
             region.at("region").get<std::string>(), region.at("path").get<std::string>(),
             region.at("frame").get<std::int64_t>(), region.at("frames").get<std::int64_t>(),
             region.at("direction").get<int>() < 0 ? "-" : "", region.at("speed").get<double>(),
             region.at("paused").get<bool>() ? ", paused" : "",
             region.at("view_px").is_null() ? "" : ", view " + region.at("view_px").dump());
}

/// "shows 1 of 4 ticks, as panel c0r1 misses some: decode"; nothing where it shows every tick.
void print_decimation(const Json& status) {
  const Json decimation = status.value("decimation", Json::object());
  const auto every = decimation.value("every_nth_tick", std::int64_t{1});
  if (every == 1) return;
  fmt::print("shows 1 of {} ticks, as panel {} misses some: {}\n", every,
             decimation.at("panel").get<std::string>(), decimation.at("cause").get<std::string>());
}

/// "volume: pictures of the slowest panel ..."
void print_volume(const std::vector<Json>& panels) {
  const auto p95 = [](const Json& panel) {
    const Json& volume = panel.at("volume");
    return volume.is_object() ? volume.at("still_ms").at("p95").get<double>() : -1.0;
  };
  const auto slowest = std::max_element(
      panels.begin(), panels.end(), [&](const Json& a, const Json& b) { return p95(a) < p95(b); });
  if (slowest == panels.end() || p95(*slowest) < 0) return;
  const Json& volume = slowest->at("volume");
  const auto ms = [&](const char* times, const char* rank) {
    return volume.at(times).at(rank).get<double>();
  };
  constexpr double mib = 1 << 20;
  const int level = volume.at("level").get<int>();
  fmt::print(
      "volume: {:.0f} of {:.0f} MiB{}; pictures of {}, the slowest, p50 {:.0f} p95 {:.0f} ms "
      "still, "
      "{:.0f} and {:.0f} ms moving\n",
      volume.at("held_bytes").get<double>() / mib,
      volume.at("memory_limit_bytes").get<double>() / mib,
      level > 0 ? fmt::format(", level {}", level) : "", slowest->at("panel").get<std::string>(),
      ms("still_ms", "p50"), ms("still_ms", "p95"), ms("moving_ms", "p50"), ms("moving_ms", "p95"));
  const auto seconds = [&](const char* key) { return volume.at(key).get<double>(); };
  fmt::print(
      "volume: its time, s: read {:.2f}, decode {:.2f}; style {:.2f}, occupancy {:.2f}, cast "
      "{:.2f} "
      "(computing: beams {:.2f}, sample {:.2f}), annotate {:.2f}, wait {:.2f}, copy {:.2f}, "
      "present "
      "{:.2f}\n",
      seconds("read_s"), seconds("decode_s"), seconds("style_s"), seconds("occupancy_s"),
      seconds("cast_s"), seconds("beams_cpu_s"), seconds("sample_cpu_s"), seconds("annotate_s"),
      seconds("wait_s"), seconds("copy_s"), seconds("present_s"));
}

}  // namespace

void print_status(const Json& status) {
  const Json& skew = status.at("skew_us");
  fmt::print("{}: {}, frame {}, {:.2f} of {:g} fps, late policy {}, for {:.0f} s\n",
             status.at("wall").at("name").get<std::string>(), status.at("phase").get<std::string>(),
             number_or_dash(status.at("frame")), status.at("fps").get<double>(),
             status.at("rate_fps").get<double>(), status.at("late").get<std::string>(),
             status.at("running_s").get<double>());
  fmt::print(
      "shown {} of {} frames, {} late; skew p50 {:.0f} p99 {:.0f} max {:.0f} us in 10 s; {} "
      "restarts\n",
      status.at("frames_shown").get<std::int64_t>(), status.at("frames_due").get<std::int64_t>(),
      status.at("frames_late").get<std::int64_t>(), skew.at("p50").get<double>(),
      skew.at("p99").get<double>(), skew.at("max").get<double>(), status.at("restarts").get<int>());
  if (const std::string damage = to_string(damage_from_json(status.value("damage", Json())));
      !damage.empty())
    fmt::print("damage so far: {}\n", damage);
  print_decimation(status);
  for (const Json& region : status.at("scene").at("regions")) print_region(region);
  if (const Json note = status.value("last_note", Json()); note.is_string())
    fmt::print("last note: {}\n", note.get<std::string>());
  std::vector<Json> panels = status.at("per_panel");
  print_volume(panels);
  const bool staged = std::any_of(panels.begin(), panels.end(), is_staged);
  fmt::print("{:<10} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>5}{} {:>6} {:>6} {:<6} {}\n", "panel",
             "frame", "late", "skew p50", "p99 us", "due p50", "p99 us", "ready",
             staged ? " staged MiB" : "", "level", "bound", "by", "clock");
  std::stable_sort(panels.begin(), panels.end(), worse);
  for (const Json& panel : panels) print_panel(panel, staged);
}

}  // namespace tilewall
