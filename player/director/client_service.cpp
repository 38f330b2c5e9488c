#include "player/director/client_service.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_subscribers = 64;

constexpr std::size_t max_error_bytes = 1000;

/// The field's value; null where the request has none.
Json field_of(const Json& request, const char* field) {
  const auto found = request.is_object() ? request.find(field) : request.end();
  return request.is_object() && found != request.end() ? *found : Json(nullptr);
}

/// The field "once"; "" where the request has none. Throws InputError.
std::string once_key(const Json& request) {
  const Json key = field_of(request, "once");
  if (key.is_null()) return "";
  if (!key.is_string() || key.get_ref<const std::string&>().empty() ||
      key.get_ref<const std::string&>().size() > longest_once_key)
    throw InputError({"once"}, "", "a text of 1 to 256 bytes", shown_json(key));
  return key.get<std::string>();
}

/// The frame of the named region at the change's instant; the first region's where there is none of
/// that name.
std::int64_t frame_of(const CommandOutcome& outcome, const Json& region) {
  for (const scene::Region& one : outcome.scene->regions)
    if (one.name == region) return one.timeline.frame_at(outcome.at);
  return outcome.scene->regions.front().timeline.frame_at(outcome.at);
}

}  // namespace

void ClientService::take(ConnectionId from, const Json& request) {
  try {
    if (field_of(request, "type") != "subscribe") return ask(from, request);
    if (subscribers_.size() >= max_subscribers)
      throw InputError({"subscribe"}, "", "64 subscribers at most", "more");
    subscribers_.insert(from);
    confirm(from, request);
  } catch (const InputError& error) {
    refuse_command(from, request, error.what());
  }
}

void ClientService::take(ConnectionId from, const Json& request, const MakeCommand& make) {
  try {
    ask(from, request, make);
  } catch (const InputError& error) {
    refuse_command(from, request, error.what());
  }
}

void ClientService::execute(ConnectionId from, const Json& request,
                            const std::function<Json()>& act) {
  Json done = Json::object();
  try {
    if (was_executed(from, request)) return;
    done = act();
  } catch (const InputError& error) {
    return refuse(from, request, error.what());
  }
  done["type"] = "done";
  done["id"] = field_of(request, "id");
  if (const std::string once = once_key(request); !once.empty())
    journal_.write_alone(OnceRequest{once, done}, now_());
  log(from, request, "");
  server_.send(from, done);
}

void ClientService::refuse_command(ConnectionId from, const Json& request,
                                   const std::string& error) {
  if (log_ != nullptr) log_request(*log_, {request, server_.peer(from)}, error, now_());
  tell_command({request, server_.peer(from)}, error);
  send_refusal(from, request, error);
}

void ClientService::tell_command(const LoggedRequest& what, const std::string& error) {
  if (subscribers_.empty()) return;
  send_event("command", {{"request", short_fields(what.request)},
                         {"person", field_of(what.request, "person")},
                         {"from", what.from},
                         {"error", error.empty() ? Json(nullptr) : Json(error)},
                         {"at_ns", now_().since_epoch.count()}});
}

void ClientService::ask(ConnectionId from, const Json& request, const MakeCommand& make) {
  if (was_executed(from, request)) return;
  const Json head = {{"id", field_of(request, "id")}, {"region", field_of(request, "region")}};
  const std::string once = once_key(request);
  auto cue = make ? make() : cues_.command_of(request, control_.scene(), now_());
  ApplyCommand apply = cue ? std::move(cue->apply) : command_of(request, wall_);
  if (!once.empty()) executing_.insert(once);
  const bool is_urgent = field_of(request, "type") == "panic";
  const std::uint64_t load = cue ? cue->load : 0;
  Command command{std::move(apply),
                  [this, from, request = short_fields(request), head, once,
                   load](const CommandOutcome& outcome) {
                    executing_.erase(once);
                    tell_command({request, server_.peer(from)}, outcome.refusal);
                    if (!outcome.refusal.empty()) {
                      if (load > 0) cues_.forget_load(load);
                      return send_refusal(from, head, outcome.refusal);
                    }
                    Json done = {{"type", "done"},
                                 {"id", head.at("id")},
                                 {"version", outcome.version},
                                 {"at_ns", outcome.at.since_epoch.count()},
                                 {"now_ns", now_().since_epoch.count()},
                                 {"frame", frame_of(outcome, head.at("region"))}};
                    if (outcome.scene->cue) done["cue"] = outcome.scene->cue->cue;
                    if (!once.empty()) journal_.write(OnceRequest{once, done}, now_());
                    if (!send_done_) return server_.send(from, done);
                    send_done_(from, outcome.version, std::move(done));
                  },
                  std::nullopt, is_urgent,
                  cue ? std::move(cue->ready) : std::function<bool(GlobalInstant)>()};
  if (log_ != nullptr)
    command = logged(std::move(command), *log_, {request, server_.peer(from)}, now_);
  control_.ask(std::move(command));
}

bool ClientService::was_executed(ConnectionId from, const Json& request) {
  const std::string once = once_key(request);
  if (once.empty()) return false;
  if (executing_.contains(once))
    throw InputError({"once"}, "", "a key that is not being executed", once);
  const Json* const known = journal_.answer_of(once);
  if (known == nullptr) return false;
  Json answer = *known;
  answer["id"] = field_of(request, "id");
  server_.send(from, answer);
  return true;
}

void ClientService::log(ConnectionId from, const Json& request, const std::string& error) {
  if (!changes_without_scene(request)) return;
  if (log_ != nullptr) log_request(*log_, {request, server_.peer(from)}, error, now_());
  tell_command({request, server_.peer(from)}, error);
}

void ClientService::confirm(ConnectionId to, const Json& request) {
  log(to, request, "");
  send_confirmation(to, request);
}

void ClientService::send_confirmation(ConnectionId to, const Json& request) {
  server_.send(to, {{"type", "done"}, {"id", field_of(request, "id")}});
}

void ClientService::refuse(ConnectionId to, const Json& request, const std::string& error) {
  log(to, request, error);
  send_refusal(to, request, error);
}

void ClientService::send_refusal(ConnectionId to, const Json& request, const std::string& error) {
  server_.send(to, {{"type", "refused"},
                    {"id", field_of(request, "id")},
                    {"error", error.substr(0, max_error_bytes)}});
}

void ClientService::tell(const std::string& event, Json details) {
  // The log has the commands, from which the scenes follow.
  if (log_ != nullptr && event != "scene") log_->add(event, details, now_());
  send_event(event, std::move(details));
}

void ClientService::send_event(const std::string& event, Json details) {
  details["type"] = "event";
  details["event"] = event;
  for (const ConnectionId id : subscribers_) server_.send(id, details);
}

}  // namespace tilewall::director
