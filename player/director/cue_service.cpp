#include "player/director/cue_service.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "player/cues/revision.hpp"
#include "player/director/connections/request_fields.hpp"
#include "player/director/log/recording.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_cues_listed = 1000;

Json answer_to(const Json& request, const char* type) {
  Json answer = {{"type", type}};
  if (request.contains("id")) answer["id"] = request.at("id");
  return answer;
}

}  // namespace

bool CueService::take(ConnectionId from, const Json& request) {
  const Json type = request.value("type", Json());
  try {
    if (type == "cues")
      list(from, request);
    else if (type == "show")
      change_list(from, request);
    else if (edits_cue(request))
      change_cue(from, request);
    else
      return false;
  } catch (const InputError& error) {
    clients_.refuse(from, request, error.what());
  }
  return true;
}

RequestFields CueService::fields_of_operator(const Json& request) const {
  RequestFields fields(request);
  if (!desk_.is_presenting())
    fields.refuse("", "a presentation (tilewall present)", "another show");
  const std::string who = fields.text_or("as", std::string(operator_name));
  if (who != operator_name) fields.refuse("as", std::string(operator_name), '"' + who + '"');
  return fields;
}

void CueService::list(ConnectionId from, const Json& request) {
  RequestFields fields(request);
  if (!desk_.is_presenting())
    fields.refuse("", "a presentation (tilewall present)", "another show");
  const std::int64_t first = fields.whole_if("first").value_or(0);
  const std::int64_t most = fields.whole_if("most").value_or(most_cues_listed);
  fields.check_all_known();
  if (first < 0) fields.refuse("first", "0 or more", std::to_string(first));
  if (most < 1 || most > most_cues_listed) fields.refuse("most", "1 to 1000", std::to_string(most));
  Json answer = answer_to(request, "cues");
  answer.update(desk_.list_json(control_.scene(), static_cast<std::size_t>(first),
                                static_cast<std::size_t>(most)));
  server_.send(from, answer);
}

void CueService::change_cue(ConnectionId from, const Json& request) {
  RequestFields fields = fields_of_operator(request);
  bool changes = true;
  if (fields.text("verb") == "note") {
    const std::size_t index = desk_.list().index_of(fields.text("cue"));
    const std::string note = fields.text("note");
    fields.check_all_known();
    if (note.size() > cues::max_note_bytes)
      fields.refuse("note", fmt::format("a text of at most {} bytes", cues::max_note_bytes),
                    fmt::format("{} bytes", note.size()));
    desk_.set_note(index, note);
  } else {
    fields.check_all_known();
    changes = desk_.update(control_.scene(), now_());
  }
  clients_.log(from, request, "");
  if (changes) publish();
  // A replay takes the list, because the wall is not the same at each instant.
  if (changes && request.at("verb") == "update")
    clients_.log(from,
                 {{"type", "show"}, {"verb", "reload"}, {"list", cues::to_json(desk_.list())}}, "");
  Json answer = answer_to(request, "done");
  answer["changed"] = changes;
  answer["unsaved"] = desk_.list().unsaved.size();
  server_.send(from, answer);
}

void CueService::change_list(ConnectionId from, const Json& request) {
  RequestFields fields = fields_of_operator(request);
  const std::string verb = fields.text("verb");
  if (verb == "load") return load(from, request, fields);
  Json answer = answer_to(request, "done");
  if (verb == "reload") {
    const Json& list = fields.object("list");
    fields.check_all_known();
    answer["dropped"] = desk_.list().unsaved.size();
    desk_.replace(cues::cue_list_from_json(list), control_.scene());
    clients_.log(from, request, "");
    publish();
  } else if (verb == "unsaved") {
    fields.check_all_known();
    answer["type"] = "unsaved";
    answer["changes"] = cues::changes_text(desk_.list().unsaved);
  } else if (verb == "saved") {
    const std::string changes = fields.text("changes");
    fields.check_all_known();
    desk_.note_saved(cues::changes_from_text(changes));
    publish();
    answer["unsaved"] = desk_.list().unsaved.size();
  } else {
    fields.refuse("verb", "reload, load, unsaved or saved", '"' + verb + '"');
  }
  server_.send(from, answer);
}

void CueService::load(ConnectionId from, const Json& request, RequestFields& fields) {
  cues::CueList list = cues::cue_list_from_json(fields.object("list"));
  const std::string cue = fields.text_or("cue", list.cues.front().name);
  fields.check_all_known();
  const std::size_t index = list.index_of(cue);
  clients_.take(from, request, [&]() -> std::optional<CueDesk::CueCommand> {
    CueDesk::CueCommand command = desk_.load(std::move(list), index);
    command.apply = [this, go = std::move(command.apply)](SceneChange& change) {
      go(change);
      publish();
    };
    return command;
  });
}

void CueService::publish() {
  journal_.write_cues(cues::to_json(desk_.list()), now_());
  clients_.tell("show", {{"name", desk_.list().name},
                         {"cues", desk_.list().cues.size()},
                         {"unsaved", desk_.list().unsaved.size()}});
}

}  // namespace tilewall::director
