#include "player/director/verbs/show_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "player/director/verbs/detail_step.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_waiting = 256;
constexpr std::chrono::milliseconds scrub_pause{300};  // a longer pause between seeks ends a scrub
constexpr std::chrono::milliseconds look_pause{150};   // full detail so long after a volume moved
constexpr Nanos longest_urgent_lead = std::chrono::milliseconds(100);
constexpr Nanos longest_wait = std::chrono::seconds(1);  // for the instant that a command names
constexpr std::chrono::seconds progress_interval{1};     // between lines about what is read
constexpr std::chrono::milliseconds turn_time{25};       // the director makes a turn so often
constexpr int scrub_level = 2;  // a quarter of the width: a sixteenth of the decoding

/// Changes `ticks` to the stride `next`, whose first tick they show already. Panels have drawn
/// ahead up to `new_to_all`, and only ticks of the old stride. So the stride up to there is a
/// multiple of the old one, and only then the wanted one.
void show_fewer(sync::ShownTicks& ticks, sync::TickStride next, std::int64_t new_to_all) {
  const std::int64_t before = ticks.every();
  const std::int64_t wanted = next.every;
  next.every = (wanted + before - 1) / before * before;
  ticks.change(next);
  if (next.every == wanted) return;
  const std::int64_t first = ticks.next(std::max(next.from, new_to_all));
  ticks.change({first == next.first ? next.from : first, first, wanted});
}

}  // namespace

ShowControl::ShowControl(scene::Scene scene, Nanos lead) : scene_(std::move(scene)), lead_(lead) {}

void ShowControl::start(GlobalInstant at) {
  ++scene_.version;
  for (scene::Region& region : scene_.regions) {
    region.timeline.start = at;
    if (!region.look || region.look->camera.duration <= Nanos(0)) continue;
    region.look->camera.start = at;
    looks_rest_at_ = std::max(looks_rest_at_, region.look->camera.end() + look_pause);
  }
  if (scene_.cue) scene_.cue->since = at - (scene::never - scene_.cue->since);
  scene_.since = at;
  scene_.tick_grid.start = at;
  decimate(scene_, at, Nanos(0));
}

void ShowControl::go_on() {
  // No tick that this director names has that number, so that the next one is named anew.
  if (scene_.decimation.names_ticks) named_.number = std::numeric_limits<std::uint64_t>::max();
  for (const scene::Region& region : scene_.regions)
    if (region.look && region.look->glides_until())
      looks_rest_at_ = std::max(looks_rest_at_, *region.look->glides_until() + look_pause);
}

void ShowControl::reissue_above(std::uint64_t version, std::uint64_t epoch) {
  const Surpassed before = surpassed_.value_or(Surpassed{scene_.version, scene_.epoch});
  surpassed_ = {std::max(before.version, version), std::max(before.epoch, epoch)};
}

std::int64_t ShowControl::wanted_every(const sync::TickGrid& tick_grid) const {
  return tick_grid.paused() ? 1 : every_of(decimation_.interval, tick_grid.period());
}

std::optional<NamedTick> ShowControl::named_tick() const {
  const bool is_named = scene_.decimation.names_ticks && named_.number == decimation_.named;
  return is_named ? std::optional(named_.tick) : std::nullopt;
}

bool ShowControl::ticks_differ() const {
  if (scene_.tick_grid.paused()) return false;
  const bool names_ticks = scene_.decimation.names_ticks;
  if (names_ticks || decimation_.named > 0)
    return !names_ticks || decimation_.named != named_.number;
  return wanted_every(scene_.tick_grid) != scene_.decimation.ticks.every();
}

void ShowControl::name_tick(scene::Scene& scene, GlobalInstant at, Nanos pause) {
  const sync::TickGrid& tick_grid = scene.tick_grid;
  const bool goes_on = scene.decimation.names_ticks && named_.tick.epoch == scene.epoch;
  if (goes_on && named_.number == decimation_.named) return;
  const std::int64_t from = tick_grid.first_tick_from(at);
  const std::int64_t in_time = tick_grid.first_tick_from(at + pause);
  const std::int64_t first = tick_grid.count ? std::min(in_time, *tick_grid.count - 1) : in_time;
  named_.number = decimation_.named;
  const std::int64_t every = goes_on ? first - named_.tick.tick : wanted_every(tick_grid);
  const std::int64_t rest = every_of(Nanos::max() / 2, tick_grid.period());
  named_.tick = {scene.epoch, first};
  scene.decimation.names_ticks = true;
  scene.decimation.cause = decimation_.cause;
  scene.decimation.panel = decimation_.panel;
  if (first < from) return;  // the grid's last tick is named already
  scene.decimation.ticks.change({from, first, std::max<std::int64_t>(every, 1)});
  scene.decimation.ticks.change({first + 1, first + rest, rest});
}

