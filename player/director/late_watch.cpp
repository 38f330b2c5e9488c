#include "player/director/late_watch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

/// The increase of a counter. The counters of a panel that was started again begin at 0.
std::uint64_t grown(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

// A panel counts the frames that it missed in a stall within this time after it.
constexpr std::chrono::milliseconds stall_aftermath{500};

bool has_levels(const scene::SourceSpec& source) {
  const auto item_has = [](const scene::PlaylistItem& item) { return has_levels(*item.source); };
  if (source.kind == scene::SourceKind::playlist)
    return std::any_of(source.items.begin(), source.items.end(), item_has);
  return source.kind == scene::SourceKind::wall_movie ||
         source.kind == scene::SourceKind::remote_movie ||
         source.kind == scene::SourceKind::images || source.kind == scene::SourceKind::volume;
}

std::vector<scene::SourcePtr> shown_sources(const scene::Scene& scene) {
  std::vector<scene::SourcePtr> sources;
  for (const scene::Region& region : scene.regions) sources.push_back(region.source);
  return sources;
}

bool any_has_levels(const std::vector<scene::SourcePtr>& sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [](const scene::SourcePtr& source) { return has_levels(*source); });
}

}  // namespace

LateWatch::LateWatch(scene::LatePolicy policy, std::vector<std::string> panels, Callbacks callbacks)
    : policy_(policy),
      names_(std::move(panels)),
      callbacks_(std::move(callbacks)),
      levels_(names_.size()),
      decimation_(names_.size()),
      counts_(names_.size()),
      stalled_until_(names_.size()),
      absences_(names_.size()),
      shown_ticks_(names_.size()) {}

void LateWatch::take(std::size_t panel, const std::string& host, const scene::ShownBatch& batch,
                     bool was_stalled) {
  if (was_stalled) stalled_until_.at(panel) = local_now() + stall_aftermath;
  const bool by_stall = local_now() < stalled_until_.at(panel);
  const scene::LateCounts before = std::exchange(counts_.at(panel), batch.late);
  if (!batch.frames.empty()) shown_ticks_[panel] = {batch.epoch, batch.frames.back().tick};
  const std::uint64_t decode = grown(batch.late.decode, before.decode);
  const auto enter_as = [&](scene::LateCause cause, std::uint64_t frames) {
    if (frames > 0) add(panel, by_stall ? scene::LateCause::stalled : cause, frames);
  };
  enter_as(scene::LateCause::decode, decode);
  enter_as(scene::LateCause::decoder, grown(batch.late.decoder, before.decoder));
  const std::uint64_t swap = grown(batch.late.swap, before.swap);
  enter_as(scene::LateCause::swap, swap);
  decimation_.take(
      panel, host,
      {by_stall ? 0 : decode, by_stall ? 0 : swap, batch.pace, batch.buffers, batch.cpus},
      local_now());
  levels_.take(panel, {by_stall ? 0 : decode, batch.pace, batch.level}, local_now());
}

void LateWatch::take_first_pace(std::size_t panel, const std::string& host,
                                const scene::DrawPace& pace, int cpus) {
  DecimationReport report;
  report.pace = pace;
  report.cpus = cpus;
  decimation_.take(panel, host, report, local_now());
}

void LateWatch::note_absence(std::size_t panel, std::int64_t late_so_far) {
  if (!absences_.at(panel)) absences_[panel] = {callbacks_.since_start_s(), late_so_far};
}

void LateWatch::leave(std::size_t panel) {
  counts_.at(panel) = {};
  shown_ticks_[panel] = {};
  levels_.leave(panel);
  decimation_.leave(panel);
}

void LateWatch::come_back(std::size_t panel, std::int64_t late_so_far) {
  const auto absence = std::exchange(absences_.at(panel), std::nullopt);
  if (!absence) return;
  // Frames that the panel has reported since its restart are entered already.
  const scene::LateCounts& own = counts_[panel];
  const auto entered = static_cast<std::int64_t>(own.decode + own.decoder + own.swap);
  const std::int64_t missed = late_so_far - absence->late_before - entered;
  if (missed > 0)
    enter({absence->since_s, names_[panel], scene::LateCause::gone,
           static_cast<std::uint64_t>(missed), levels_.coarser_by(), every_});
}

