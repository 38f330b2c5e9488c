#include "player/director/panel_role.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/show_options.hpp"
#include "player/scene/operator_messages.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

// A panel that is lost after a longer silence was hung. Its keeper kills it after 5 s.
constexpr std::chrono::seconds hang_limit{4};

constexpr std::int64_t pixel_bytes = 4;
constexpr std::int64_t least_blob_limit = std::int64_t{1} << 20;

}  // namespace

std::uint32_t longest_panel_blob(const wall::Panel& panel) {
  const std::int64_t picture = pixel_bytes * panel.size_px.width * panel.size_px.height;
  return static_cast<std::uint32_t>(std::max(picture, least_blob_limit));
}

PanelRole::PanelRole(const ShowParts& parts, const Port& port, ShowLifecycle& lifecycle,
                     PanelReports& reports, ClientRole& clients,
                     PanelReports::TellClients tell_clients, std::string local_presenter)
    : parts_(parts),
      port_(port),
      lifecycle_(lifecycle),
      reports_(reports),
      clients_(clients),
      tell_clients_(std::move(tell_clients)),
      local_presenter_(std::move(local_presenter)),
      snapshots_(parts.options.wall, parts.options.snapshots, clients.snapshots(),
                 [this](std::size_t panel, const Json& message) { tell(panel, message); }) {}

void PanelRole::welcome(const RoleMessage& message) {
  const scene::PanelHello hello = scene::hello_from_json(message.json);
  lose_older_process(hello);
  const std::size_t panel = parts_.roster.join(message.from, hello);
  port_.server.join(message.from, longest_panel_blob(parts_.options.wall.panels[panel]));
  parts_.ledger.join(panel);
  const std::int64_t join_tick =
      lifecycle_.join(panel, port_.server.round_trip(message.from), hello.standing);
  if (hello.standing && hello.standing->primed)
    reports_.take_primed(panel, hello.standing->pace, hello.standing->cpus);
  port_.server.send(message.from,
                    scene::to_json(panel_config(parts_.options, panel, local_presenter_)));
  send_scene(panel, join_tick);
  port_.live.greet(message.from, panel);
  port_.arming.greet(message.from, panel);
  clients_.pictures().greet(panel);
  if (lifecycle_.is_ending()) port_.server.send(message.from, {{"type", "quit"}});
}

bool PanelRole::takes(const RoleMessage& message) const {
  return parts_.roster.panel_of(message.from).has_value();
}

void PanelRole::take(RoleMessage& message) {
  struct Handler {
    std::string_view type;
    void (PanelRole::*take)(std::size_t panel, RoleMessage& message);
  };
  static constexpr Handler handlers[] = {
      {"primed", &PanelRole::take_primed},     {"shown", &PanelRole::take_shown},
      {"drawn", &PanelRole::take_drawn},       {"ready", &PanelRole::take_ready},
      {"key", &PanelRole::take_key},           {"pointer", &PanelRole::take_pointer},
      {"snapshot", &PanelRole::take_snapshot}, {"failed", &PanelRole::take_failure},
      {"problem", &PanelRole::take_problem},   {"swapped", &PanelRole::take_swapped},
      {"logs", &PanelRole::take_logs},         {"crash", &PanelRole::take_crash},
      {"live_drawn", &PanelRole::take_live},   {"armed", &PanelRole::take_armed},
      {"picture", &PanelRole::take_picture},   {"snapshot_band", &PanelRole::take_snapshot_band},
  };
  const std::size_t panel = *parts_.roster.panel_of(message.from);
  const auto handler = std::ranges::find(handlers, std::string_view(message.type), &Handler::type);
  try {
    if (handler == std::end(handlers))
      throw InputError({"message"}, "type", "a known type", message.type);
    (this->*handler->take)(panel, message);
  } catch (const InputError& error) {
    // This ends the connection, so people must be told why the panel is gone.
    parts_.notes.note_problem(parts_.roster.name_of(panel),
                              fmt::format("the director refused a {}", error.what()));
    throw;
  }
}

void PanelRole::lose(ConnectionId id) {
  const auto panel = parts_.roster.leave(id);
  if (!panel) return;
  lifecycle_.leave(*panel);
  parts_.ledger.leave(*panel);
  reports_.leave(*panel);
  clients_.changes().leave(*panel);
  port_.arming.leave(*panel);
  snapshots_.leave(*panel);
  if (!lifecycle_.is_playing()) return;
  sync::trace_instant("panel lost");
  tell_clients_("panel_lost", {{"panel", parts_.roster.name_of(*panel)}});
  parts_.roster.note_death(*panel, parts_.roster.silence_of(*panel) > hang_limit);
}

/// A panel that was started again on a host whose link was cut has a connection that seems open.
void PanelRole::lose_older_process(const scene::PanelHello& hello) {
  const auto& panels = parts_.roster.panels();
  if (hello.panel < 0 || static_cast<std::size_t>(hello.panel) >= panels.size()) return;
  const PanelState& panel = panels[static_cast<std::size_t>(hello.panel)];
  if (panel.connection && panel.pid != hello.pid) lose(ConnectionId(*panel.connection));
}

void PanelRole::send_scene() { port_.publisher.send(parts_.roster.connections(), 0); }

void PanelRole::send_scene(std::size_t panel, std::int64_t join_tick) {
  if (const auto& connection = parts_.roster.panels()[panel].connection)
    port_.publisher.send({&*connection, 1}, join_tick);
}

void PanelRole::tell(const Json& message) {
  port_.server.send(parts_.roster.connections(), message);
}

