#include "player/director/panel_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/show_options.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::director {

namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds silence_limit{1500};  // a longer silence is worth a note
constexpr std::int64_t longest_ring_ticks = 12;  // more than the pictures in a ring, and a report

double seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

PanelReports::PanelReports(const ShowParts& parts, ShowLifecycle& lifecycle,
                           TellClients tell_clients)
    : parts_(parts),
      lifecycle_(lifecycle),
      tell_clients_(std::move(tell_clients)),
      late_(parts.options.late, panel_names(parts.options.wall), late_callbacks()),
      motion_(parts.options.wall.panels.size()),
      content_(panel_names(parts.options.wall)),
      slates_(parts.options.wall.panels.size()),
      cues_(panel_names(parts.options.wall), parts.ledger),
      background_(parts.notes),
      turns_(local_now()) {}

LateWatch::Callbacks PanelReports::late_callbacks() {
  return {[this](const Json& event) { tell_clients_("late", event); },
          [this](const std::string& line) { parts_.notes.note(line); },
          [this] { return parts_.roster.since_start_s(); },
          [this](const LateEvent& event) { cues_.add_late(late_epoch_, event); }};
}

void PanelReports::step(LocalInstant now) {
  if (lifecycle_.is_playing()) late_.step(parts_.control, now);
}

void PanelReports::prepare_start() {
  late_.prepare_start(parts_.control, local_now());
  const std::vector<PanelState>& panels = parts_.roster.panels();
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (panels[i].missed_start) late_.note_absence(i, 0);
}

void PanelReports::take(std::size_t panel, const scene::ShownBatch& batch,
                        std::optional<Nanos> round_trip) {
  const std::string& host = parts_.roster.panels()[panel].host;
  if (batch.late_epoch > 0) late_epoch_ = batch.late_epoch;
  late_.take(panel, host, batch, note_silence(panel));
  late_epoch_.reset();
  cues_.take(panel, host, batch);
  lifecycle_.set_panel_times(panel, round_trip, Nanos(batch.pace.mean_ns));
  motion_.take(panel, batch.pace);
  parts_.control.set_moving_level(motion_.coarser_by());
  if (batch.again_after_ns)
    add_again(panel, batch);
  else
    for (const scene::ShownFrame& shown : batch.frames)
      parts_.ledger.add(panel, batch.epoch, shown);
  parts_.ledger.settle_passed();
  if (!batch.again_after_ns) take_content(panel, batch.frames);
  slates_.take(panel, batch.regions);
  if (batch.clock.bound_ns > 0) clock_bounds_ns_.add(batch.clock.bound_ns);
  clocks_.take(host, batch.clock);
  if (!batch.realtime) note_no_realtime();
  background_.see(lifecycle_.shows_volumes() && parts_.roster.shows_only_background(),
                  BackgroundWatch::Clock::now());
  const Roster::Steady steady{lifecycle_.is_steady(scene::ticks_ahead(parts_.options.stage_bytes)),
                              lifecycle_.is_steady(longest_ring_ticks)};
  parts_.roster.take_host_restarts(host, batch.host_restarts, [this](GlobalInstant at) {
    return lifecycle_.since_command_s(at);
  });
  if (!batch.frames.empty()) late_.come_back(panel, parts_.ledger.panel(panel).late_so_far);
  if (!parts_.roster.take(panel, batch, steady)) return;
  sync::trace_instant("panel back");
  tell_clients_("panel_back", {{"panel", parts_.roster.name_of(panel)}});
}

void PanelReports::take_content(std::size_t panel, const std::vector<scene::ShownFrame>& frames) {
  const scene::Scene& scene = parts_.control.scene();
  const bool advances = lifecycle_.is_playing() && ContentWatch::advances(scene);
  if (!advances || !frames.empty()) return content_.take(panel, advances, frames);
  content_.take_none(panel, scene, lifecycle_.now());
}