void ShowControl::decimate(scene::Scene& scene, GlobalInstant at, Nanos pause) {
  if (scene.tick_grid.paused()) return;
  if (decimation_.named > 0) return name_tick(scene, at, pause);
  const std::int64_t every = wanted_every(scene.tick_grid);
  const bool named_ticks = std::exchange(scene.decimation.names_ticks, false);
  const std::int64_t before = scene.decimation.ticks.every();
  sync::ShownTicks& ticks = scene.decimation.ticks;
  if (named_ticks) {
    const std::int64_t from = scene.tick_grid.first_tick_from(at);
    ticks.change({from, std::max(from, scene.tick_grid.first_tick_from(at + pause)), every});
  } else if (every != before) {
    const std::int64_t from = scene.tick_grid.first_tick_from(at);
    // Up to this tick, panels may have drawn ahead, and have only ticks of the old stride. If other
    // ticks were shown before it, panels with full rings would miss them for that reason alone.
    const std::int64_t new_to_all = from + decimation_.pictures_ahead * before;
    if (every > before) {
      show_fewer(ticks, {from, ticks.next(scene.tick_grid.first_tick_from(at + pause)), every},
                 new_to_all);
    } else {
      const std::int64_t first = ticks.next(new_to_all);
      ticks.change({first, first, every});
    }
  }
  if (every > 1)
    scene.decimation = {ticks, decimation_.cause, decimation_.panel, false};
  else
    scene.decimation.panel.clear();
}

void ShowControl::ask(Command command) {
  if (waiting_.size() < max_waiting) return waiting_.push_back(std::move(command));
  if (command.answer) command.answer({"too many requests wait already", {}, {}, 0, nullptr});
}

std::int64_t ShowControl::frame_at(GlobalInstant at, Nanos delay) const {
  return first_region().timeline.frame_at(at - delay);
}

bool ShowControl::views_rest(GlobalInstant now) const {
  const auto rests = [&](const scene::Region& region) {
    const auto until = region.glides_until();
    return until && *until <= now;
  };
  return std::any_of(scene_.regions.begin(), scene_.regions.end(), rests);
}

bool ShowControl::is_settled(GlobalInstant now) const {
  const auto end = scene::end_of(scene_.regions);
  const bool ended = end && *end <= now;
  const auto waits_for = [&](const scene::Region& region) {
    return ended || region.stands_still() || scene::holds_volume(*region.source);
  };
  if (std::none_of(scene_.regions.begin(), scene_.regions.end(), waits_for)) return true;
  const auto moves = [&](const scene::Region& region) {
    return waits_for(region) && region.glides_until();
  };
  return waiting_.empty() && scene_.since <= now && scene_.coarser_by <= resting_level_ &&
         std::none_of(scene_.regions.begin(), scene_.regions.end(), moves);
}

void ShowControl::note_commands(const SceneChange& change, GlobalInstant now) {
  if (change.sought()) {
    scrub_.is_on = scrub_.sought_at + scrub_pause > now;
    scrub_.sought_at = now;
  } else if (scrub_.sought_at + scrub_pause <= now) {
    scrub_.is_on = false;
  }
  if (change.look_settles_at())
    looks_rest_at_ = std::max(looks_rest_at_, *change.look_settles_at() + look_pause);
}

int ShowControl::wanted_detail(GlobalInstant now) const {
  const int scrub = scrub_.is_on ? scrub_level : 0;
  const int moving = now < looks_rest_at_ ? moving_level_ : 0;
  return std::max({resting_level_, scrub, moving});
}

std::vector<Command> ShowControl::take_ready(GlobalInstant now) {
  std::vector<Command> ready;
  std::vector<Command> others;
  for (Command& command : std::exchange(waiting_, {}))
    (command.ready && !command.ready(now) ? others : ready).push_back(std::move(command));
  waiting_ = std::move(others);
  return ready;
}

std::vector<ShowControl::Granted> ShowControl::grant(std::vector<Command> commands,
                                                     SceneChange& change) {
  std::vector<Granted> granted;
  for (Command& command : commands) {
    std::string refusal;
    try {
      SceneChange commanded = change;
      command.apply(commanded);
      change = std::move(commanded);
    } catch (const InputError& error) {
      refusal = error.what();
    } catch (const std::exception& error) {
      ++requests_failed_;
      refusal = fmt::format("the director failed: {}", error.what());
    }
    granted.push_back({std::move(command), std::move(refusal)});
  }
  return granted;
}

bool ShowControl::is_urgent() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Command& command) { return command.is_urgent; });
}

std::optional<GlobalInstant> ShowControl::next_change() const {
  const auto waits = [](const Command& command) { return !command.ready; };
  if (std::none_of(waiting_.begin(), waiting_.end(), waits)) return std::nullopt;
  return is_urgent() ? GlobalInstant{Nanos::min()} : scene_.since;
}

