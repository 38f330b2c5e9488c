// A show of two panels with its control port, whose panels and clients are connections of a test.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "player/director/panel_role.hpp"
#include "player/director/show_options.hpp"
#include "tests/support/clock_thread.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/kept_journal.hpp"
#include "tests/support/scene_maker.hpp"

namespace tilewall::test {

inline director::ShowOptions options_of_two_panels() {
  director::ShowOptions options;
  for (const char* name : {"left", "right"}) {
    options.wall.panels.emplace_back();
    options.wall.panels.back().name = name;
    options.wall.panels.back().size_px = {640, 360};
    options.wall.panels.back().size_mm = {640, 360};
  }
  options.wall.panels[1].position_mm = {640, 0};
  options.scene = first_scene({movie_region("main", movie_source(100'000))});
  options.command_start = local_now();
  return options;
}

/// Connections 1 to 4 belong to the test. A panel is what has sent a hello.
class RoleShow {
 public:
  using Json = nlohmann::json;
  using ConnectionId = director::ConnectionId;

  explicit RoleShow(director::ShowOptions of = options_of_two_panels()) : options(std::move(of)) {
    for (int i = 0; i < 4; ++i) peers_.push_back(authenticated_client(server, address_, limits));
  }

  /// Sends a message and waits until it is handled.
  void send(ConnectionId from, const Json& json, std::vector<std::uint8_t> blob = {}) {
    const std::size_t before = taken_;
    peers_[from - 1]->queue({json.dump(), std::move(blob)});
    REQUIRE(peers_[from - 1]->write_some() == net::StreamStatus::open);
    REQUIRE(eventually([&] {
      server.poll(std::chrono::milliseconds(1));
      return taken_ > before;
    }));
  }
  /// The next message that the connection receives.
  Json received(ConnectionId to) {
    std::vector<net::Message>& messages = received_[to - 1];
    REQUIRE(eventually([&] {
      server.poll(std::chrono::milliseconds(1));
      if (!messages.empty()) return true;
      static_cast<void>(peers_[to - 1]->read_some(messages));
      return !messages.empty();
    }));
    Json json = Json::parse(messages.front().text);
    messages.erase(messages.begin());
    return json;
  }
  /// The next message of that type.
  Json received(ConnectionId to, const std::string& type) {
    Json json = received(to);
    while (json.at("type") != type) json = received(to);
    return json;
  }
  /// The answer to a request.
  Json ask(ConnectionId from, const Json& request) {
    send(from, request);
    return received(from);
  }

  void join(ConnectionId from, int panel, int pid = 100) {
    send(from, scene::to_json(scene::PanelHello{panel, pid, "here"}));
  }
  /// Both panels come, as connections 1 and 2, and the show begins.
  void start() {
    for (const int panel : {0, 1}) {
      join(ConnectionId(panel + 1), panel);
      roster.set_primed(static_cast<std::size_t>(panel));
    }
    REQUIRE(eventually([&] {
      lifecycle.step();
      return lifecycle.is_playing();
    }));
  }

 private:
  static constexpr net::MessageLimits limits = {.blob_bytes = 4u << 20};
  UniqueFd listening_ = net::listen_tcp(net::resolve("127.0.0.1:0", "test"));
  const net::SocketAddress address_ = net::local_address(listening_.get());
  const ClockThread daemon_;
  std::size_t taken_ = 0;
  std::vector<std::unique_ptr<net::SealedStream>> peers_;
  std::vector<net::Message> received_[4];
  KeptJournal kept_;

  [[nodiscard]] director::PanelReports::TellClients tell_clients() {
    return [this](const char* name, const Json& event) { clients.tell(name, event); };
  }
  [[nodiscard]] director::ClientRole::Callbacks callbacks() {
    return {[] {
              return Json{{"device", "a loudspeaker"}};
            },
            [this](const Json& message) { panels.tell(message); },
            [](std::uint64_t) {},
            [this](std::size_t panel, const Json& message) { panels.tell(panel, message); },
            [this] { return live.status(); },
            [this](const Json& request) { return live.change(request); },
            [] {
              return Json{{"state", "idle"}};
            },
            [this](std::size_t panel) {
              launcher_orders.push_back(panel);
              return takes_orders;
            }};
  }

 public:
  director::ShowOptions options;
  net::ClockClient clock{daemon_.address()};
  director::ShowControl control{options.scene, Nanos(0)};
  director::ShowLedger ledger{options.wall.panels.size(), false};
  director::Roster roster{options.wall, options.command_start};
  director::ShowNotes notes{[](const std::string&) {}};
  director::ShowJournal journal{kept_.memory.get(), kept_.file};
  director::CueDesk cues{options.wall, options.cues};
  director::ShowLog log{-1, {}};
  const director::ShowParts parts{options, clock, control, cues, ledger,
                                  roster,  notes, journal, log};
  std::vector<std::size_t> launcher_orders;
  bool takes_orders = true;
  std::vector<std::string> refusals;  ///< what ended connections
  director::ControlServer server{
      std::move(listening_),
      {control_key(), {}, limits},
      {[this](ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
         ++taken_;
         director::ConnectionRole* const roles[] = {&panels, &live, &clients};
         try {
           director::route(roles, from, json, std::move(blob));
         } catch (const InputError& error) {
           refusals.emplace_back(error.what());
           throw;
         }
       },
       [this](ConnectionId id) {
         for (director::ConnectionRole* role :
              std::initializer_list<director::ConnectionRole*>{&panels, &live, &clients})
           role->lose(id);
       }}};
  director::ScenePublisher publisher{server, control, options.wall, options.volumes, notes};
  director::ShowLifecycle lifecycle{
      parts,
      {[this] { reports.prepare_start(); }, [this] { panels.send_scene(); },
       [this](const Json& message) { panels.tell(message); }, tell_clients()}};
  director::PanelReports reports{parts, lifecycle, tell_clients()};
  director::ClientRole clients{parts, server, lifecycle, reports, callbacks()};
  director::LiveRole live{parts, server, lifecycle,
                          [this](const Json& message) { panels.tell(message); }};
  director::ArmingDesk arming{roster, publisher, [this] { return lifecycle.now(); }};
  director::PanelRole panels{
      parts, {server, publisher, live, arming}, lifecycle, reports, clients, tell_clients(), "cpu"};
};

}  // namespace tilewall::test
