#include "player/director/live_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using scene::no_timestep;

constexpr std::int64_t longest_lead_timesteps = 64;
// A panel that has not drawn a timestep by then is not waited for.
constexpr std::chrono::seconds drawing_limit{2};

}  // namespace

void LiveDesk::take(ConnectionId id, scene::LiveReport report) {
  const auto caster = casters_.find(id);
  if (caster == casters_.end()) return;
  if (report.run != 0 && report.run != run_) begin_run(report.run);
  if (report.shape && report.run == run_) shape_ = report.shape;
  note_skipped(report.skipped);
  report.skipped.clear();
  caster->second.report = std::move(report);
}

void LiveDesk::begin_run(std::uint64_t run) {
  run_ = run;
  ++statistics_.runs;
  shown_is_of_run_ = false;
  wanted_ = no_timestep;
  lead_timesteps_ = 0;
  held_at_.reset();
}

void LiveDesk::note_skipped(const std::vector<scene::LiveSkipped>& skipped) {
  for (const scene::LiveSkipped& one : skipped) {
    ++statistics_.skipped[static_cast<std::size_t>(one.skip)];
    statistics_.last_cause = fmt::format("timestep {}: {}", one.timestep, one.cause);
    // Ranks were past it when they heard that it is wanted, so the next one is further ahead.
    if (one.skip == scene::LiveSkip::passed && one.timestep == wanted_)
      lead_timesteps_ = std::min(2 * lead_timesteps_ + 1, longest_lead_timesteps);
  }
}

void LiveDesk::take_drawn(std::size_t panel, std::uint64_t number) {
  if (number == step_.number) drawn_.insert(panel);
}

void LiveDesk::follow() { held_at_.reset(); }

void LiveDesk::move(std::int64_t by) {
  const std::set<std::int64_t> kept = on_all_hosts();
  const std::int64_t from = held_at_.value_or(step_.shown_last());
  const auto here = kept.find(from);
  const std::int64_t before = std::distance(kept.begin(), kept.lower_bound(from));
  const std::int64_t there = before + by - (here == kept.end() && by > 0 ? 1 : 0);
  if (there < 0 || there >= static_cast<std::int64_t>(kept.size()))
    throw InputError(
        {"live"}, "",
        fmt::format("one of the {} timesteps in memory{}", kept.size(),
                    kept.empty() ? "" : fmt::format(", {} to {}", *kept.begin(), *kept.rbegin())),
        fmt::format("{} {} of timestep {}", by < 0 ? -by : by, by < 0 ? "back" : "forward", from));
  held_at_ = *std::next(kept.begin(), there);
}

std::set<std::int64_t> LiveDesk::on_all_hosts() const {
  std::set<std::int64_t> common;
  bool is_first = true;
  for (const auto& [id, caster] : casters_) {
    if (!caster.report || caster.report->run != run_) return {};
    const std::set<std::int64_t> own(caster.report->kept.begin(), caster.report->kept.end());
    if (std::exchange(is_first, false)) {
      common = own;
      continue;
    }
    std::erase_if(common, [&](std::int64_t timestep) { return !own.contains(timestep); });
  }
  return common;
}

/// The timestep that should be on the wall, where that is another one.
std::optional<std::int64_t> LiveDesk::target() const {
  const std::set<std::int64_t> kept = on_all_hosts();
  if (kept.empty()) return std::nullopt;
  const std::int64_t wanted = held_at_.value_or(*kept.rbegin());
  if (!kept.contains(wanted) || (shown_is_of_run_ && wanted == step_.shown)) return std::nullopt;
  const bool goes_back = shown_is_of_run_ && wanted < step_.shown && !held_at_;
  return goes_back ? std::nullopt : std::optional(wanted);
}

bool LiveDesk::all_have_drawn(const Wall& wall) const {
  if (wall.now >= asked_at_ + drawing_limit) return true;
  return !wall.panels.empty() && std::ranges::all_of(wall.panels, [&](std::size_t panel) {
    return drawn_.contains(panel);
  });
}

void LiveDesk::set_next(std::int64_t next, GlobalInstant from) {
  ++step_.number;
  step_.next = next;
  step_.from = from;
}

void LiveDesk::finish_switch(GlobalInstant now) {
  if (!is_busy() || step_.from > now) return;
  step_.shown = step_.next;
  step_.next = no_timestep;
  shown_at_ = step_.from;
  ++shown_count_;
}

