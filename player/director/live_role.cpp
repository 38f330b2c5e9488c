#include "player/director/live_role.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "player/director/connections/request_fields.hpp"
#include "player/director/verbs/verbs.hpp"
#include "player/volume/volume_job.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

// Panels have drawn the timestep by then, so an instant is only as far ahead as its message takes.
constexpr Nanos least_lead = std::chrono::milliseconds(34);  // two beats of 60 Hz
// Pictures that a panel may have drawn ahead where something plays, and the one under way.
constexpr std::int64_t pictures_ahead = 9;
constexpr std::size_t most_shown = 10'000;  // of one panel, in the report
constexpr Nanos ask_again = std::chrono::seconds(1);
constexpr Nanos longest_live_silence = std::chrono::seconds(5);  // of a panel that is waited for
constexpr std::int64_t most_moved = 1'000'000;                   // timesteps

}  // namespace

LiveRole::LiveRole(const ShowParts& parts, ControlServer& server, const ShowLifecycle& lifecycle,
                   Tell tell_panels)
    : parts_(parts), server_(server), lifecycle_(lifecycle), tell_panels_(std::move(tell_panels)) {}

LiveDesk& LiveRole::desk_of(const std::string& source) {
  if (const auto found = desks_.find(source); found != desks_.end()) return found->second;
  const volume::VolumeJob job = volume::volume_job_of(source);
  if (!job.live) throw InputError({"caster"}, "source", "a live source", "a stored volume");
  const LiveChoice choice{job.live->policy, job.live->nth};
  // Panels may know steps of another director, which began earlier.
  const auto number = static_cast<std::uint64_t>(local_now().since_epoch.count());
  return desks_.try_emplace(source, source, job.live->name, choice, number).first->second;
}

void LiveRole::welcome(const RoleMessage& message) {
  const scene::CasterHello hello = scene::caster_hello_from_json(message.json);
  server_.join(message.from);
  desk_of(hello.source).join(message.from, hello.host);
  casters_[message.from] = hello.source;
}

bool LiveRole::takes(const RoleMessage& message) const {
  return casters_.contains(message.from) && message.type == "live_report";
}

void LiveRole::take(RoleMessage& message) {
  desk_of(casters_.at(message.from)).take(message.from, scene::live_report_from_json(message.json));
}

void LiveRole::lose(ConnectionId id) {
  const auto caster = casters_.find(id);
  if (caster == casters_.end()) return;
  if (const auto desk = desks_.find(caster->second); desk != desks_.end()) desk->second.leave(id);
  casters_.erase(caster);
}

void LiveRole::take_drawn(std::size_t panel, const Json& message) {
  const scene::LiveDrawn drawn = scene::live_drawn_from_json(message);
  if (const auto desk = desks_.find(drawn.source); desk != desks_.end())
    desk->second.take_drawn(panel, drawn.number);
}

void LiveRole::note_shown(std::size_t panel, const scene::ShownBatch& batch) {
  const scene::SourceSpec& source = *parts_.control.first_region().source;
  if (!source.live) return;
  LateTimesteps& late = late_.try_emplace(source.path, parts_.roster.panels().size()).first->second;
  for (const scene::ShownFrame& frame : batch.frames)
    if (frame.frame != scene::no_timestep) late.add(panel, frame.frame, frame.stamp_ns);
  if (!parts_.options.hashes) return;
  std::vector<scene::ShownFrame>& shown = shown_[panel];
  for (const scene::ShownFrame& frame : batch.frames) {
    if (shown.size() >= most_shown) return;
    const bool is_new = shown.empty() || frame.stamp_ns > shown.back().stamp_ns;
    if (frame.frame != scene::no_timestep && is_new) shown.push_back(frame);
  }
}

void LiveRole::greet(ConnectionId connection, std::size_t panel) {
  for (const auto& [source, desk] : desks_) server_.send(connection, scene::to_json(desk.step()));
  for (auto& [source, late] : late_) late.join(panel);
}

void LiveRole::go_on(const std::vector<JournalLive>& found) {
  for (const JournalLive& one : found) desk_of(one.step.source).go_on(one);
}

LiveDesk::Wall LiveRole::wall() const {
  const scene::Scene& scene = parts_.control.scene();
  const bool plays = !scene.tick_grid.paused();
  LiveDesk::Wall wall{lifecycle_.now(), {}, {}, least_lead, true};
  // Ticks are drawn by the timelines, after which a wall with late policy slow lags.
  if (plays) wall.now = wall.now - lifecycle_.delay();
  for (const auto& [connection, panel] : parts_.roster.connected()) {
    // A host that was switched off leaves its connections open for half a minute.
    if (parts_.roster.silence_of(panel) > longest_live_silence) continue;
    wall.panels.push_back(panel);
    wall.hosts.insert(parts_.roster.panels()[panel].host);
  }
  // A wall on which nothing plays has drawn the timestep by then.
  wall.lead = std::max(wall.lead, plays ? lifecycle_.lead() : lifecycle_.delivery_lead());
  if (plays)
    wall.lead += scene.shown_period(scene.tick_grid.tick_at(wall.now).value_or(0)) * pictures_ahead;
  return wall;
}