void PanelRole::tell(std::size_t panel, const Json& message) {
  if (const auto& connection = parts_.roster.panels()[panel].connection)
    port_.server.send(*connection, message);
}

void PanelRole::finish_snapshots(bool incomplete_too, const std::function<void()>& turn) {
  const SnapshotsWritten written = snapshots_.of_command_line().finish(incomplete_too, turn);
  for (const std::string& line : written.notes) parts_.notes.note(line);
  for (const std::string& line : written.errors) parts_.notes.fail(line);
}

void PanelRole::take_primed(std::size_t panel, RoleMessage& message) {
  reports_.take_primed(panel, scene::draw_pace_from_json(json_field<Json>(message.json, "pace")),
                       json_field<int>(message.json, "cpus"));
}

void PanelRole::take_shown(std::size_t panel, RoleMessage& message) {
  const auto& connection = parts_.roster.panels()[panel].connection;
  const scene::ShownBatch batch = scene::batch_from_json(message.json);
  port_.live.note_shown(panel, batch);
  reports_.take(
      panel, batch,
      connection ? std::optional<Nanos>(port_.server.round_trip(*connection)) : std::nullopt);
}

void PanelRole::take_drawn(std::size_t panel, RoleMessage& message) {
  lifecycle_.take_drawn(panel, scene::change_drawn_from_json(message.json));
}

void PanelRole::take_swapped(std::size_t panel, RoleMessage& message) {
  clients_.changes().note_shown(panel, json_field<std::uint64_t>(message.json, "version"));
}

void PanelRole::take_armed(std::size_t panel, RoleMessage& message) {
  port_.arming.take(panel, message.json);
}

void PanelRole::take_live(std::size_t panel, RoleMessage& message) {
  port_.live.take_drawn(panel, message.json);
}

void PanelRole::take_ready(std::size_t panel, RoleMessage& message) {
  if (lifecycle_.take_ready(panel, json_field<std::uint64_t>(message.json, "schedule"),
                            json_field<std::int64_t>(message.json, "tick")))
    reports_.add_wait(panel);
}

void PanelRole::take_key(std::size_t panel, RoleMessage& message) {
  const std::optional<present::OperatorKey> key = scene::key_from_json(message.json);
  if (key == present::OperatorKey::quit) {
    log_request(parts_.log, logged_request(panel, message.json), "", lifecycle_.now());
    return lifecycle_.end();
  }
  if (!key || !lifecycle_.is_playing()) return;
  auto cue = parts_.cues.command_of_key(*key, parts_.control.scene(), lifecycle_.now());
  Command command =
      cue ? Command{std::move(cue->apply), {}, std::nullopt, false, std::move(cue->ready)}
          : Command{command_of_key(*key), {}};
  command.answer = [this,
                    what = logged_request(panel, message.json)](const CommandOutcome& outcome) {
    clients_.tell_command(what, outcome.refusal);
  };
  ask(panel, message.json, std::move(command));
}

LoggedRequest PanelRole::logged_request(std::size_t panel, const Json& input) const {
  return {input, fmt::format("{} {}", json_field<std::string>(input, "type"),
                             parts_.roster.name_of(panel))};
}

void PanelRole::ask(std::size_t panel, const Json& input, Command command) {
  parts_.control.ask(logged(std::move(command), parts_.log, logged_request(panel, input),
                            [this] { return lifecycle_.now(); }));
}

void PanelRole::take_pointer(std::size_t panel, RoleMessage& message) {
  const scene::CanvasPointer pointer = scene::pointer_from_json(message.json);
  if (lifecycle_.is_playing())
    ask(panel, message.json, {hand_.command_of(pointer, parts_.control.scene()), {}});
}

void PanelRole::take_snapshot(std::size_t panel, RoleMessage& message) {
  snapshots_.take_snapshot(panel, message.json);
}

void PanelRole::take_snapshot_band(std::size_t panel, RoleMessage& message) {
  snapshots_.take_band(panel, message.json, message.blob);
}

void PanelRole::take_picture(std::size_t panel, RoleMessage& message) {
  clients_.pictures().forward(panel, message.json, std::move(message.blob));
}

void PanelRole::take_crash(std::size_t /*panel*/, RoleMessage& message) {
  clients_.logs().keep_crash(trace::crash_from(message.json, std::move(message.blob)));
}

void PanelRole::take_logs(std::size_t panel, RoleMessage& message) {
  if (const auto& connection = parts_.roster.panels()[panel].connection)
    clients_.logs().add(*connection, message.json);
}

void PanelRole::take_failure(std::size_t panel, RoleMessage& message) {
  const std::string& name = parts_.roster.name_of(panel);
  const auto line = json_field<std::string>(message.json, "line");
  const bool bad_input = json_field<bool>(message.json, "bad_input");
  parts_.roster.set_failed(panel);
  if (lifecycle_.is_gathering() && parts_.roster.all_failed()) {
    parts_.notes.fail(fmt::format("panel {}: {}", name, line),
                      bad_input ? exit_bad_input : exit_failed);
    return lifecycle_.end();
  }
  // With bad input a panel plays on, black, until the source can be opened: a host may lack a file
  // that others have. Otherwise its process ends, and its keeper starts another one.
  if (bad_input || lifecycle_.is_playing()) parts_.notes.note_problem(name, line);
}

void PanelRole::take_problem(std::size_t panel, RoleMessage& message) {
  parts_.notes.note_problem(parts_.roster.name_of(panel),
                            json_field<std::string>(message.json, "line"));
}

}  // namespace tilewall::director
