#include "player/director/client_role.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/detail_step.hpp"

namespace tilewall::director {

using Json = nlohmann::json;

namespace {
constexpr std::int64_t most_listed_cues = 1000;
}  // namespace

ClientRole::ClientRole(const ShowParts& parts, ControlServer& server, Authenticator& authenticator,
                       ShowLifecycle& lifecycle, const PanelReports& reports, Callbacks callbacks)
    : parts_(parts),
      server_(server),
      authenticator_(authenticator),
      lifecycle_(lifecycle),
      callbacks_(std::move(callbacks)),
      changes_(parts.roster,
               [&server](ConnectionId to, const Json& answer) { server.send(to, answer); }),
      service_(
          server, parts.control, parts.journal, parts.cues, parts.options.wall,
          [this] { return lifecycle_.now(); },
          [this](ConnectionId to, std::uint64_t version, Json answer) {
            changes_.add(to, version, std::move(answer), local_now());
          }),
      snapshots_(server, parts.control, parts.options.wall,
                 {callbacks_.tell_panels, [this] { return snapshot_wait(); },
                  [this](const scene::Scene& of) {
                    return best_tick(of, parts_.roster.panels()).value_or(0);
                  }}),
      logs_(server, parts.options.run_dir,
            {[this] { return log_hosts(); }, [this] { return parts_.clock.mapping(); }}),
      status_(parts, lifecycle, reports) {}

void ClientRole::step() {
  changes_.step(local_now());
  snapshots_.step(std::chrono::steady_clock::now());
  logs_.step(std::chrono::steady_clock::now());
  status_.step(local_now());
}

void ClientRole::take(RoleMessage& request) {
  admit(request);
  const std::string& verb = request.type;
  if (verb == "status") return answer_status(request);
  if (verb == "quit" || (verb == "key" && request.json.value("key", Json()) == "quit"))
    return quit(request);
  if (verb == "snapshot") return take_snapshot(request);
  if (verb == "logs") return take_logs(request);
  if (verb == "live") return change_live(request);
  if (verb == "cues") return list_cues(request);
  if (verb == "show") return load_cues(request);
  service_.take(request.from, request.json);
}

void ClientRole::admit(const RoleMessage& request) {
  try {
    authenticator_.admit_client(request.from, request.type, request.json);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
    throw;
  }
}

void ClientRole::answer_status(const RoleMessage& request) {
  const auto wants = [&](const char* part) {
    return !request.json.contains(part) || request.json.at(part) != false;
  };
  Json status = status_.json({wants("per_panel"), wants("lists")});
  status["audio"] = callbacks_.audio();
  status["live"] = callbacks_.live();
  if (parts_.cues.is_presenting()) {
    status["presentation"] = parts_.cues.status(
        parts_.control.scene(), {lifecycle_.now(), std::chrono::system_clock::now()});
    status["presentation"]["armed"] = callbacks_.arming();
  }
  status["change_lead_ms"] = std::chrono::duration<double, std::milli>(lifecycle_.lead()).count();
  if (request.json.contains("id")) status["id"] = request.json.at("id");
  server_.send(request.from, status);
}

void ClientRole::quit(const RoleMessage& request) {
  try {
    check_operator(request.json);
  } catch (const InputError& error) {
    return service_.refuse(request.from, request.json, error.what());
  }
  changes_.finish();
  service_.confirm(request.from, request.json);
  lifecycle_.end();
}

void ClientRole::take_snapshot(const RoleMessage& request) {
  try {
    snapshots_.take(request.from, request.json);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::take_logs(const RoleMessage& request) {
  try {
    logs_.take(request.from, request.json);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::list_cues(const RoleMessage& request) {
  try {
    RequestFields fields(request.json);
    if (!parts_.cues.is_presenting())
      fields.refuse("", "a presentation (tilewall present)", "another show");
    const std::int64_t first = fields.whole_if("first").value_or(0);
    const std::int64_t most = fields.whole_if("most").value_or(most_listed_cues);
    fields.check_all_known();
    if (first < 0) fields.refuse("first", "0 or more", std::to_string(first));
    if (most < 1 || most > most_listed_cues)
      fields.refuse("most", "1 to 1000", std::to_string(most));
    Json answer = parts_.cues.list_json(parts_.control.scene(), static_cast<std::size_t>(first),
                                        static_cast<std::size_t>(most));
    answer["type"] = "cues";
    if (request.json.contains("id")) answer["id"] = request.json.at("id");
    server_.send(request.from, answer);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::load_cues(const RoleMessage& request) {
  try {
    RequestFields fields(request.json);
    if (!parts_.cues.is_presenting())
      fields.refuse("", "a presentation (tilewall present)", "another show");
    const std::string who = fields.text_or("as", std::string(operator_name));
    if (who != operator_name) fields.refuse("as", std::string(operator_name), '"' + who + '"');
    if (const std::string what = fields.text("verb"); what != "reload")
      fields.refuse("verb", "reload", '"' + what + '"');
    const Json& list = fields.object("list");
    fields.check_all_known();
    parts_.cues.replace(cues::cue_list_from_json(list), parts_.control.scene());
    parts_.journal.write_cues(list, lifecycle_.now());
    service_.confirm(request.from, request.json);
    service_.tell("show",
                  {{"name", parts_.cues.list().name}, {"cues", parts_.cues.list().cues.size()}});
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::change_live(const RoleMessage& request) {
  try {
    Json answer = {{"type", "done"}, {"live", callbacks_.change_live(request.json)}};
    if (request.json.contains("id")) answer["id"] = request.json.at("id");
    server_.send(request.from, answer);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

/// One connected panel of each host.
std::vector<LogService::HostPanel> ClientRole::log_hosts() const {
  std::map<std::string, ConnectionId> hosts;
  for (const auto& [connection, panel] : parts_.roster.connected())
    hosts.emplace(parts_.roster.panels()[panel].host, connection);
  std::vector<LogService::HostPanel> panels;
  panels.reserve(hosts.size());
  for (const auto& [host, connection] : hosts) panels.push_back({host, connection});
  return panels;
}

SnapshotWait ClientRole::snapshot_wait() const {
  if (!lifecycle_.is_playing()) return SnapshotWait::start;
  if (!parts_.control.is_settled(lifecycle_.now())) return SnapshotWait::rest;
  return best_tick(parts_.control.scene(), parts_.roster.panels()) ? SnapshotWait::nothing
                                                                   : SnapshotWait::details;
}

}  // namespace tilewall::director
