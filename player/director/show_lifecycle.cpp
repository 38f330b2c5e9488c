#include "player/director/show_lifecycle.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/director/changes/scene_change.hpp"
#include "player/director/status.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "player/trace/show_trace.hpp"
#include "sync/base/process.hpp"
#include "sync/base/run_queue.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds volume_limit{600};     // time for panels to read a volume
constexpr std::chrono::seconds straggler_limit{2};    // time for reports of the last frame
constexpr std::chrono::seconds stall_limit{3};        // time for a panel that the others wait for
constexpr std::chrono::seconds rejoin_limit{2};       // time for panels to connect again
constexpr double lost_limit_s = 2;                    // time for a panel to come back
constexpr Nanos fill_time = std::chrono::seconds(2);  // time for buffers to fill after a change
constexpr Nanos start_lead = std::chrono::milliseconds(30);
constexpr double longest_start_factor = 6;

constexpr std::chrono::seconds critical_limit{10};        // time for a critical panel to come back
constexpr std::chrono::seconds critical_confirmation{1};  // this process may have been stopped

/// The factor by which a start may take longer than on an idle host. It follows from this process's
/// own wait for CPUs, since the panels beside it wait as long.
double start_factor() {
  const auto waited = run_queue_wait_of(::getpid());
  const auto ran = static_cast<double>(process_time_ns());
  const double share = waited && ran > 0 ? static_cast<double>(waited->count()) / ran : 0;
  return std::clamp(share, 1.0, longest_start_factor);
}

}  // namespace

ShowLifecycle::ShowLifecycle(const ShowParts& parts, Callbacks callbacks)
    : parts_(parts),
      callbacks_(std::move(callbacks)),
      plan_(parts.options.wall.panels.size()),
      lead_(parts.options.wall.panels.size()),
      detail_(parts.options.wall, parts.notes) {
  open_epoch();
}

void ShowLifecycle::step() {
  if (is_playing()) {
    const std::vector<PanelState>& panels = parts_.roster.panels();
    if (detail_.step(scene(), panels, SteadyClock::now(), now() - plan_.delay()))
      parts_.control.show_details(scene());
    parts_.control.set_progress(read_progress(parts_.options.wall, panels));
  }
  if (is_gathering()) start_when_ready();
  if (!is_playing()) return;
  follow_growth();
  change_scene();
  keep_playing();
  if (is_playing()) parts_.journal.step(now(), plan_.delay());
}

GlobalInstant ShowLifecycle::now() const { return parts_.clock.mapping().to_global(local_now()); }

double ShowLifecycle::since_command_s(GlobalInstant at) const {
  const Nanos passed = parts_.clock.mapping().to_local(at) - parts_.options.command_start;
  return std::chrono::duration<double>(passed).count();
}

Nanos ShowLifecycle::lead() const {
  return lead_.lead({scene::has_sound(scene()), parts_.options.late == scene::LatePolicy::slow});
}

std::string ShowLifecycle::phase_name() const {
  if (is_gathering()) return "gathering";
  if (is_ending()) return "ending";
  return parts_.control.first_region().timeline.paused() ? "paused" : "playing";
}

bool ShowLifecycle::shows_volumes() const {
  return std::ranges::any_of(scene().regions, [](const scene::Region& region) {
    return region.source->kind == scene::SourceKind::volume;
  });
}

bool ShowLifecycle::is_steady(std::int64_t ticks) const {
  const scene::Scene& shown = scene();
  if (!is_playing() || parts_.control.first_region().timeline.paused() || shown.tick_grid.paused())
    return false;
  if (now() < shown.since + fill_time) return false;
  const auto end = scene::end_of(shown.regions);
  return !end || now() + shown.tick_grid.period() * ticks < *end;
}

// --- panels

std::int64_t ShowLifecycle::join(std::size_t panel, Nanos round_trip,
                                 const std::optional<scene::PanelStanding>& standing) {
  lead_.join(panel);
  lead_.set_round_trip(panel, round_trip);
  if (standing && standing->version > scene().version)
    parts_.control.reissue_above(standing->version, standing->epoch);
  if (standing) return plan_.rejoin(panel, *standing);
  if (goes_on_) plan_.begin_with(scene().tick_grid.tick_at(now() - plan_.delay()).value_or(0));
  return plan_.join(panel);
}

void ShowLifecycle::go_on(const std::deque<JournalScene>& scenes, Nanos delay) {
  for (const JournalScene& one : scenes) {
    const std::uint64_t newest = parts_.ledger.newest_epoch();
    if (one.scene.epoch < newest || one.scene.since >= scene::never) continue;
    if (one.scene.epoch > newest) {
      parts_.ledger.close_epoch(newest, one.scene.since - one.delay);
      open_epoch(one.scene);
    }
    parts_.ledger.set_shown_ticks(one.scene.epoch, one.scene.decimation.ticks);
  }
  if (scene().since >= scene::never) return;  // the panels still gather
  goes_on_ = awaits_panels_ = true;
  began_ = now();
  open_epoch();
  plan_.go_on(delay);
  parts_.control.go_on();
  growth_.watch(scene());
  phase_ = Phase::playing;
}

