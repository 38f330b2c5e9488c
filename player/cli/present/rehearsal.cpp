#include "player/cli/present/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

constexpr double rest_s = 5;      // for a cue without a movie
constexpr double longest_s = 60;  // for a cue without a time of its own
constexpr int widest_name = 40;   // columns
constexpr std::size_t most_panels_named = 8;

/// How long the range is played; one that is played without end counts once.
double range_s(const cues::PlayState& play) {
  const std::int64_t frames = play.end - play.first;
  const std::int64_t round =
      play.loop == sync::LoopMode::ping_pong ? std::max<std::int64_t>(2 * (frames - 1), 1) : frames;
  const std::int64_t rest = play.backwards ? play.start - play.first + 1 : play.end - play.start;
  const double ticks = play.loop == sync::LoopMode::once
                           ? static_cast<double>(rest)
                           : static_cast<double>(round) *
                                 static_cast<double>(std::max<std::int64_t>(play.rounds, 1));
  return ticks / (play.fps.value() * play.speed.value());
}

/// Whether the cue begins a movie in this region.
bool plays(const cues::RegionState& region, std::size_t index) {
  return region.begun_by == index && region.source->kind != scene::SourceKind::pattern &&
         !region.source->live && !region.play.hold && region.play.end - region.play.first > 1;
}

double own_time_s(const cues::Cue& cue, const cues::CueState& state, std::size_t index) {
  if (cue.follow && cue.follow->kind == cues::Follow::Kind::after) return cue.follow->seconds;
  double movies_s = 0;
  double glides_s = 0;
  for (const cues::RegionState& region : state.regions) {
    glides_s = std::max(glides_s, region.glide_s);
    if (plays(region, index)) movies_s = std::max(movies_s, range_s(region.play));
  }
  const double shown_s = movies_s > 0 ? movies_s : rest_s;
  return std::min(std::max({shown_s, glides_s, cue.transition.seconds}), longest_s);
}

std::string armed_text(const CueFigures& cue) {
  if (cue.armed_state == "start") return "at the start";
  return cue.armed_s ? fmt::format("{:.2f} s", *cue.armed_s) : cue.armed_state;
}

/// The lines below a cue's: its late frames, and what was missing.
std::string details_of(const CueFigures& cue) {
  std::map<std::string, std::vector<std::string>> late;  // "c0r0 5", by cause
  for (const CueFigures::Late& one : cue.late)
    late[one.cause].push_back(
        fmt::format("{} {}", one.panel.empty() ? "others" : printable_text(one.panel), one.frames));
  std::string text;
  for (auto& [cause, panels] : late) {
    const std::size_t all = panels.size();
    panels.resize(std::min(all, most_panels_named));
    text += fmt::format("    late by {}: {}", printable_text(cause), fmt::join(panels, ", "));
    text += all > panels.size() ? fmt::format(" and {} more\n", all - panels.size()) : "\n";
  }
  if (cue.frames_scheduled > cue.frames_shown_by_any)
    text += fmt::format("    left out on all panels: {}\n",
                        cue.frames_scheduled - cue.frames_shown_by_any);
  for (const CueFigures::Missing& panel : cue.panels_missing)
    text += fmt::format("    not armed: {}: {}\n", printable_text(panel.what),
                        printable_text(panel.why));
  for (const CueFigures::Missing& input : cue.inputs_missing)
    text +=
        fmt::format("    missing: {}: {}\n", printable_text(input.what), printable_text(input.why));
  return text;
}

}  // namespace

void make_rehearsal(director::CueShow& show, std::optional<double> each_s) {
  cues::CueList& list = show.list;
  cues::CueState state = show.before;
  for (std::size_t i = 0; i < list.cues.size(); ++i) {
    cues::Cue& cue = list.cues[i];
    cues::apply_cue(list, i, state);
    cue.follow =
        cues::Follow{cues::Follow::Kind::after, each_s ? *each_s : own_time_s(cue, state, i)};
    cue.next.reset();
  }
  for (cues::SectionEntry& section : list.sections) section.loop = false;
}

RehearsalResult rehearsal_result(const std::vector<CueFigures>& cues,
                                 const ExpectedCues& expected) {
  std::vector<std::vector<std::string>> rows = {
      {"cue", "armed after", "late", "of frames", "skew p99", "memory"}};
  for (const CueFigures& cue : cues)
    rows.push_back({fit_columns(printable_text(cue.cue), widest_name), armed_text(cue),
                    std::to_string(cue.frames_late), std::to_string(cue.frames_scheduled),
                    cue.skew_p99_us ? fmt::format("{:.0f} us", *cue.skew_p99_us) : "-",
                    cue.memory_bytes ? megabytes_text(*cue.memory_bytes) : "-"});
  const std::vector<std::string> lines = padded_lines(rows);
  RehearsalResult result;
  result.text = lines.front() + "\n";
  std::size_t complete = 0;
  for (std::size_t i = 0; i < cues.size(); ++i) {
    result.text += lines[i + 1] + "\n" + details_of(cues[i]);
    if (cues[i].is_armed() && cues[i].inputs_missing.empty()) ++complete;
  }
  const std::size_t shown = cues.size() + expected.left_out;
  result.is_complete = complete == cues.size() && shown >= expected.count;
  if (expected.left_out > 0)
    result.text +=
        fmt::format("{} more cues were shown, which the report leaves out\n", expected.left_out);
  if (shown < expected.count)
    result.text +=
        fmt::format("{} of {} cues were not shown\n", expected.count - shown, expected.count);
  if (complete < cues.size())
    result.text +=
        fmt::format("{} of {} cues were not complete\n", cues.size() - complete, cues.size());
  return result;
}

}  // namespace tilewall::cli
