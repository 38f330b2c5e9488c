#include "player/director/live/live_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using scene::live_frame;
using scene::no_timestep;
using scene::timestep_of;

constexpr std::int64_t longest_lead_timesteps = 64;
// Each timestep is shown for a beat of 60 Hz at least.
constexpr Nanos least_shown = std::chrono::milliseconds(17);
constexpr std::size_t most_past_runs = 16;
constexpr std::size_t most_skipped_frames = 64;
// A panel that has not drawn a timestep by then is not waited for. A frozen one was replaced
// before.
constexpr std::chrono::seconds drawing_limit{10};

}  // namespace

void LiveDesk::take(ConnectionId id, scene::LiveReport report) {
  const auto caster = casters_.find(id);
  if (caster == casters_.end()) return;
  const bool is_past = std::ranges::find(past_runs_, report.run) != past_runs_.end();
  if (report.run != 0 && report.run != run_ && !is_past) begin_run(report.run);
  if (report.shape && report.run == run_) shape_ = report.shape;
  note_skipped(report);
  if (!report.refused.empty()) statistics_.last_refused = report.refused;
  report.skipped.clear();
  caster->second.report = std::move(report);
}

void LiveDesk::begin_run(std::uint64_t run) {
  if (run_ != 0) past_runs_.push_back(run_);
  if (past_runs_.size() > most_past_runs) past_runs_.pop_front();
  run_ = run;
  ++statistics_.runs;
  times_.begin_run();
  wanted_ = {};
}

bool LiveDesk::is_of_run(std::int64_t frame) const noexcept {
  return frame != no_timestep && live_frame(run_, timestep_of(frame)) == frame;
}

void LiveDesk::note_skipped(const scene::LiveReport& report) {
  for (const scene::LiveSkipped& one : report.skipped) {
    // Ranks were past it when they heard that it is wanted, so the next one is further ahead.
    if (one.skip == scene::LiveSkip::passed && one.timestep == wanted_.timestep)
      wanted_.lead = std::min(2 * wanted_.lead + 1, longest_lead_timesteps);
    // The casters of all hosts may skip it, but the wall skips it once.
    const std::int64_t frame = live_frame(report.run, one.timestep);
    if (std::ranges::find(skipped_frames_, frame) != skipped_frames_.end()) continue;
    skipped_frames_.push_back(frame);
    if (skipped_frames_.size() > most_skipped_frames) skipped_frames_.pop_front();
    ++statistics_.skipped[static_cast<std::size_t>(one.skip)];
    ++statistics_.skipped_in_all;
    statistics_.last_cause = fmt::format("timestep {}: {}", one.timestep, one.cause);
  }
}

void LiveDesk::take_drawn(std::size_t panel, std::uint64_t number) {
  if (number != step_.number) return;
  drawing_.panels.insert(panel);
  left_out_.erase(panel);
}

void LiveDesk::hold() {
  const std::int64_t frame = is_busy() ? step_.next : step_.shown;
  if (frame == no_timestep)
    throw InputError({"live"}, "", "a timestep on the wall that can be held", "none yet");
  held_ = frame;
}

void LiveDesk::move(std::int64_t by) {
  const std::set<std::int64_t> kept = on_all_hosts();
  const std::int64_t frame = held_.value_or(is_busy() ? step_.next : step_.shown);
  const std::int64_t from = is_of_run(frame) ? timestep_of(frame) : no_timestep;
  const auto here = kept.find(from);
  const std::int64_t before = std::distance(kept.begin(), kept.lower_bound(from));
  const std::int64_t there = before + by - (here == kept.end() && by > 0 ? 1 : 0);
  if (there < 0 || there >= static_cast<std::int64_t>(kept.size()))
    throw InputError(
        {"live"}, "",
        fmt::format("one of the {} timesteps in memory{}", kept.size(),
                    kept.empty() ? "" : fmt::format(", {} to {}", *kept.begin(), *kept.rbegin())),
        fmt::format("{} {} of timestep {}", by < 0 ? -by : by, by < 0 ? "back" : "forward", from));
  held_ = live_frame(run_, *std::next(kept.begin(), there));
}