void ShowLifecycle::leave(std::size_t panel) {
  plan_.leave(panel);
  lead_.leave(panel);
}

void ShowLifecycle::set_panel_times(std::size_t panel, std::optional<Nanos> round_trip,
                                    Nanos picture) {
  lead_.set_picture_time(panel, picture);
  if (round_trip) lead_.set_round_trip(panel, *round_trip);
}

bool ShowLifecycle::take_ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick) {
  plan_.ready(panel, epoch, tick);
  const Nanos delay_before = plan_.delay();
  release();
  return plan_.delay() > delay_before;
}

// --- gathering

void ShowLifecycle::start_when_ready() {
  const bool all = parts_.roster.all_primed();
  const bool ready = all && parts_.clock.status().state != sync::ClockState::collecting;
  if (!ready && SteadyClock::now() < gathering_since_ + gather_time()) return;
  if (!ready && SteadyClock::now() < gathering_since_ + gather_time() * start_factor()) return;
  if (!all) name_missing_panels();
  if (parts_.roster.none_can_show()) return end();
  callbacks_.prepare_start();
  parts_.control.start(now() + start_lead);
  began_ = scene().since;
  sync::trace_instant("start sent");
  open_epoch();
  phase_ = Phase::playing;
  send_scene();
  release();
}

/// The limit for the start. Once all panels are connected, volumes get more time to be read.
std::chrono::seconds ShowLifecycle::gather_time() const {
  const std::chrono::seconds limit = parts_.roster.start_limit();
  if (parts_.roster.connected().size() < parts_.roster.panels().size()) return limit;
  return shows_volumes() ? volume_limit : limit;
}

void ShowLifecycle::name_missing_panels() {
  parts_.roster.note_missing();
  parts_.notes.fail(fmt::format(
      "no picture from {} within {} s",
      parts_.roster.hosts_and_panels_where(
          [](const PanelState& panel) { return panel.missed_start; }),
      std::chrono::floor<std::chrono::seconds>(SteadyClock::now() - gathering_since_).count()));
}

// --- playing

void ShowLifecycle::send_scene() {
  growth_.watch(scene());
  parts_.journal.write(
      scene(), {parts_.control.resting_level(), plan_.delay(), parts_.control.is_asked()}, now());
  callbacks_.send_scene();
}

void ShowLifecycle::follow_growth() {
  for (const Growth& growth : growth_.take())
    parts_.control.ask(
        {[growth](SceneChange& change) { change.grow(growth.before, growth.now); }, {}});
}

void ShowLifecycle::change_scene() {
  const Nanos delay = plan_.delay();
  const std::uint64_t epoch_before = scene().epoch;
  const GlobalInstant made = now();
  parts_.control.set_lead(lead());
  if (!parts_.control.step(made, delay)) return;
  sync::trace_instant("scene change sent");
  if (scene().epoch != epoch_before) {
    std::vector<std::size_t> panels;
    for (const auto& [connection, panel] : parts_.roster.connected()) panels.push_back(panel);
    lead_.sent(scene().epoch, made, panels);
    parts_.ledger.close_epoch(epoch_before, scene().since - delay);
    open_epoch();
  }
  parts_.ledger.set_shown_ticks(scene().epoch, scene().decimation.ticks);
  send_scene();
  Json event = scene_status_json(scene(), scene().since);
  event["at_ns"] = scene().since.since_epoch.count();
  callbacks_.tell_clients("scene", event);
}

void ShowLifecycle::open_epoch() {
  open_epoch(scene());
  plan_.start(scene().epoch, scene().tick_grid);
}

void ShowLifecycle::open_epoch(const scene::Scene& scene) {
  parts_.ledger.open_epoch(scene.epoch, scene.ticks_of(scene.regions.front()));
  parts_.ledger.set_shown_ticks(scene.epoch, scene.decimation.ticks);
}

/// After a director's death: no tick waits any longer for panels that have not connected again.
void ShowLifecycle::give_up_missing() {
  if (!awaits_panels_ || SteadyClock::now() < gathering_since_ + rejoin_limit) return;
  awaits_panels_ = false;
  for (std::size_t i = 0; i < parts_.roster.panels().size(); ++i)
    if (!parts_.roster.panels()[i].connection) parts_.ledger.leave(i);
}

