#include "player/director/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/verbs/command_log.hpp"
#include "player/scene/operator_messages.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

// A change is asked for so much earlier than it has to be made, because the director may sleep so
// long between two turns.
constexpr Nanos turn_margin = std::chrono::milliseconds(25);

bool is_list(const RecordedCommand& command) {
  return command.request.at("type") == "show" && !loads_show(command.request);
}

cues::CueList list_of(const RecordedCommand& command) {
  const auto list = command.request.find("list");
  if (list == command.request.end()) throw InputError({"show"}, "list", "a list of cues", "none");
  return cues::cue_list_from_json(*list);
}

}  // namespace

ReplayPlan::ReplayPlan(const Recording& recording, std::size_t made)
    : recording_(recording), make_by_(recording.changes.size()), made_(made) {
  // A panic may have come before the instant of the change that was on its way.
  Nanos earliest = Nanos::max();
  for (std::size_t i = make_by_.size(); i > 0; --i) {
    earliest = std::min(earliest, recording.changes[i - 1].effect);
    make_by_[i - 1] = earliest;
  }
}

std::optional<ReplayPlan::Due> ReplayPlan::take(GlobalInstant start, GlobalInstant now,
                                                Nanos lead) {
  if (is_taken_ || made_ >= recording_.changes.size()) return std::nullopt;
  const RecordedChange& change = recording_.changes[made_];
  // A list of cues takes effect when it is loaded.
  const Nanos ahead = is_list(change.commands.front()) ? Nanos(0) : lead + turn_margin;
  if (now + ahead < start + make_by_[made_]) return std::nullopt;
  is_taken_ = true;
  return Due{change, start + change.effect};
}

void ReplayPlan::note_made() {
  is_taken_ = false;
  ++made_;
}

std::optional<std::string> ReplayPlan::next_cue() const {
  for (std::size_t i = made_; i < recording_.changes.size(); ++i)
    for (const RecordedCommand& command : recording_.changes[i].commands)
      if (command.cue) return command.cue;
  return std::nullopt;
}

bool ReplayPlan::is_over(GlobalInstant start, GlobalInstant now) const {
  return now >= start + recording_.end;
}

Replay::Replay(const ShowParts& parts, ShowLifecycle& lifecycle, const Recording& recording,
               std::function<void(const char* name, const Json& event)> tell_clients)
    : parts_(parts),
      lifecycle_(lifecycle),
      recording_(recording),
      tell_clients_(std::move(tell_clients)),
      plan_(recording, static_cast<std::size_t>(parts.log.replayed())) {}

void Replay::step() {
  const auto start = parts_.log.start();
  if (!start) return;
  const GlobalInstant now = lifecycle_.now();
  while (const auto due = plan_.take(*start, now, lifecycle_.lead())) make(*due);
  if (plan_.is_over(*start, now)) lifecycle_.end();
}

std::optional<std::size_t> Replay::next_cue() const {
  const auto name = plan_.next_cue();
  if (!name) return std::nullopt;
  const std::vector<cues::Cue>& cues = parts_.cues.list().cues;
  const auto found = std::ranges::find(cues, *name, &cues::Cue::name);
  return found == cues.end() ? std::nullopt
                             : std::optional(static_cast<std::size_t>(found - cues.begin()));
}

void Replay::make(const ReplayPlan::Due& due) {
  unanswered_ = due.change.commands.size();
  for (const RecordedCommand& recorded : due.change.commands) {
    try {
      if (is_list(recorded))
        load_cues(recorded);
      else
        ask(recorded, due.at);
    } catch (const InputError& error) {
      note_refusal(recorded, error.what());
      note_answer();
    }
  }
}

void Replay::ask(const RecordedCommand& recorded, GlobalInstant at) {
  Command command;
  command.apply = command_of(recorded);
  command.answer = [this, &recorded](const CommandOutcome& outcome) {
    if (!outcome.refusal.empty()) note_refusal(recorded, outcome.refusal);
    note_answer();
  };
  command.at = at;
  command.is_exact = true;
  command.is_urgent = recorded.request.at("type") == "panic";
  parts_.control.ask(logged(std::move(command), parts_.log, {recorded.request, "replay"},
                            [this] { return lifecycle_.now(); }));
}

ApplyCommand Replay::command_of(const RecordedCommand& recorded) {
  if (loads_show(recorded.request)) return load_show(recorded);
  if (recorded.cue) return parts_.cues.command_to(*recorded.cue, recorded.begins_again).apply;
  const Json& request = recorded.request;
  const scene::Scene& scene = parts_.control.scene();
  if (request.at("type") == "pointer")
    return hand_.command_of(scene::pointer_from_json(request), scene);
  if (auto cue = parts_.cues.command_of(request, scene, lifecycle_.now()))
    return std::move(cue->apply);
  return director::command_of(request, parts_.options.wall);
}

void Replay::load_cues(const RecordedCommand& recorded) {
  parts_.cues.replace(list_of(recorded), parts_.control.scene());
  publish_cues();
  log_request(parts_.log, {recorded.request, "replay"}, "", lifecycle_.now());
  note_answer();
}

ApplyCommand Replay::load_show(const RecordedCommand& recorded) {
  cues::CueList list = list_of(recorded);
  const std::size_t index = recorded.cue ? list.index_of(*recorded.cue) : 0;
  return [this, go = parts_.cues.load(std::move(list), index).apply](SceneChange& change) {
    go(change);
    publish_cues();
  };
}

void Replay::publish_cues() {
  const cues::CueList& list = parts_.cues.list();
  parts_.journal.write_cues(cues::to_json(list), lifecycle_.now());
  tell_clients_("show", {{"name", list.name}, {"cues", list.cues.size()}});
}

void Replay::note_refusal(const RecordedCommand& recorded, const std::string& error) {
  parts_.notes.note(fmt::format("replay of {}:{}: {}", recording_.file, recorded.line, error));
}

void Replay::note_answer() {
  if (--unanswered_ > 0) return;
  plan_.note_made();
  parts_.log.set_replayed(plan_.made());
}

}  // namespace tilewall::director
