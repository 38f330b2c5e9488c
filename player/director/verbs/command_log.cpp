#include "player/director/verbs/command_log.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "player/director/log/recording.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

/// A cue that a command went to.
struct WentTo {
  std::string cue;  // "" = the command went to none
  bool begins_again = false;
};

/// What a command changed about the cue on the wall.
WentTo went_to(const std::optional<scene::CuePosition>& before,
               const std::optional<scene::CuePosition>& after) {
  if (!after) return {};
  if (before && before->cue == after->cue && before->rounds == after->rounds &&
      before->since == after->since)
    return {};
  return {after->cue, before && after->rounds == before->rounds + 1};
}

/// The field's value; null where there is none.
Json part_of(const Json& request, const char* name) {
  const auto found = request.is_object() ? request.find(name) : request.end();
  return request.is_object() && found != request.end() ? *found : Json(nullptr);
}

// The tag proves who the client is, and the id means something to the client alone.
constexpr const char* left_out[] = {"tag", "id", "once"};

/// The part of a line that tells what was asked, and by whom.
Json asked_json(const LoggedRequest& what) {
  Json request = what.request;
  for (const char* const name : left_out) request.erase(name);
  const Json who = part_of(what.request, "as");
  return {{"request", std::move(request)},
          {"who", who.is_string() ? who : Json(std::string(operator_name))},
          {"from", what.from},
          {"once", part_of(what.request, "once")}};
}

Json with_outcome(Json line, const std::string& error) {
  line["outcome"] = error.empty() ? "done" : "refused";
  if (error.empty()) return line;
  line["error"] = error;
  line["request"] = short_fields(line["request"]);
  return line;
}

}  // namespace

void log_request(ShowLog& log, const LoggedRequest& what, const std::string& error,
                 GlobalInstant now) {
  if (log.is_on() && what.request.is_object())
    log.add("command", with_outcome(asked_json(what), error), now);
}

Command logged(Command command, ShowLog& log, LoggedRequest what,
               std::function<GlobalInstant()> now) {
  if (!log.is_on()) return command;
  const auto went = std::make_shared<WentTo>();
  const GlobalInstant asked = now();
  command.apply = [went, apply = std::move(command.apply)](SceneChange& change) {
    const auto before = change.draft().cue;
    apply(change);
    *went = went_to(before, change.draft().cue);
  };
  command.answer = [went, asked, &log, what = std::move(what), now = std::move(now),
                    answer = std::move(command.answer)](const CommandOutcome& outcome) {
    Json line = with_outcome(asked_json(what), outcome.refusal);
    line["asked_ns"] = asked.since_epoch.count();
    if (outcome.refusal.empty()) {
      line["version"] = outcome.version;
      line["effect_ns"] = outcome.changed.since_epoch.count();
      line["effect_s"] = log.seconds_at(outcome.changed);
      if (!went->cue.empty()) line["cue"] = went->cue;
      if (went->begins_again) line["begins_again"] = true;
    }
    log.add("command", line, now());
    if (answer) answer(outcome);
  };
  return command;
}

Json short_fields(const Json& request) {
  constexpr std::size_t longest = 256;
  constexpr std::size_t most = 16;
  Json fields = Json::object();
  if (!request.is_object()) return fields;
  for (const auto& [name, value] : request.items()) {
    const bool is_short = value.is_string() ? value.get_ref<const std::string&>().size() <= longest
                                            : value.is_primitive();
    if (is_short && name.size() <= longest && fields.size() < most) fields[name] = value;
  }
  for (const char* const name : left_out) fields.erase(name);
  return fields;
}

bool changes_without_scene(const nlohmann::json& request) {
  constexpr std::string_view verbs[] = {"show", "live", "snapshot", "restart"};
  const Json type = part_of(request, "type");
  return is_quit(request) || edits_cue(request) ||
         std::ranges::any_of(verbs, [&](std::string_view verb) { return type == verb; });
}

}  // namespace tilewall::director
