// How far the panels of a wall are with the scene that may be shown next, and what they are sent
// of it.

#include "player/director/arming.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;
using scene::ArmedReport;
using scene::PreparedScene;
using scene::ReceivedSources;
using scene::Scene;
using scene::SourcePtr;
using test::at_ms;

namespace {
namespace arming_test {

using Json = nlohmann::json;

Scene scene_with(SourcePtr source) {
  return first_scene({movie_region("main", std::move(source))});
}
Scene scene_with(const std::string& path) { return scene_with(movie_source(100, path)); }

/// Two panels that are connected.
struct TwoPanels {
  TwoPanels() {
    arming.join(0, at_ms(0));
    arming.join(1, at_ms(0));
  }
  ArmingState state() const { return arming.status().state; }
  std::uint64_t token() const { return arming.status().token; }

  Arming arming{100};
};

/// A panel as its link to the director keeps sources.
struct ReceivingPanel {
  ReceivingPanel(ControlServer& director, const SocketAddress& address)
      : stream(test::authenticated_client(director, address)) {}

  void take(const Json& json) {
    const auto type = json.at("type").get<std::string>();
    types.push_back(type);
    if (type == "source") sources.take(json);
    if (type == "scene") {
      shown = scene_from_json(json.at("scene"), sources);
      keep();
    }
    if (type == "prepare") {
      next = prepared_from_json(json, sources);
      keep();
    }
    if (type == "disarm") {
      next.reset();
      keep();
    }
  }
  void keep() {
    std::set<SourcePtr> kept;
    if (shown) kept = sources_of(*shown);
    if (next)
      for (const SourcePtr& source : sources_of(next->scene)) kept.insert(source);
    sources.keep_only(kept);
  }

  const std::unique_ptr<SealedStream> stream;
  ReceivedSources sources;
  std::optional<Scene> shown;
  std::optional<PreparedScene> next;
  std::vector<std::string> types;
};

wall::Wall one_panel() {
  wall::Wall wall;
  wall.panels.emplace_back();
  wall.panels.back().size_px = {64, 48};
  wall.panels.back().size_mm = {64, 48};
  return wall;
}

/// A director that publishes scenes to its first connection.
struct Publishing {
  /// What the panel has been sent since the last call.
  std::vector<std::string> received(std::size_t count) {
    panel.types.clear();
    while (panel.types.size() < count) {
      server.poll(std::chrono::milliseconds(1));
      std::vector<Message> messages;
      REQUIRE(panel.stream->read_some(messages) == StreamStatus::open);
      for (const Message& message : messages) panel.take(Json::parse(message.text));
    }
    return panel.types;
  }