std::set<std::int64_t> LiveDesk::on_all_hosts() const {
  std::set<std::int64_t> common;
  std::set<std::string> lacking = hosts_;
  bool is_first = true;
  for (const auto& [id, caster] : casters_) {
    // The caster of a host that is gone says nothing about what panels can draw.
    if (!hosts_.contains(caster.host)) continue;
    lacking.erase(caster.host);
    if (!caster.report || caster.report->run != run_) return {};
    const std::set<std::int64_t> own(caster.report->kept.begin(), caster.report->kept.end());
    if (std::exchange(is_first, false)) {
      common = own;
      continue;
    }
    std::erase_if(common, [&](std::int64_t timestep) { return !own.contains(timestep); });
  }
  return lacking.empty() ? common : std::set<std::int64_t>{};
}

/// The timesteps on all hosts that come after the one that is shown, or is just going on the wall.
std::set<std::int64_t> LiveDesk::still_to_show() const {
  std::set<std::int64_t> kept = on_all_hosts();
  const std::int64_t last = is_busy() ? step_.next : step_.shown;
  if (is_of_run(last)) kept.erase(kept.begin(), kept.upper_bound(timestep_of(last)));
  return kept;
}

/// The frame that follows: the newest one, or with the other policies the next.
std::optional<std::int64_t> LiveDesk::following() const {
  const std::set<std::int64_t> timesteps = still_to_show();
  if (timesteps.empty()) return std::nullopt;
  const bool is_newest = choice_.policy == net::LivePolicy::newest;
  return live_frame(run_, is_newest ? *timesteps.rbegin() : *timesteps.begin());
}

/// The frame that should be on the wall, where that is another one.
std::optional<std::int64_t> LiveDesk::target() const {
  if (!held_) return following();
  const std::int64_t last = is_busy() ? step_.next : step_.shown;
  const bool is_kept = is_of_run(*held_) && on_all_hosts().contains(timestep_of(*held_));
  return *held_ == last || !is_kept ? std::nullopt : held_;
}

bool LiveDesk::all_have_drawn(const Wall& wall) {
  if (!drawing_.asked_at) drawing_.asked_at = wall.now;
  if (wall.now >= *drawing_.asked_at + drawing_limit)
    for (const std::size_t panel : wall.panels)
      if (!drawing_.panels.contains(panel)) left_out_.insert(panel);
  return !wall.panels.empty() && std::ranges::all_of(wall.panels, [&](std::size_t panel) {
    return drawing_.panels.contains(panel) || left_out_.contains(panel);
  });
}

void LiveDesk::set_next(std::int64_t frame, GlobalInstant from, std::string note) {
  ++step_.number;
  step_.next = frame;
  step_.next_note = std::move(note);
  step_.from = from;
}

std::optional<scene::LiveStep> LiveDesk::give_up() {
  if (!is_busy()) return std::nullopt;
  if (held_ == step_.next) held_ = step_.shown;
  set_next(no_timestep, scene::never);
  return step_;
}

void LiveDesk::note_drawn(const Wall& wall) {
  const auto seconds = [](Nanos time) { return std::chrono::duration<double>(time).count(); };
  ++statistics_.drawn;
  if (drawing_.asked_at) statistics_.draw_s += seconds(wall.now - *drawing_.asked_at);
  statistics_.switch_s += seconds(wall.lead);
  if (!drawing_.whole_at) return;
  ++statistics_.followed;
  statistics_.picture_s += seconds(wall.now - *drawing_.whole_at);
}

/// The next timestep, which has its instant, becomes the one that is shown.
void LiveDesk::promote_next() {
  step_.before = step_.shown;
  step_.before_note = std::move(step_.shown_note);
  step_.since = step_.from;
  step_.shown = step_.next;
  step_.shown_note = std::exchange(step_.next_note, {});
  step_.next = no_timestep;
  step_.from = scene::never;
  times_.note_shown(step_.shown, step_.since, drawing_.asked_at);
  shown_whole_at_ =
      is_of_run(step_.shown) ? times_.whole_at(timestep_of(step_.shown)) : std::nullopt;
  ++statistics_.shown;
}

