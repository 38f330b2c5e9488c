#include "player/director/client_role.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/changes/wall_layout.hpp"
#include "player/director/connections/request_fields.hpp"
#include "player/director/restart_order.hpp"
#include "player/director/verbs/detail_step.hpp"

namespace tilewall::director {

using Json = nlohmann::json;

ClientRole::ClientRole(const ShowParts& parts, ControlServer& server, ShowLifecycle& lifecycle,
                       const PanelReports& reports, Callbacks callbacks)
    : parts_(parts),
      server_(server),
      lifecycle_(lifecycle),
      callbacks_(std::move(callbacks)),
      changes_(parts.roster,
               [&server](ConnectionId to, const Json& answer) { server.send(to, answer); }),
      service_(
          server, parts.control, parts.journal, parts.cues, parts.options.wall,
          [this] { return lifecycle_.now(); },
          [this](ConnectionId to, std::uint64_t version, Json answer) {
            changes_.add(to, version, std::move(answer), local_now());
          },
          &parts.log),
      cues_(server, service_, parts.control, parts.journal, parts.cues,
            [this] { return lifecycle_.now(); }),
      snapshots_(server, parts.control, parts.options.wall,
                 {parts.options.snapshot_folder, parts.options.run_dir},
                 {callbacks_.tell_panels, [this] { return snapshot_wait(); },
                  [this](const scene::Scene& of) {
                    return best_tick(of, parts_.roster.panels()).value_or(0);
                  },
                  callbacks_.drop_snapshot}),
      pictures_(server, parts.options.wall, callbacks_.tell_panel),
      logs_(server, parts.options.run_dir,
            {[this] { return log_hosts(); }, [this] { return parts_.clock.mapping(); }}),
      status_(parts, lifecycle, reports) {}

void ClientRole::step() {
  changes_.step(local_now());
  snapshots_.step(std::chrono::steady_clock::now());
  pictures_.step();
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
  if (verb == "watch") return watch(request);
  if (verb == "wall") return answer_wall(request);
  if (verb == "logs") return take_logs(request);
  if (verb == "live") return change_live(request);
  if (verb == "restart") return restart(request);
  if (cues_.take(request.from, request.json)) return;
  service_.take(request.from, request.json);
}

void ClientRole::admit(const RoleMessage& request) {
  try {
    server_.admit_client(request.from);
  } catch (const InputError& error) {
    service_.send_refusal(request.from, request.json, error.what());
    throw;
  }
}

void ClientRole::answer_status(const RoleMessage& request) {
  const auto wants = [&](const char* part) {
    return !request.json.contains(part) || request.json.at(part) != false;
  };
  const bool transfers = request.json.value("transfers", Json()) == true;
  Json status = status_.json({wants("per_panel"), wants("lists"), transfers});
  status["audio"] = callbacks_.audio();
  status["live"] = callbacks_.live();
  if (parts_.cues.is_presenting()) {
    status["presentation"] = parts_.cues.status(
        parts_.control.scene(), {lifecycle_.now(), std::chrono::system_clock::now()});
    status["presentation"]["armed"] = callbacks_.arming();
  }
  status["requests_failed"] = server_.requests_failed() + parts_.control.requests_failed();
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
  service_.log(request.from, request.json, "");
  // The end is in the journal before the client hears of it: the next director ends the show, too.
  lifecycle_.end();
  service_.send_confirmation(request.from, request.json);
}

void ClientRole::answer_wall(const RoleMessage& request) {
  try {
    RequestFields(request.json).check_all_known();
  } catch (const InputError& error) {
    return service_.refuse(request.from, request.json, error.what());
  }
  const scene::Scene& scene = parts_.control.scene();
  const wall::Wall& wall = parts_.options.wall;
  Json answer = wall_layout_json(wall, wall::Canvas(wall, scene.bezels, scene.content));
  if (request.json.contains("id")) answer["id"] = request.json.at("id");
  server_.send(request.from, answer);
}

void ClientRole::take_snapshot(const RoleMessage& request) {
  try {
    snapshots_.take(request.from, request.json);
    service_.log(request.from, request.json, "");
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::watch(const RoleMessage& request) {
  try {
    pictures_.take(request.from, request.json);
    service_.send_confirmation(request.from, request.json);
  } catch (const InputError& error) {
    service_.send_refusal(request.from, request.json, error.what());
  }
}

void ClientRole::take_logs(const RoleMessage& request) {
  try {
    logs_.take(request.from, request.json);
  } catch (const InputError& error) {
    service_.refuse(request.from, request.json, error.what());
  }
}

void ClientRole::change_live(const RoleMessage& request) {
  service_.execute(request.from, request.json, [&] {
    return Json{{"live", callbacks_.change_live(request.json)}};
  });
}

void ClientRole::restart(const RoleMessage& request) {
  service_.execute(request.from, request.json, [&] {
    const RestartOrder order =
        restart_order(request.json, parts_.options.wall, parts_.roster.panels());
    if (lifecycle_.is_ending())
      throw InputError({"restart"}, "", "a show that runs", "one that is ending");
    if (order.role != "launcher")
      callbacks_.tell_panel(order.panel, {{"type", "restart"}, {"role", order.role}});
    else if (!callbacks_.restart_launcher(order.panel))
      throw InputError({"restart"}, "", "a supervisor that takes orders", "one that does not");
    return Json::object();
  });
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
