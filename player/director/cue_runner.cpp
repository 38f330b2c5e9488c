#include "player/director/cue_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/verbs/command_log.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds arming_pause{100};  // after a change has taken effect

bool counts_as_ready(ArmingState state) {
  return state == ArmingState::armed || state == ArmingState::amber;
}

}  // namespace

CueRunner::CueRunner(const ShowParts& parts, ShowLifecycle& lifecycle, PanelReports& reports,
                     ArmingDesk& arming, TellClients tell_clients)
    : parts_(parts),
      lifecycle_(lifecycle),
      reports_(reports),
      arming_(arming),
      tell_clients_(std::move(tell_clients)) {
  if (parts_.options.unarmed) parts_.cues.go_unarmed();
  if (!parts_.options.replay) return;
  parts_.control.be_exact();
  replay_.emplace(parts_, lifecycle_, *parts_.options.replay, tell_clients_);
}

void CueRunner::go_on(const Json& loaded) {
  logged_restarts_ = parts_.roster.restarts().size();
  CueDesk& cues = parts_.cues;
  if (loaded.is_null() || !cues.is_presenting()) return;
  try {
    cues::CueList list = cues::cue_list_from_json(loaded);
    const auto& cue = parts_.control.scene().cue;
    const auto has_cue = [&](const cues::CueList& in) {
      return cue && std::ranges::find(in.cues, cue->cue, &cues::Cue::name) != in.cues.end();
    };
    // The list of another show is written before its first scene, which may not have come.
    if (!has_cue(list) && has_cue(cues.list()))
      parts_.notes.note(fmt::format("the show {} is not gone over to", list.name));
    else
      cues.go_on_with(std::move(list));
  } catch (const InputError& error) {
    parts_.notes.note(fmt::format("the cues that were loaded are lost: {}", error.what()));
  }
}

void CueRunner::step() {
  if (!parts_.cues.is_presenting() || !lifecycle_.is_playing()) return;
  keep_log();
  const scene::Scene& scene = parts_.control.scene();
  const CueTime now{lifecycle_.now(), std::chrono::system_clock::now()};
  if (replay_)
    replay_->step();  // cues that followed are among the recorded ones
  else if (auto command = parts_.cues.follow(scene, now, lifecycle_.lead()))
    follow(std::move(*command));
  if (scene.cue && scene.cue->since != told_cue_since_) {
    told_cue_since_ = scene.cue->since;
    begin(*scene.cue);
    tell_clients_("cue", parts_.cues.status(scene, now));
  }
  arm(now.global);
  const auto end = parts_.options.ends_with_cues ? parts_.cues.ends_at(scene, now) : std::nullopt;
  if (end && now.global >= *end) lifecycle_.end();
}

/// Notes in the log when the show started, and which processes have died since the last turn.
void CueRunner::keep_log() {
  if (!parts_.log.start()) parts_.log.set_start(parts_.control.scene().since);
  const auto& restarts = parts_.roster.restarts();
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  for (; logged_restarts_ < restarts.size(); ++logged_restarts_) {
    const Restart& restart = restarts[logged_restarts_];
    parts_.log.add("restart",
                   {{"role", restart.role},
                    {"panel", or_null(restart.panel)},
                    {"host", or_null(restart.host)},
                    {"hung", restart.hung}},
                   lifecycle_.now());
  }
}

/// Asks for a cue that follows by itself, and tells clients which one.
void CueRunner::follow(Command command) {
  const auto next = parts_.cues.next(parts_.control.scene());
  tell_clients_("follow",
                {{"cue", next ? Json(parts_.cues.list().cues[*next].name) : Json(nullptr)},
                 {"due_ns", command.at ? Json(command.at->since_epoch.count()) : Json(nullptr)}});
  parts_.control.ask(logged(std::move(command), parts_.log, {{{"type", "next"}}, "follow"},
                            [this] { return lifecycle_.now(); }));
}

/// Begins the statistics of the cue that the newest scene goes to.
void CueRunner::begin(const scene::CuePosition& cue) {
  CueStatistics::Begin begin;
  begin.cue = cue.cue;
  const std::vector<cues::Cue>& all = parts_.cues.list().cues;
  const auto found = std::ranges::find(all, cue.cue, &cues::Cue::name);
  begin.index = found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin());
  begin.epoch = parts_.control.scene().epoch;
  begin.since = cue.since;
  begin.at_s = lifecycle_.since_command_s(cue.since);
  begin.asked = parts_.cues.asked_at().value_or(cue.since);
  begin.missing = parts_.cues.missing_of(cue.cue);
  const auto& panels = parts_.roster.panels();
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (panels[i].missed_start) begin.panels_missing.push_back(parts_.roster.name_of(i));
  reports_.cues().begin(std::move(begin));
}

/// Gets panels ready for the cue that comes next. The scene on its way is shown first, so that
/// panels still have the pictures that they have drawn of it.
void CueRunner::arm(GlobalInstant now) {
  const scene::Scene& scene = parts_.control.scene();
  if (!scene.cue || now < scene.since + arming_pause) return;
  const Target target = this->target();
  const std::optional<std::size_t> wanted = target.cue;
  if (target != armed_for_) {
    armed_for_ = target;
    told_arming_ = ArmingState::idle;
    if (wanted)
      arming_.arm(parts_.cues.scene_to_arm(*wanted, scene));
    else
      arming_.disarm();
  } else if (wanted && scene.volume_stage.number != armed_stage_) {
    // Volumes that both cues show would be drawn anew at the start.
    arming_.arm(parts_.cues.scene_to_arm(*wanted, scene));
  }
  armed_stage_ = scene.volume_stage.number;
  const ArmingStatus status = arming_.status();
  parts_.cues.note_armed(wanted, counts_as_ready(status.state));
  if (wanted) reports_.cues().note_arming(parts_.cues.name_to_arm(*wanted), status, now);
  if (std::exchange(told_arming_, status.state) == status.state) return;
  if (counts_as_ready(status.state) && wanted) tell_clients_("armed", arming());
}

CueRunner::Target CueRunner::target() const {
  const scene::Scene& scene = parts_.control.scene();
  const auto replayed = replay_ ? replay_->next_cue() : std::nullopt;
  const bool is_of_list = replayed && !parts_.cues.is_loading();
  return {is_of_list ? replayed : parts_.cues.wanted(scene),
          scene.cue ? scene.cue->since : GlobalInstant{}, parts_.cues.edition()};
}

Json CueRunner::arming() const {
  constexpr const char* names[] = {"idle", "arming", "armed", "amber"};
  const Target target = this->target();
  ArmingStatus status = arming_.status();
  // Panels hear of another cue a little later, and what they have ready is of the one before.
  if (target != armed_for_) {
    status.state = target.cue ? ArmingState::arming : ArmingState::idle;
    status.panels.clear();
  }
  Json missing = Json::array();
  for (const ArmingStatus::Panel& panel : status.panels)
    missing.push_back({{"panel", parts_.roster.name_of(panel.panel)}, {"missing", panel.missing}});
  return {{"state", names[static_cast<std::size_t>(status.state)]},
          {"cue", target.cue ? Json(parts_.cues.name_to_arm(*target.cue)) : Json(nullptr)},
          {"missing", std::move(missing)}};
}

}  // namespace tilewall::director