void LateWatch::add(std::size_t panel, scene::LateCause cause, std::uint64_t frames) {
  enter(
      {callbacks_.since_start_s(), names_.at(panel), cause, frames, levels_.coarser_by(), every_});
}

void LateWatch::enter(LateEvent event) {
  if (callbacks_.count) callbacks_.count(event);
  if (log_.add(event)) callbacks_.tell(to_json(event, scene::to_string(policy_)));
}

void LateWatch::prepare_start(ShowControl& control, LocalInstant now) {
  const sync::TickGrid& tick_grid = control.scene().tick_grid;
  if (policy_ == scene::LatePolicy::slow || tick_grid.paused()) return;
  if (const auto step = decimation_.start(now, tick_grid.period())) decimate(control, *step);
}

void LateWatch::step(ShowControl& control, LocalInstant now) {
  if (policy_ == scene::LatePolicy::slow) return;
  const scene::Scene& scene = control.scene();
  note_ticks(scene);
  const Nanos period = scene.tick_grid.paused() ? Nanos(0) : scene.tick_grid.period();
  const NamedTickProgress progress = progress_of(control, now);
  if (const auto step = decimation_.step(now, period, progress)) decimate(control, *step);
  if (policy_ != scene::LatePolicy::lower) return;
  if (std::vector<scene::SourcePtr> sources = shown_sources(scene); sources != shown_) {
    shown_ = std::move(sources);
    levels_.show_another();
  }
  if (!any_has_levels(shown_)) return note_no_levels();
  const auto step = levels_.step(now, period, decimation_.is_decimated());
  if (!step) return;
  take_step(*step);
  control.set_resting_level(step->coarser_by);
}

void LateWatch::note_ticks(const scene::Scene& scene) {
  if (scene.tick_grid.paused()) return;
  every_ = scene.decimation.every();
  if (every_ > most_decimated_.every)
    most_decimated_ = {every_, scene.decimation.cause, scene.decimation.panel};
}

NamedTickProgress LateWatch::progress_of(const ShowControl& control, LocalInstant now) const {
  NamedTickProgress progress;
  const auto named = control.named_tick();
  if (!named) return progress;
  progress.is_known = true;
  for (std::size_t i = 0; i < shown_ticks_.size(); ++i) {
    if (!decimation_.is_awaited(i, now)) continue;
    ++progress.panels;
    const NamedTick& shown = shown_ticks_[i];
    const bool has_shown =
        shown.epoch > named->epoch || (shown.epoch == named->epoch && shown.tick >= named->tick);
    if (has_shown) continue;
    ++progress.missing;
    progress.slowest = i;
  }
  return progress;
}

void LateWatch::decimate(ShowControl& control, const DecimationStep& step) {
  const bool goes_on = step.named > 0 && std::exchange(names_ticks_, true);
  if (step.named == 0) names_ticks_ = false;
  const bool fewer = step.every > every_;
  every_ = step.every;
  const std::string panel = step.panel ? names_.at(*step.panel) : "";
  if (every_ > most_decimated_.every) most_decimated_ = {every_, step.cause, panel};
  control.set_decimation(
      {step.interval, step.pause, step.pictures_ahead, step.cause, panel, step.named});
  if (goes_on) return;  // only the first of several named ticks is an event
  enter({callbacks_.since_start_s(), panel,
         fewer ? scene::LateCause::fewer_ticks : scene::LateCause::more_ticks, 0,
         levels_.coarser_by(), every_});
}

nlohmann::json LateWatch::decimation() const {
  const bool left_out = most_decimated_.every > 1;
  return {{"every_nth_tick", every_},
          {"most_every_nth_tick", most_decimated_.every},
          {"cause", left_out ? nlohmann::json(scene::to_string(most_decimated_.cause)) : nullptr},
          {"panel", left_out ? nlohmann::json(most_decimated_.panel) : nullptr}};
}