std::optional<scene::LiveStep> LiveDesk::turn(const Wall& wall) {
  finish_switch(wall.now);
  choose_wanted();
  const bool is_drawn = is_busy() && step_.from >= scene::never;
  if (is_drawn) {
    if (!on_all_hosts().contains(step_.next)) {  // a caster has died, or another run began
      set_next(no_timestep, scene::never);
      return step_;
    }
    if (!all_have_drawn(wall)) return std::nullopt;
    // The panels know the number by which they drew it, and need no other picture.
    set_next(step_.next, wall.now + wall.lead);
    shown_is_of_run_ = true;
    return step_;
  }
  if (is_busy() || !wall.may_begin || wall.panels.empty()) return std::nullopt;
  const std::optional<std::int64_t> next = target();
  if (!next) return std::nullopt;
  set_next(*next, scene::never);
  drawn_.clear();
  asked_at_ = wall.now;
  return step_;
}

void LiveDesk::choose_wanted() {
  if (casters_.empty() || !shape_ || shape_->field.empty()) return;
  std::int64_t reached = no_timestep;
  for (const auto& [id, caster] : casters_) {
    if (!caster.report || caster.report->run != run_) return;
    if (wanted_ != no_timestep && caster.report->resolved < wanted_) return;  // it is on its way
    reached = std::max(reached, caster.report->reached);
  }
  const std::int64_t coming = reached + 1 + lead_timesteps_;
  std::int64_t wanted = coming;
  if (choice_.policy != LiveChoice::Policy::newest && wanted_ != no_timestep)
    wanted = wanted_ + (choice_.policy == LiveChoice::Policy::every ? 1 : choice_.nth);
  if (wanted <= wanted_) return;  // ranks have not come further
  wanted_ = wanted;
  ++statistics_.wanted;
  lead_timesteps_ -= lead_timesteps_ > 0 && statistics_.wanted % 16 == 0 ? 1 : 0;
}

std::vector<std::pair<ConnectionId, scene::LiveOrder>> LiveDesk::orders() {
  std::vector<std::pair<ConnectionId, scene::LiveOrder>> orders;
  scene::LiveOrder order{run_, wanted_, {}};
  for (const std::int64_t timestep : {step_.shown, step_.next, held_at_.value_or(no_timestep)})
    if (timestep != no_timestep &&
        std::ranges::find(order.on_wall, timestep) == order.on_wall.end())
      order.on_wall.push_back(timestep);
  for (auto& [id, caster] : casters_) {
    if (caster.sent == order) continue;
    caster.sent = order;
    orders.emplace_back(id, order);
  }
  return orders;
}

void LiveDesk::go_on(const scene::LiveStep& step, std::uint64_t run) {
  const std::uint64_t number = std::max(step_.number, step.number + 1);
  static_cast<scene::LiveStep&>(step_) = step;
  step_.number = number;
  run_ = run;
  shown_is_of_run_ = true;
  asked_at_ = GlobalInstant{Nanos::min()};
}

std::string LiveDesk::waits_for() const {
  if (casters_.empty()) return "waiting for the host's caster";
  for (const auto& [id, caster] : casters_)
    if (caster.report && !caster.report->waits_for.empty()) return caster.report->waits_for;
  return "";
}

nlohmann::json LiveDesk::status(GlobalInstant now) const {
  nlohmann::json skipped = nlohmann::json::object();
  for (std::size_t i = 0; i < scene::live_skips; ++i)
    skipped[std::string(scene::live_skip_names[i])] = statistics_.skipped[i];
  const std::set<std::int64_t> kept = on_all_hosts();
  nlohmann::json json = {{"name", name_},
                         {"field", shape_ ? shape_->field : ""},
                         {"ranks", shape_ ? shape_->ranks : 0},
                         {"timestep", nullptr},
                         {"age_s", nullptr},
                         {"held", is_held()},
                         {"kept", kept.size()},
                         {"runs", statistics_.runs},
                         {"wanted", statistics_.wanted},
                         {"shown", shown_count_},
                         {"skipped", std::move(skipped)},
                         {"last_skip", statistics_.last_cause},
                         {"waits_for", waits_for()}};
  if (step_.shown != no_timestep) {
    json["timestep"] = step_.shown;
    if (shown_count_ > 0) json["age_s"] = std::chrono::duration<double>(now - shown_at_).count();
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
  json["announced"] = reached + 1;
  json["received"] = received;
  json["received_bytes"] = bytes;
  json["lost_packets"] = lost;
  json["repaired_packets"] = repaired;
  return json;
}

}  // namespace tilewall::director
