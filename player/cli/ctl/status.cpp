#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "player/cli/ctl/words.hpp"
#include "player/director/statistics/damage.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t endless_frames = std::int64_t{1} << 40;  // patterns have no end

std::string text_of(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? printable_text(found->get<std::string>()) : "";
}

std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string number_or_dash(const Json& value) {
  return value.is_number() ? fmt::format("{}", value.get<std::int64_t>()) : "-";
}

/// The order of panels: disconnected ones first, then by late frames, then by skew.
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

/// Coming frames that are staged, and their limit, in MiB: "12.5/64".
std::string staged_of(const Json& panel) {
  constexpr double mib = 1 << 20;
  return fmt::format("{:.1f}/{:.0f}", panel.at("staged_bytes").get<double>() / mib,
                     panel.at("stage_budget_bytes").get<double>() / mib);
}

std::string panel_text(const Json& panel, bool with_staged) {
  const Json& skew = panel.at("skew_us");
  const Json& offset = panel.at("swap_offset_us");
  return fmt::format(
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
std::string region_text(const Json& region) {
  return fmt::format(
      "{}: {}, frame {} of {}, {}{:g} times its rate{}{}\n", text_of(region, "region"),
      region.contains("playlist") ? "a list" : text_of(region, "path"),
      region.at("frame").get<std::int64_t>(), region.at("frames").get<std::int64_t>(),
      region.at("direction").get<int>() < 0 ? "-" : "", region.at("speed").get<double>(),
      region.at("paused").get<bool>() ? ", paused" : "",
      region.at("view_px").is_null() ? "" : ", view " + region.at("view_px").dump());
}

/// "shows 1 of 4 ticks, as panel c0r1 misses some: decode"; "" if every tick is shown.
std::string decimation_text(const Json& status) {
  const Json decimation = status.value("decimation", Json::object());
  const auto every = decimation.value("every_nth_tick", std::int64_t{1});
  if (every == 1) return "";
  return fmt::format("shows 1 of {} ticks, as panel {} misses some: {}\n", every,
                     text_of(decimation, "panel"), text_of(decimation, "cause"));
}

/// "volume: pictures of the slowest panel ..."
std::string volume_text(const std::vector<Json>& panels) {
  const auto p95 = [](const Json& panel) {
    const Json& volume = panel.at("volume");
    return volume.is_object() ? volume.at("still_ms").at("p95").get<double>() : -1.0;
  };
  const auto slowest = std::max_element(
      panels.begin(), panels.end(), [&](const Json& a, const Json& b) { return p95(a) < p95(b); });
  if (slowest == panels.end() || p95(*slowest) < 0) return "";
  const Json& volume = slowest->at("volume");
  const auto ms = [&](const char* times, const char* rank) {
    return volume.at(times).at(rank).get<double>();
  };
  constexpr double mib = 1 << 20;
  const int level = volume.at("level").get<int>();
  std::string text = fmt::format(
      "volume: {:.0f} of {:.0f} MiB{}; pictures of {}, the slowest, p50 {:.0f} p95 {:.0f} ms "
      "still, "
      "{:.0f} and {:.0f} ms moving\n",
      volume.at("held_bytes").get<double>() / mib,
      volume.at("memory_limit_bytes").get<double>() / mib,
      level > 0 ? fmt::format(", level {}", level) : "", slowest->at("panel").get<std::string>(),
      ms("still_ms", "p50"), ms("still_ms", "p95"), ms("moving_ms", "p50"), ms("moving_ms", "p95"));
  const auto seconds = [&](const char* key) { return volume.at(key).get<double>(); };
  return text +
         fmt::format(
             "volume: its time, s: read {:.2f}, decode {:.2f}; style {:.2f}, occupancy {:.2f}, "
             "cast "
             "{:.2f} "
             "(computing: beams {:.2f}, sample {:.2f}), annotate {:.2f}, wait {:.2f}, copy {:.2f}, "
             "present "
             "{:.2f}\n",
             seconds("read_s"), seconds("decode_s"), seconds("style_s"), seconds("occupancy_s"),
             seconds("cast_s"), seconds("beams_cpu_s"), seconds("sample_cpu_s"),
             seconds("annotate_s"), seconds("wait_s"), seconds("copy_s"), seconds("present_s"));
}

/// "green: all 15 panels show every frame in time"
std::string light_text(const Json& status, bool coloured) {
  const std::string light = text_of(status, "light");
  std::string reasons;
  for (const Json& reason : status.at("reasons"))
    reasons += (reasons.empty() ? "" : "; ") + printable_text(reason.get<std::string>());
  const char* const colour = light == "green" ? "32" : light == "yellow" ? "33" : "31";
  const std::string shown = coloured ? fmt::format("\033[1;{}m{}\033[0m", colour, light) : light;
  return fmt::format("{}: {}\n", shown, reasons);
}

/// The first region's frame and time: ", frame 123 of 480, 0:05.1 of 0:20.0".
std::string place_text(const Json& status) {
  const Json& region = status.at("scene").at("regions").at(0);
  std::string text = fmt::format(", frame {}", number_or_dash(status.at("frame")));
  const auto frames = region.at("frames").get<std::int64_t>();
  const double fps = region.at("base_fps").get<double>();
  if (frames < endless_frames) text += fmt::format(" of {}", frames);
  if (!status.at("frame").is_number() || !(fps > 0)) return text;
  text += ", " + duration_text(status.at("frame").get<double>() / fps);
  if (frames < endless_frames) text += " of " + duration_text(static_cast<double>(frames) / fps);
  return text;
}

/// The status of the first region's live source; null where it shows another input.
Json main_live(const Json& status) {
  const Json& regions = status.at("scene").at("regions");
  for (const Json& live : status.value("live", Json::array()))
    if (!regions.empty() && text_of(live, "region") == text_of(regions.at(0), "region"))
      return live;
  return nullptr;
}

/// "live:gs, timestep 41": what stands in place of frame and rate where timesteps follow from no
/// clock.
std::string live_place_text(const Json& live) {
  const Json& timestep = live.at("timestep");
  return fmt::format(
      "live:{}, {}", text_of(live, "name"),
      timestep.is_number() ? "timestep " + number_or_dash(timestep) : "no timestep yet");
}

/// "5x3: playing, frame 123 of 480, 0:05.1 of 0:20.0, 24.00 of 24 fps, late policy drop, ..."
std::string show_text(const Json& status) {
  if (const Json live = main_live(status); !live.is_null())
    return fmt::format("{}: {}, for {:.0f} s\n", text_of(status.at("wall"), "name"),
                       live_place_text(live), status.at("running_s").get<double>());
  const double due_fps = status.at("due_fps").get<double>();
  const double base_fps = status.at("scene").at("regions").at(0).at("base_fps").get<double>();
  const std::string rate =
      due_fps > 0 ? fmt::format("{:.2f} of {:g} fps", status.at("fps").get<double>(), due_fps)
                  : fmt::format("{:g} fps when it plays", base_fps);
  return fmt::format("{}: {}{}, {}, late policy {}, for {:.0f} s\n",
                     text_of(status.at("wall"), "name"), text_of(status, "phase"),
                     place_text(status), rate, text_of(status, "late"),
                     status.at("running_s").get<double>());
}

/// What operators have hidden, stopped or silenced, and how that ends; "" if nothing.
std::string hidden_text(const Json& scene) {
  if (scene.value("panic", false)) return "panic: the wall is black and silent, until ctl resume\n";
  std::string text;
  if (scene.value("blank", false)) text += "the wall is black, until ctl blank off\n";
  if (scene.value("frozen", false)) text += "the wall is frozen, until ctl freeze off\n";
  if (scene.value("muted", false)) text += "the sound is muted, until ctl mute off\n";
  return text;
}

/// The items of a playlist, each with its number for `ctl goto`. Unless `all`, only those around
/// the current one.
std::string list_text(const Json& playlist, bool all) {
  constexpr std::int64_t around = 4;
  std::string text = "item " + item_text(playlist) + "\n";
  const auto shown = playlist.at("item").get<std::int64_t>();
  const auto count = playlist.at("items").get<std::int64_t>();
  std::int64_t listed = 0;
  for (const Json& item : playlist.value("list", Json::array())) {
    const auto number = item.at("item").get<std::int64_t>();
    if (!all && std::abs(number - shown) > around) continue;
    ++listed;
    const std::string name = text_of(item, "name");
    const std::string file = file_name_of(text_of(item, "path"));
    text += fmt::format("{} goto {:<4} {}{}\n", number == shown ? '>' : ' ', number, name,
                        file.empty() || file == name ? "" : "  " + file);
  }
  if (listed < count)
    text += fmt::format("  ... {} more{}\n", count - listed, all ? "" : " (--verbose)");
  return text;
}

/// "held, the newest is 57" or "follows (policy nth:4)".
std::string standing_text(const Json& live) {
  if (live.value("held", false))
    return fmt::format("held, the newest is {}", live.at("announced").get<std::int64_t>() - 1);
  const std::string policy = text_of(live, "policy");
  return fmt::format("follows (policy {}{})", policy,
                     policy == "nth" ? ":" + number_or_dash(live.at("nth")) : "");
}

/// "cue 2 two of Tour, next 3 volume (armed), in 5.0 s" and a line end; "" for other shows.
std::string presentation_text(const Json& status) {
  const auto found = status.find("presentation");
  if (found == status.end()) return "";
  const auto name_of = [](const Json& cue) {
    const std::string number = text_of(cue, "number");
    return (number.empty() ? "" : number + " ") + text_of(cue, "name");
  };
  std::string text = found->at("name").is_null()
                         ? fmt::format("before the first cue of {}", text_of(*found, "show"))
                         : fmt::format("cue {} of {}", name_of(*found), text_of(*found, "show"));
  if (const Json& next = found->at("next"); next.is_object()) {
    text += ", next " + name_of(next);
    const Json& armed = found->at("armed");
    if (armed.at("cue") == next.at("name")) text += fmt::format(" ({})", text_of(armed, "state"));
    if (found->at("follows_in_s").is_number())
      text += fmt::format(" in {:.1f} s", found->at("follows_in_s").get<double>());
  } else {
    text += ", the last one";
  }
  if (const auto unsaved = found->value("unsaved", 0); unsaved > 0)
    text += fmt::format("\n{} changed cue{} not in the show file (ctl show save)", unsaved,
                        unsaved == 1 ? "" : "s");
  return text + "\n";
}

/// ", 3 late on c0r0, c1r0"; "" where no timestep was late.
std::string late_text(const Json& live) {
  if (live.value("late", 0) == 0) return "";
  std::string panels;
  for (const auto& [panel, count] : live.at("late_by_panel").items())
    panels += (panels.empty() ? "" : ", ") + printable_text(panel);
  return fmt::format(", {} late on {}", live.at("late").dump(), panels);
}

/// "live gs: timestep 41 of field u, 0.3 s old, follows (policy newest); 40 shown, 1 skipped" and
/// what it waits for.
std::string live_text(const Json& status) {
  std::string text;
  for (const Json& live : status.value("live", Json::array())) {
    const Json& timestep = live.at("timestep");
    std::int64_t skipped = 0;
    for (const Json& count : live.at("skipped")) skipped += count.get<std::int64_t>();
    const std::string field = text_of(live, "field");
    text += fmt::format("live {}: ", text_of(live, "name"));
    if (timestep.is_number())
      text += fmt::format("timestep {}{}{}, {}; {} shown, {} skipped{}", timestep.dump(),
                          field.empty() ? "" : " of field " + field,
                          live.at("age_s").is_number()
                              ? fmt::format(", {:.1f} s old", live.at("age_s").get<double>())
                              : "",
                          standing_text(live), live.at("shown").dump(), skipped, late_text(live));
    else
      text += "no timestep yet";
    if (const std::string waits = text_of(live, "waits_for"); !waits.empty()) text += "; " + waits;
    if (const std::string last = text_of(live, "last_skip"); !last.empty())
      text += "; last skipped: " + last;
    if (const std::string refused = text_of(live, "last_refused"); !refused.empty())
      text += "; last refused: " + refused;
    text += "\n";
  }
  return text;
}

std::string counts_text(const Json& status) {
  const auto count = [&](const char* field) { return status.at(field).get<std::int64_t>(); };
  const auto plural = [&](const char* field) { return count(field) == 1 ? "" : "s"; };
  // A wall that shows timesteps only has no frames that are due.
  const bool has_frames = main_live(status).is_null() || count("frames_due") > 0;
  const std::string frames =
      has_frames ? fmt::format("shown {} of {} frames, {} late; ", count("frames_shown"),
                               count("frames_due"), count("frames_late"))
                 : "";
  return fmt::format("{}{} restart{}, {} decoder death{}\n", frames, count("restarts"),
                     plural("restarts"), count("decoder_deaths"), plural("decoder_deaths"));
}

std::string skew_text(const Json& status) {
  const Json& skew = status.at("skew_us");
  return fmt::format("skew p50 {:.0f} p99 {:.0f} max {:.0f} us in 10 s\n",
                     skew.at("p50").get<double>(), skew.at("p99").get<double>(),
                     skew.at("max").get<double>());
}

bool has_trouble(const Json& panel) {
  const Json& silent = panel.at("silent_s");
  return !panel.at("connected").get<bool>() || panel.at("frames_late").get<std::int64_t>() > 0 ||
         panel.at("restarts").get<int>() > 0 || (silent.is_number() && silent.get<double>() > 1);
}

/// The panels that need an operator's attention: "panel c1r0: 12 late, ...".
std::string troubled_text(const std::vector<Json>& panels) {
  constexpr int most = 10;
  std::string text;
  int troubled = 0;
  for (const Json& panel : panels) {
    if (!has_trouble(panel) || ++troubled > most) continue;
    text += fmt::format("panel {}: {} late, {}\n", text_of(panel, "panel"),
                        panel.at("frames_late").get<std::int64_t>(), state_of(panel));
  }
  if (troubled > most) text += fmt::format("... {} more (--verbose)\n", troubled - most);
  return text;
}

std::string table_text(const std::vector<Json>& panels) {
  const bool staged = std::any_of(panels.begin(), panels.end(), is_staged);
  std::string text =
      fmt::format("{:<10} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>5}{} {:>6} {:>6} {:<6} {}\n",
                  "panel", "frame", "late", "skew p50", "p99 us", "due p50", "p99 us", "ready",
                  staged ? " staged MiB" : "", "level", "bound", "by", "clock");
  for (const Json& panel : panels) text += panel_text(panel, staged);
  return text;
}

}  // namespace

std::string item_text(const Json& playlist) {
  const std::string name = text_of(playlist, "name");
  const std::string file = file_name_of(text_of(playlist, "path"));
  return fmt::format("{} of {}: {}{}", playlist.at("item").get<std::int64_t>() + 1,
                     playlist.at("items").get<std::int64_t>(), name,
                     file.empty() || file == name ? "" : " (" + file + ")");
}

bool colours_wanted() {
  const char* const refused = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0');
}

std::string status_text(const Json& status, const StatusStyle& style) {
  std::string text =
      light_text(status, style.coloured) + show_text(status) + hidden_text(status.at("scene"));
  const Json& regions = status.at("scene").at("regions");
  for (const Json& region : regions)
    if (region.contains("playlist")) text += list_text(region.at("playlist"), style.verbose);
  text += presentation_text(status);
  text += live_text(status);
  text += counts_text(status);
  director::DamageSummary damage = director::damage_from_json(status.value("damage", Json()));
  damage.decoder_deaths = 0;  // counts_text() already has them
  if (damage.any()) text += "damage so far: " + director::to_string(damage) + "\n";
  text += decimation_text(status);
  if (const std::string note = text_of(status, "last_note"); !note.empty())
    text += "last note: " + note + "\n";
  if (style.verbose || regions.size() > 1)
    for (const Json& region : regions) text += region_text(region);
  std::vector<Json> panels = status.at("per_panel");
  std::stable_sort(panels.begin(), panels.end(), worse);
  if (!style.verbose) return text + troubled_text(panels);
  return text + skew_text(status) + volume_text(panels) + table_text(panels);
}

}  // namespace tilewall::cli