void LiveRole::tell(const LiveDesk& desk, const scene::LiveStep& step, GlobalInstant now) {
  parts_.journal.write(desk.state(), now);
  tell_panels_(scene::to_json(step));
  if (step.next == scene::no_timestep) return;
  sync::trace_instant(step.from >= scene::never ? "timestep to draw" : "timestep drawn by all",
                      {scene::timestep_of(step.next), sync::TraceLabels::none});
}

void LiveRole::note_left_out(const LiveDesk& desk) {
  for (const std::size_t panel : desk.left_out())
    parts_.notes.note_problem(
        parts_.roster.name_of(panel),
        fmt::format("live source {}: the panel has not drawn a timestep within 10 s, and the wall "
                    "goes on without it",
                    desk.name()));
}

void LiveRole::step() {
  longest_wait_ = Nanos::max();
  if (!lifecycle_.is_playing()) return;
  LiveDesk::Wall at = wall();
  forget_closed(at.now);
  const bool is_frozen = parts_.control.scene().frozen_at.has_value();
  for (const scene::Region& region : parts_.control.scene().regions) {
    if (!region.source->live) continue;
    const bool is_new = !desks_.contains(region.source->path);
    LiveDesk& desk = desk_of(region.source->path);
    // Panels may know a step of the source from when it was shown before.
    if (is_new) tell(desk, desk.step(), at.now);
    // One source at a time, so that panels need draw one picture ahead only, and each in its turn.
    const bool was_last = last_begun_ == region.source->path;
    at.may_begin = !is_frozen && std::ranges::none_of(desks_, [&](const auto& one) {
      return &one.second != &desk &&
             (one.second.is_busy() || (was_last && one.second.wants_turn()));
    });
    if (const auto step = desk.turn(at)) {
      tell(desk, *step, at.now);
      if (step->next != scene::no_timestep) last_begun_ = region.source->path;
    }
    const auto due = at.may_begin && !at.panels.empty() ? desk.due() : std::nullopt;
    if (due) longest_wait_ = std::min(longest_wait_, std::max(*due - at.now, Nanos{0}));
    for (const auto& [caster, order] : desk.orders()) server_.send(caster, scene::to_json(order));
    note_left_out(desk);
    follow_shape(region.source, desk, at.now);
    tell_waiting(region, desk, at.now);
  }
}

bool LiveRole::is_done() const {
  const std::int64_t most = parts_.options.live_timesteps;
  return most > 0 && std::ranges::any_of(desks_, [&](const auto& one) {
           return static_cast<std::int64_t>(one.second.gone_by()) >= most;
         });
}

/// Forgets sources that no region shows any more.
void LiveRole::forget_closed(GlobalInstant now) {
  std::set<std::string> shown;
  std::set<std::string> regions;
  for (const scene::Region& region : parts_.control.scene().regions) {
    if (!region.source->live) continue;
    shown.insert(region.source->path);
    regions.insert(region.name);
  }
  std::erase_if(asked_slates_, [&](const auto& one) { return !regions.contains(one.first); });
  std::erase_if(asked_boxes_, [](const AskedBox& one) { return one.source.expired(); });
  // Its casters are connected for some seconds more, and other sources must not wait for it.
  for (auto& [source, desk] : desks_)
    if (!shown.contains(source))
      if (const auto step = desk.give_up()) tell(desk, *step, now);
  std::erase_if(late_, [&](const auto& one) { return !shown.contains(one.first); });
  std::erase_if(desks_, [&](const auto& one) {
    const bool has_caster = std::ranges::any_of(
        casters_, [&](const auto& caster) { return caster.second == one.first; });
    return !shown.contains(one.first) && !has_caster;
  });
}