void LateWatch::take_step(const LevelStep& step) {
  if (step.no_coarser) note_no_levels();
  enter({callbacks_.since_start_s(), step.panel ? names_.at(*step.panel) : "",
         step.panel ? scene::LateCause::level_down : scene::LateCause::level_up, 0, step.coarser_by,
         every_});
}

void LateWatch::note_no_levels() {
  if (std::exchange(no_levels_noted_, true)) return;
  callbacks_.note(
      "late policy lower: the sources on the wall have no coarser level; late frames are dropped");
}

nlohmann::json LateWatch::events() const {
  nlohmann::json events = nlohmann::json::array();
  std::vector<LateEvent> sorted = log_.events();  // an absence is entered only when it is over
  std::ranges::stable_sort(sorted, {}, &LateEvent::at_s);
  for (const LateEvent& event : sorted) events.push_back(to_json(event, scene::to_string(policy_)));
  return events;
}

std::string LateWatch::last_cause(std::size_t panel) const {
  const auto cause = log_.last_cause(names_.at(panel));
  return cause ? std::string(scene::to_string(*cause)) : "";
}

nlohmann::json LateWatch::checkpoint() const {
  nlohmann::json panels = nlohmann::json::array();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    nlohmann::json panel = {{"counts", scene::to_json(counts_[i])}};
    if (absences_[i])
      panel["absence"] = {{"since_s", absences_[i]->since_s},
                          {"late_before", absences_[i]->late_before}};
    panels.push_back(std::move(panel));
  }
  return {{"log", log_.checkpoint()},
          {"panels", std::move(panels)},
          {"every", every_},
          {"most_every", most_decimated_.every},
          {"most_cause", std::string(scene::to_string(most_decimated_.cause))},
          {"most_panel", most_decimated_.panel},
          {"no_levels_noted", no_levels_noted_}};
}

void LateWatch::restore(const nlohmann::json& checkpoint) {
  log_.restore(json_field<nlohmann::json>(checkpoint, "log"));
  const auto panels = json_field<std::vector<nlohmann::json>>(checkpoint, "panels");
  expect_field(panels.size() == names_.size(), "panels", "as many as the wall has");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    counts_[i] = scene::late_counts_from_json(json_field<nlohmann::json>(panels[i], "counts"));
    if (!panels[i].contains("absence")) continue;
    const auto absence = json_field<nlohmann::json>(panels[i], "absence");
    absences_[i] = {json_field<double>(absence, "since_s"),
                    json_field<std::int64_t>(absence, "late_before")};
  }
  every_ = json_field<std::int64_t>(checkpoint, "every");
  const auto cause = scene::parse_late_cause(json_field<std::string>(checkpoint, "most_cause"));
  expect_field(cause.has_value(), "most_cause", "a cause of late frames");
  most_decimated_ = {json_field<std::int64_t>(checkpoint, "most_every"), *cause,
                     json_field<std::string>(checkpoint, "most_panel")};
  no_levels_noted_ = json_field<bool>(checkpoint, "no_levels_noted");
}

void LateWatch::go_on(ShowControl& control, LocalInstant now) {
  const scene::Scene& scene = control.scene();
  levels_.go_on(control.resting_level(), now);
  shown_ = shown_sources(scene);
  if (policy_ == scene::LatePolicy::slow || scene.tick_grid.paused()) return;
  const std::int64_t every = scene.decimation.names_ticks ? 1 : scene.decimation.every();
  const Nanos interval = every > 1 ? scene.tick_grid.period() * every : Nanos(0);
  decimation_.go_on(interval, scene.decimation.cause, now);
  every_ = every;
  control.set_decimation(
      {interval, Nanos(0), 0, scene.decimation.cause, scene.decimation.panel, 0});
}

}  // namespace tilewall::director