void LiveDesk::finish_switch(GlobalInstant now) {
  if (is_busy() && step_.from <= now) promote_next();
  if (step_.since > now) return;
  step_.before = no_timestep;
  step_.before_note.clear();
}

std::optional<scene::LiveStep> LiveDesk::turn(const Wall& wall) {
  hosts_ = wall.hosts;
  times_.note_whole(on_all_hosts(), wall.now);
  finish_switch(wall.now);
  choose_wanted();
  const bool is_drawn = is_busy() && step_.from >= scene::never;
  if (is_drawn) {
    // A host's caster has died, or another run began.
    const bool is_there = is_of_run(step_.next) && on_all_hosts().contains(timestep_of(step_.next));
    if (!is_there) return give_up();
    if (!all_have_drawn(wall)) return std::nullopt;
    note_drawn(wall);
    // The panels know the number by which they drew it, and need no other picture.
    set_next(step_.next, std::max(wall.now + wall.lead, step_.since + least_shown),
             std::move(step_.next_note));
    return step_;
  }
  // Panels draw the next timestep while this one waits for its instant, but no further ahead.
  if (step_.since > wall.now || !wall.may_begin || wall.panels.empty()) return std::nullopt;
  const std::optional<std::int64_t> next = target();
  if (!next) return std::nullopt;
  if (is_busy()) promote_next();
  const std::int64_t timestep = timestep_of(*next);
  set_next(*next, scene::never, times_.note_of(timestep, wall.now, statistics_.skipped_in_all));
  const bool is_newest = timestep == *on_all_hosts().rbegin();
  drawing_ = {{}, wall.now, is_newest ? times_.whole_at(timestep) : std::nullopt};
  return step_;
}

std::optional<GlobalInstant> LiveDesk::due() const {
  const bool is_drawn = is_busy() && step_.from >= scene::never;
  return is_drawn || !target() ? std::nullopt : std::optional(step_.since);
}

void LiveDesk::choose_wanted() {
  if (casters_.empty() || !shape_ || shape_->field.empty()) return;
  // With the policies that show each wanted timestep, the next one comes while one is drawn.
  const bool is_newest = choice_.policy == net::LivePolicy::newest;
  if (!is_newest && !held_ && !still_to_show().empty()) return;
  std::int64_t reached = no_timestep;
  for (const auto& [id, caster] : casters_) {
    // A host that was switched off keeps no other one waiting.
    if (!hosts_.empty() && !hosts_.contains(caster.host)) continue;
    if (!caster.report || caster.report->run != run_) return;
    if (wanted_.timestep != no_timestep && caster.report->resolved < wanted_.timestep)
      return;  // it is on its way
    reached = std::max(reached, caster.report->reached);
  }
  const std::int64_t coming = reached + 1 + wanted_.lead;
  std::int64_t wanted = coming;
  if (!is_newest && wanted_.timestep != no_timestep)
    wanted = wanted_.timestep + (choice_.policy == net::LivePolicy::every ? 1 : choice_.nth);
  if (wanted <= wanted_.timestep) return;  // ranks have not come further
  wanted_.timestep = wanted;
  ++statistics_.wanted;
  wanted_.lead -= wanted_.lead > 0 && statistics_.wanted % 16 == 0 ? 1 : 0;
}

std::vector<std::pair<ConnectionId, scene::LiveOrder>> LiveDesk::orders() {
  std::vector<std::pair<ConnectionId, scene::LiveOrder>> orders;
  scene::LiveOrder order{run_, wanted_.timestep, {}};
  for (const std::int64_t frame :
       {step_.before, step_.shown, step_.next, held_.value_or(no_timestep)})
    if (frame != no_timestep && std::ranges::find(order.on_wall, frame) == order.on_wall.end())
      order.on_wall.push_back(frame);
  for (auto& [id, caster] : casters_) {
    if (caster.sent == order) continue;
    caster.sent = order;
    orders.emplace_back(id, order);
  }
  return orders;
}