/// Lets cameras see the grid of the source as its ranks describe it.
void LiveRole::follow_shape(const scene::SourcePtr& source, const LiveDesk& desk,
                            GlobalInstant now) {
  if (!desk.shape()) return;
  const render::WorldBox box = scene::box_of(*desk.shape());
  if (source->box == box) return;
  const auto asked = std::ranges::find_if(
      asked_boxes_, [&](const AskedBox& one) { return one.source.lock() == source; });
  if (asked != asked_boxes_.end() && asked->box == box && now < asked->at + ask_again) return;
  if (asked != asked_boxes_.end())
    *asked = {source, box, now};
  else
    asked_boxes_.push_back({source, box, now});
  auto grown = std::make_shared<scene::SourceSpec>(*source);
  grown->box = box;
  const bool fits = !volume::volume_job_of(source->path).live->keeps_camera;
  parts_.control.ask(
      {[before = source, now = scene::SourcePtr(std::move(grown)), fits](SceneChange& change) {
         std::vector<std::string> fitted;  // regions whose cameras follow the box
         for (const scene::Region& region : change.draft().regions)
           if (fits && region.source == before && region.look) fitted.push_back(region.name);
         change.grow(before, now);
         for (const std::string& region : fitted)
           change.set_camera(
               region,
               [&](const render::VolumeCamera& camera) {
                 return render::carried_over(camera, before->box, now->box);
               },
               Nanos(0));
       },
       {}});
}

/// Shows in the region's place what the wall waits for, until its first timestep is there.
void LiveRole::tell_waiting(const scene::Region& region, const LiveDesk& desk, GlobalInstant now) {
  std::string text;
  if (desk.step().shown == scene::no_timestep) {
    const std::string waits_for = desk.waits_for();
    text = fmt::format("{}\nwaiting{}", desk.name(), waits_for.empty() ? "" : ": " + waits_for);
  }
  if (region.slate == text) return;
  AskedSlate& asked = asked_slates_[region.name];
  if (asked.text == text && now < asked.at + ask_again) return;
  asked = {text, now};
  parts_.control.ask(
      {[name = region.name, text](SceneChange& change) { change.set_slate(name, text); }, {}});
}

Json LiveRole::change(const Json& request) {
  RequestFields fields(request);
  const std::string who = fields.text_or("as", std::string(operator_name));
  if (who != operator_name) fields.refuse("as", std::string(operator_name), '"' + who + '"');
  const std::string region_name = fields.text_or("region", "");
  const std::string verb = fields.text("verb");
  const auto& regions = parts_.control.scene().regions;
  const auto region = std::ranges::find_if(regions, [&](const scene::Region& one) {
    return one.source->live && (region_name.empty() || one.name == region_name);
  });
  if (region == regions.end())
    throw InputError({"live"}, "region", "a region with a live source",
                     region_name.empty() ? "none in the scene" : region_name);
  LiveDesk& desk = desk_of(region->source->path);
  const bool moves = verb == "back" || verb == "forward";
  const std::int64_t by = moves ? fields.whole("by") : 0;
  fields.check_all_known();
  if (moves && (by < 1 || by > most_moved))
    fields.refuse("by", fmt::format("1 to {}", most_moved), std::to_string(by));
  if (verb == "edge")
    desk.follow();
  else if (verb == "hold")
    desk.hold();
  else if (moves)
    desk.move(verb == "back" ? -by : by);
  else
    fields.refuse("verb", "edge, hold, back or forward", '"' + verb + '"');
  parts_.journal.write(desk.state(), lifecycle_.now());
  return desk.status(lifecycle_.now());
}

Json LiveRole::status() const {
  Json list = Json::array();
  for (const scene::Region& region : parts_.control.scene().regions) {
    if (!region.source->live) continue;
    const auto desk = desks_.find(region.source->path);
    if (desk == desks_.end()) continue;
    Json one = desk->second.status(lifecycle_.now());
    one["region"] = region.name;
    const auto late = late_.find(region.source->path);
    one["late"] = late == late_.end() ? 0 : late->second.count();
    one["late_by_panel"] = late == late_.end() ? Json::object() : late_by_panel(late->second);
    list.push_back(std::move(one));
  }
  return list;
}

Json LiveRole::late_by_panel(const LateTimesteps& late) const {
  Json counts = Json::object();
  for (std::size_t panel = 0; panel < late.by_panel().size(); ++panel)
    if (const std::int64_t count = late.by_panel()[panel]; count > 0)
      counts[parts_.roster.name_of(panel)] = count;
  return counts;
}

Json LiveRole::shown() const {
  Json list = Json::array();
  for (const auto& [panel, shown] : shown_) {
    Json frames = Json::array();
    for (const scene::ShownFrame& frame : shown) {
      frames.push_back({{"timestep", scene::timestep_of(frame.frame)},
                        {"stamp_ns", frame.stamp_ns},
                        {"hash", fmt::format("{:016x}", frame.hash)}});
      if (frame.damage != scene::FrameDamage::none)
        frames.back()["damage"] = scene::name_of(frame.damage);
    }
    list.push_back({{"panel", parts_.roster.name_of(panel)}, {"frames", std::move(frames)}});
  }
  return list;
}

}  // namespace tilewall::director