GlobalInstant ShowControl::change_instant(const std::vector<Command>& commands,
                                          GlobalInstant now) const {
  for (const Command& command : commands)
    if (command.is_exact && command.at) return *command.at;
  const auto is_urgent = [](const Command& command) { return command.is_urgent; };
  if (std::any_of(commands.begin(), commands.end(), is_urgent))
    return now + std::min(lead_, longest_urgent_lead);
  GlobalInstant at = now + lead_;
  for (const Command& command : commands)
    if (command.at && *command.at < now + longest_wait) at = std::max(at, *command.at);
  return at;
}

std::optional<GlobalInstant> ShowControl::own_change(GlobalInstant now) const {
  if (!is_exact_) return std::nullopt;
  std::optional<GlobalInstant> next;
  const auto note = [&](GlobalInstant at) { next = std::min(next.value_or(at), at); };
  for (const scene::Region& region : scene_.regions)
    if (const auto until = region.glides_until()) note(*until);
  if (scrub_.is_on) note(scrub_.sought_at + scrub_pause);
  if (scene_.coarser_by > resting_level_ && looks_rest_at_ > scene_.since) note(looks_rest_at_);
  if (!next || *next > now + lead_ + turn_time) return std::nullopt;
  return std::max(*next, scene_.since);
}

/// Whether the line about what is read is to change now. Where a volume is read within a second,
/// none appears.
bool ShowControl::tells_progress(GlobalInstant now) {
  if (progress_.wanted == scene_.progress || !scene_.hints) {
    if (progress_.wanted.text.empty()) progress_.told_at = now;
    return false;
  }
  return progress_.wanted.text.empty() || now >= progress_.told_at + progress_interval;
}

bool ShowControl::step(GlobalInstant now, Nanos delay) {
  // Only one change is on its way at a time, because panels keep the scene on the wall and one
  // newer one. Commands wait until it takes effect, and then become one scene. An urgent one
  // replaces it: panels keep the scene on the wall until then.
  if (now < scene_.since && !is_urgent()) return false;
  std::vector<Command> commands = take_ready(now);
  const auto own = commands.empty() ? own_change(now) : std::nullopt;
  const GlobalInstant at = own ? *own : change_instant(commands, now);
  const GlobalInstant then = is_exact_ ? at : now;
  const bool scrub_ended = scrub_.is_on && scrub_.sought_at + scrub_pause <= then;
  const bool level_differs = !scrub_.is_on && scene_.coarser_by != wanted_detail(then);
  const bool rest = views_rest(then);
  const bool details =
      scene_.details_follow() && detailed_ == Detailed{scene_.epoch, scene_.volume_stage.next()};
  const bool tells = tells_progress(then);
  const bool ticks_differ = this->ticks_differ();
  const std::optional<Surpassed> surpassed = std::exchange(surpassed_, std::nullopt);
  if (commands.empty() && !scrub_ended && !level_differs && !rest && !details && !ticks_differ &&
      !surpassed && !tells)
    return false;
  SceneChange change(scene_, at, delay);
  if (path_.is_kept) change.keep_path();
  const std::vector<Granted> granted = grant(std::move(commands), change);
  const auto is_granted = [](const Granted& one) { return one.refusal.empty(); };
  const bool is_asked = std::any_of(granted.begin(), granted.end(), is_granted);
  const bool changes = rest || scrub_ended || level_differs || details || ticks_differ ||
                       surpassed || tells || is_asked;
  if (rest) change.settle_views();
  if (details) change.show_details();
  if (tells) {
    change.set_progress(progress_.wanted);
    progress_.told_at = then;
  }
  if (surpassed) change.draw_anew();
  // The commands tell whether this is a scrub, and so how coarse their own scene is.
  note_commands(change, then);
  path_.orders.insert(path_.orders.end(), change.keyframe_orders().begin(),
                      change.keyframe_orders().end());
  change.set_coarser_by(wanted_detail(then));
  if (changes) {
    scene::Scene next = change.finish();
    if (surpassed) {
      next.version = std::max(next.version, surpassed->version + 1);
      next.epoch = std::max(next.epoch, surpassed->epoch + 1);
    }
    const bool other_ticks = next.epoch != scene_.epoch;
    if (other_ticks) {
      next.detail_from = detail_after(scene_, next);
      set_stages(next, scene_);
      next.decimation = {};  // a new epoch counts its ticks from 0
    }
    // A new epoch gets no pause: its first tick is the answer to the command, and is shown.
    decimate(next, other_ticks ? next.tick_grid.start : change.at(),
             other_ticks ? Nanos(0) : decimation_.pause);
    scene_ = std::move(next);
    is_asked_ = is_asked;
  }
  // Clients get the instant of the first new picture. In a new epoch that is its first tick, which
  // may come after the instant of the change.
  const bool new_pictures = scene_.since == change.at();
  const GlobalInstant shown = new_pictures ? scene_.tick_grid.start : change.at();
  for (const Granted& one : granted)
    if (one.command.answer)
      one.command.answer(is_granted(one)
                             ? CommandOutcome{"", shown, change.at(), scene_.version, &scene_}
                             : CommandOutcome{one.refusal, {}, {}, 0, nullptr});
  return changes;
}

}  // namespace tilewall::director