void PanelReports::take_primed(std::size_t panel, const scene::DrawPace& pace, int cpus) {
  parts_.roster.set_primed(panel);
  late_.take_first_pace(panel, parts_.roster.panels()[panel].host, pace, cpus);
}

void PanelReports::add_again(std::size_t panel, const scene::ShownBatch& batch) {
  const std::int64_t counted_ns = parts_.ledger.panel(panel).last_stamp_ns;
  if (counted_ns > 0) lost_time_ = std::max(lost_time_, Nanos(*batch.again_after_ns - counted_ns));
  parts_.ledger.add_again(panel, batch.epoch, batch.frames);
  told_again_ = true;
}

void PanelReports::leave(std::size_t panel) {
  late_.leave(panel);
  content_.leave(panel);
  slates_.leave(panel);
  if (lifecycle_.is_playing()) late_.note_absence(panel, parts_.ledger.panel(panel).late_so_far);
}

void PanelReports::end() {
  background_.end();
  for (std::size_t i = 0; i < parts_.roster.panels().size(); ++i)
    late_.come_back(i, parts_.ledger.frames_late(i));
}

bool PanelReports::note_silence(std::size_t panel) {
  if (!lifecycle_.is_playing()) return false;
  const Nanos silence = parts_.roster.silence_of(panel) - own_absence();
  if (silence < silence_limit) return false;
  parts_.notes.note(fmt::format("panel {} gave no sign for {:.1f} s", parts_.roster.name_of(panel),
                                seconds(silence)));
  return true;
}

Nanos PanelReports::own_absence() {
  const TurnWatch::Absence absence = turns_.absence(local_now());
  if (absence.is_news)
    parts_.notes.note(
        fmt::format("the director did not run for {:.1f} s: it was stopped, or its "
                    "host is overloaded",
                    seconds(absence.time)));
  return absence.time;
}

void PanelReports::note_no_realtime() {
  if (std::exchange(realtime_noted_, true)) return;
  parts_.notes.note(
      fmt::format("no realtime priority for panels: other work may delay swaps; allow it: {}",
                  sync::how_to_allow_realtime()));
}

int MotionDetail::coarser_by() const {
  double full_ns = 0;  // the slowest panel's time for a picture in full detail
  for (const scene::DrawPace& pace : paces_)
    if (pace.pictures > 0)
      full_ns =
          std::max(full_ns, std::ldexp(static_cast<double>(pace.mean_ns), 2 * pace.coarser_by));
  return level_within(picture_time, Nanos(static_cast<std::int64_t>(full_ns)));
}

int MotionDetail::level_within(Nanos picture_time, Nanos full) {
  int level = 1;
  while (level < coarsest && std::ldexp(as_double(full), -2 * level) > as_double(picture_time))
    ++level;
  return level;
}

nlohmann::json PanelReports::checkpoint() const {
  return {{"late", late_.checkpoint()},
          {"clocks", clocks_.checkpoint()},
          {"content", content_.checkpoint()},
          {"cues", cues_.checkpoint()},
          {"clock_bounds", clock_bounds_ns_.checkpoint()},
          {"realtime_noted", realtime_noted_},
          {"lost_ns", lost_time_.count()}};
}

void PanelReports::restore(const nlohmann::json& checkpoint) {
  late_.restore(json_field<Json>(checkpoint, "late"));
  clocks_.restore(json_field<Json>(checkpoint, "clocks"));
  content_.restore(json_field<Json>(checkpoint, "content"));
  cues_.restore(json_field<Json>(checkpoint, "cues"));
  clock_bounds_ns_ = LogHistogram::restored(json_field<Json>(checkpoint, "clock_bounds"));
  realtime_noted_ = json_field<bool>(checkpoint, "realtime_noted");
  lost_time_ = Nanos(json_field<std::int64_t>(checkpoint, "lost_ns"));
}

}  // namespace tilewall::director