  const SourcePtr running = movie_source(100, "/running");
  ShowControl control{scene_with(running), Nanos{100'000'000}};
  const wall::Wall wall = one_panel();
  ShowNotes notes{[](const std::string&) {}};
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  const ConnectionId connection = 1;  // the first one
  ControlServer server{
      std::move(listening),
      {test::control_key()},
      {[](ConnectionId, const Json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {}}};
  ScenePublisher publisher{server, control, wall, {}, notes};
  ReceivingPanel panel{server, address};
};

}  // namespace arming_test
}  // namespace

TEST_CASE("a wall is armed once all its panels have drawn the scene", "[director]") {
  arming_test::TwoPanels wall;
  CHECK(wall.state() == ArmingState::idle);
  CHECK(wall.arming.arm(arming_test::scene_with("/next"), at_ms(10)));
  CHECK(wall.state() == ArmingState::arming);
  CHECK(wall.arming.status().since == at_ms(10));
  wall.arming.take(0, {wall.token(), {}}, at_ms(20));
  CHECK(wall.state() == ArmingState::arming);
  REQUIRE(wall.arming.status().panels.size() == 1);
  CHECK(wall.arming.status().panels[0].panel == 1);
  wall.arming.take(1, {wall.token(), {}}, at_ms(30));
  CHECK(wall.state() == ArmingState::armed);
  CHECK(wall.arming.status().since == at_ms(30));
  CHECK(wall.arming.status().panels.empty());
}

TEST_CASE("a report of another scene does not count", "[director]") {
  arming_test::TwoPanels wall;
  wall.arming.arm(arming_test::scene_with("/next"), at_ms(10));
  const std::uint64_t first = wall.token();
  wall.arming.arm(arming_test::scene_with("/other"), at_ms(20));
  CHECK(wall.token() != first);
  for (const std::size_t panel : {0U, 1U}) wall.arming.take(panel, {first, {}}, at_ms(30));
  CHECK(wall.state() == ArmingState::arming);
}

TEST_CASE("a wall on which something is missing is armed as far as possible", "[director]") {
  arming_test::TwoPanels wall;
  wall.arming.arm(arming_test::scene_with("/next"), at_ms(10));
  wall.arming.take(0, {wall.token(), {}}, at_ms(20));
  wall.arming.take(1, {wall.token(), {"next.tw: no such file"}}, at_ms(20));
  CHECK(wall.state() == ArmingState::amber);
  REQUIRE(wall.arming.status().panels.size() == 1);
  CHECK(wall.arming.status().panels[0].missing ==
        std::vector<std::string>{"next.tw: no such file"});
  wall.arming.take(1, {wall.token(), {}}, at_ms(40));  // its disk came back
  CHECK(wall.state() == ArmingState::armed);
  CHECK(wall.arming.status().since == at_ms(40));
}

TEST_CASE("an equal scene keeps token and state, and another one gets a new token", "[director]") {
  arming_test::TwoPanels wall;
  wall.arming.arm(arming_test::scene_with("/next"), at_ms(10));
  const std::uint64_t token = wall.token();
  for (const std::size_t panel : {0U, 1U}) wall.arming.take(panel, {token, {}}, at_ms(20));
  Scene equal = arming_test::scene_with("/next");  // other objects, and a later version
  equal.version = 17;
  equal.epoch = 5;
  CHECK_FALSE(wall.arming.arm(equal, at_ms(30)));
  CHECK(wall.token() == token);
  CHECK(wall.state() == ArmingState::armed);
  equal.regions[0].opacity = scene::OpacityPath::at_rest(0.5);
  CHECK(wall.arming.arm(equal, at_ms(40)));
  CHECK(wall.token() > token);
  CHECK(wall.state() == ArmingState::arming);
}

TEST_CASE("a scene is equal while its volumes are in the same stages of their own", "[director]") {
  Scene one = first_scene({volume_region("main")});
  one.detail_from = scene::never;
  one.volume_stage = {1, at_ms(5)};
  Scene other = one;
  other.volume_stage = {4, at_ms(700)};
  CHECK_FALSE(are_equal(one, other));
  other.regions[0].first_stage = 3;
  CHECK(are_equal(one, other));
  Scene movies = arming_test::scene_with("/a");
  movies.detail_from = scene::never;
  Scene later = movies;
  later.volume_stage = {4, at_ms(700)};
  CHECK(are_equal(movies, later));
}

TEST_CASE("a panel that comes back answers again, and one that is gone is not waited for",
          "[director]") {
  arming_test::TwoPanels wall;
  wall.arming.arm(arming_test::scene_with("/next"), at_ms(10));
  wall.arming.take(0, {wall.token(), {}}, at_ms(20));
  wall.arming.leave(1, at_ms(30));
  CHECK(wall.state() == ArmingState::armed);
  wall.arming.join(1, at_ms(40));
  CHECK(wall.state() == ArmingState::arming);
  wall.arming.take(1, {wall.token(), {}}, at_ms(50));
  CHECK(wall.state() == ArmingState::armed);
  wall.arming.leave(0, at_ms(60));
  wall.arming.leave(1, at_ms(60));
  CHECK(wall.state() == ArmingState::arming);  // a wall without panels has drawn nothing
  CHECK(wall.arming.disarm(at_ms(70)));
  CHECK_FALSE(wall.arming.disarm(at_ms(70)));
  CHECK(wall.state() == ArmingState::idle);
  CHECK(wall.token() == 0);
}

TEST_CASE("a panel gets each source of the running and the next scene once", "[director]") {
  arming_test::Publishing director;
  using Types = std::vector<std::string>;
  const SourcePtr next = movie_source(100, "/next");
  director.publisher.send({&director.connection, 1}, 0);
  CHECK(director.received(2) == Types{"source", "scene"});
  director.publisher.set_next(PreparedScene{7, arming_test::scene_with(next)});
  director.publisher.send_next({&director.connection, 1});
  CHECK(director.received(2) == Types{"source", "prepare"});
  REQUIRE(director.panel.next);
  CHECK(director.panel.next->token == 7);
  CHECK(director.panel.next->scene.regions[0].source->path == "/next");
  director.publisher.send({&director.connection, 1}, 0);  // the running scene again
  CHECK(director.received(1) == Types{"scene"});
  // The next scene is shown.
  director.control.start(at_ms(0));
  director.control.ask({[&](SceneChange& change) { change.set_source("main", next); }, {}});
  REQUIRE(director.control.step(at_ms(500), Nanos(0)));
  director.publisher.send({&director.connection, 1}, 0);
  CHECK(director.received(1) == Types{"scene"});
  CHECK(director.panel.shown->regions[0].source->path == "/next");
  // What was running may be next, and has to be sent again.
  director.publisher.set_next(PreparedScene{8, arming_test::scene_with(director.running)});
  director.publisher.send_next({&director.connection, 1});
  CHECK(director.received(2) == Types{"source", "prepare"});
  director.publisher.set_next(std::nullopt);
  director.publisher.send_next({&director.connection, 1});
  CHECK(director.received(1) == Types{"disarm"});
  director.publisher.send({&director.connection, 1}, 0);
  CHECK(director.received(1) == Types{"scene"});
}