void LiveDesk::go_on(const JournalLive& state) {
  const std::uint64_t number = std::max(step_.number, state.step.number + 1);
  step_ = state.step;
  step_.number = number;
  run_ = state.run;
  held_ = state.held;
  statistics_.shown = state.shown_count;
  times_.go_on(state.gone_by, step_.shown);
}

std::string LiveDesk::waits_for() const {
  if (casters_.empty()) return "waiting for the host's caster";
  for (const auto& [id, caster] : casters_)
    if (caster.report && !caster.report->waits_for.empty()) return caster.report->waits_for;
  return "";
}

/// Mean seconds of the stages that timesteps go through. Where hosts differ, those of the slowest.
nlohmann::json LiveDesk::stages() const {
  const auto mean = [](double sum, std::uint64_t count) {
    return count == 0 ? nlohmann::json() : nlohmann::json(sum / static_cast<double>(count));
  };
  scene::LiveWork slowest;
  for (const auto& [id, caster] : casters_) {
    if (!caster.report) continue;
    const scene::LiveWork& work = caster.report->work;
    if (work.wire_s + work.after_s >= slowest.wire_s + slowest.after_s) slowest = work;
  }
  const nlohmann::json picture = mean(statistics_.picture_s, statistics_.followed);
  return {{"wire_s", mean(slowest.wire_s, slowest.timesteps)},
          {"convert_s", mean(slowest.convert_s, slowest.timesteps)},
          {"tiles_s", mean(slowest.tiles_s, slowest.timesteps)},
          {"after_last_byte_s", mean(slowest.after_s, slowest.timesteps)},
          {"first_picture_s", picture},
          {"exact_picture_s", picture},  // panels draw the exact picture at once
          {"draw_s", mean(statistics_.draw_s, statistics_.drawn)},
          {"switch_s", mean(statistics_.switch_s, statistics_.drawn)},
          {"drawn", statistics_.drawn}};
}

nlohmann::json LiveDesk::status(GlobalInstant now) const {
  nlohmann::json skipped = nlohmann::json::object();
  for (std::size_t i = 0; i < scene::live_skips; ++i)
    skipped[std::string(scene::live_skip_names[i])] = statistics_.skipped[i];
  const std::set<std::int64_t> kept = on_all_hosts();
  nlohmann::json json = {
      {"name", name_},
      {"field", shape_ ? shape_->field : ""},
      {"ranks", shape_ ? shape_->ranks : 0},
      {"timestep", nullptr},
      {"age_s", nullptr},
      {"held", is_held()},
      {"policy", net::live_policy_names[static_cast<std::size_t>(choice_.policy)]},
      {"nth", choice_.nth},
      {"kept", kept.size()},
      {"runs", statistics_.runs},
      {"wanted", statistics_.wanted},
      {"shown", statistics_.shown},
      {"skipped", std::move(skipped)},
      {"last_skip", statistics_.last_cause},
      {"last_refused", statistics_.last_refused},
      {"waits_for", waits_for()}};
  if (step_.shown != no_timestep) {
    json["timestep"] = timestep_of(step_.shown);
    if (shown_whole_at_)
      json["age_s"] = std::max(std::chrono::duration<double>(now - *shown_whole_at_).count(), 0.0);
  }
  std::int64_t reached = no_timestep;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t repaired = 0;
  std::uint64_t received = 0;
  for (const auto& [id, caster] : casters_) {
    if (!caster.report) continue;
    reached = std::max(reached, caster.report->reached);
    bytes += caster.report->received_bytes;
    lost += caster.report->lost_packets;
    repaired += caster.report->repaired_packets;
    received = std::max(received, caster.report->received);
  }
  json["stages"] = stages();
  json["announced"] = reached + 1;
  json["received"] = received;
  json["received_bytes"] = bytes;
  json["lost_packets"] = lost;
  json["repaired_packets"] = repaired;
  return json;
}

}  // namespace tilewall::director