void ShowLifecycle::keep_playing() {
  give_up_missing();
  end_without_critical_panel();
  if (is_ending()) return;
  drop_stalled_panel();
  release();
  if (is_over_time()) return this->end();
  // A presentation goes on until its operator ends it.
  const bool is_presenting = scene().cue && !(scene().cue->is_last && parts_.options.exit_at_end);
  const bool holds = is_presenting || (!parts_.options.headless && !parts_.options.exit_at_end);
  const auto last = scene::end_of(scene().regions);
  if (!last || holds || waits_for_more() || now() < scene().since) return;
  if (has_shown_all(*last + plan_.delay())) this->end();
}

bool ShowLifecycle::awaits_panels() const {
  return awaits_panels_ && parts_.roster.connected().size() < parts_.roster.panels().size();
}

bool ShowLifecycle::is_over_time() const {
  const GlobalInstant first = parts_.ledger.first_shown().value_or(began_);
  const std::chrono::duration<double> limit(parts_.options.seconds);
  return limit.count() > 0 && now() - first > limit;
}

/// Whether all panels have shown the last frame, which ends at `end`, or are given up.
bool ShowLifecycle::has_shown_all(GlobalInstant end) const {
  if (now() < end || awaits_panels()) return false;
  const std::int64_t count = scene().tick_grid.count.value_or(0);
  const bool all_done = std::ranges::all_of(parts_.roster.connected(), [&](const auto& panel) {
    return parts_.ledger.panel(panel.second).last_tick.value_or(-1) >= count - 1;
  });
  const bool released =
      parts_.options.late != scene::LatePolicy::slow || plan_.released_end() >= count;
  return all_done || (released && now() > end + straggler_limit);
}

/// Takes out a panel that lives but does not decode, so that the wall does not wait for ever.
void ShowLifecycle::drop_stalled_panel() {
  const auto slowest =
      parts_.options.late == scene::LatePolicy::slow ? plan_.slowest(now()) : std::nullopt;
  if (!slowest || plan_.released_end() != stalled_at_) {
    stalled_at_ = plan_.released_end();
    stalled_since_ = SteadyClock::now();
    return;
  }
  if (SteadyClock::now() < stalled_since_ + stall_limit) return;
  parts_.notes.fail(fmt::format("panel {} stalled for {} s: the wall goes on without it",
                                parts_.roster.name_of(*slowest), stall_limit.count()));
  plan_.leave(*slowest);
}

/// Ends the show where a critical panel is gone. A director that was stopped itself has to hear of
/// its panels first.
void ShowLifecycle::end_without_critical_panel() {
  const std::string names = parts_.roster.names_of_critical_lost(critical_limit);
  if (names.empty()) return critical_lost_since_.reset();
  if (!critical_lost_since_) critical_lost_since_ = SteadyClock::now();
  if (SteadyClock::now() < *critical_lost_since_ + critical_confirmation) return;
  parts_.notes.fail(fmt::format("critical panel {} did not come back within {} s", names,
                                critical_limit.count()));
  end();
}

/// Whether the show waits at its end for a movie that is still being written and has grown lately.
bool ShowLifecycle::waits_for_more() const {
  return std::ranges::any_of(scene().regions, plays_into_growth) && growth_.is_lively();
}

void ShowLifecycle::release() {
  if (parts_.options.late != scene::LatePolicy::slow || !is_playing()) return;
  // After a director's death a panel that connects again later than others joins at the tick that
  // comes next, and would skip all that were released to the others alone.
  if (awaits_panels()) return;
  const auto release = plan_.release(now(), lead_.release_lead());
  if (!release) return;
  for (const scene::ReleasedTick& tick : release->ticks) parts_.ledger.delay(release->epoch, tick);
  callbacks_.tell_all(scene::to_json(*release));
}

// --- ending

void ShowLifecycle::stop() {
  // After a director's death the panels need a moment to connect again.
  const bool settled = !goes_on_ || SteadyClock::now() > gathering_since_ + rejoin_limit;
  if (is_playing() && settled && parts_.roster.connected().empty())
    parts_.notes.fail("no panel is left");
  end();
}

void ShowLifecycle::end_at(GlobalInstant at) {
  if (is_ending()) return;
  // A director that is started again must not wait for panels that have ended.
  parts_.journal.write_end(at);
  if (is_playing()) {
    parts_.ledger.close_epoch(scene().epoch, at - plan_.delay());
    name_lost_panels();
  }
  phase_ = Phase::ending;
  sync::trace_instant("end sent");
  callbacks_.tell_clients("end", Json::object());
  callbacks_.tell_all({{"type", "quit"}});
}

/// Fails the show for panels that died and did not come back: their keepers have given them up.
void ShowLifecycle::name_lost_panels() {
  const std::string names = parts_.roster.names_of_lost(lost_limit_s);
  if (!names.empty()) parts_.notes.fail(fmt::format("panel {} died and did not come back", names));
}

}  // namespace tilewall::director
