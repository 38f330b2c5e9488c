// Which part of the director answers a client's request.

#include "player/director/client_role.hpp"

#include <catch2/catch.hpp>

#include "tests/support/control_peers.hpp"
#include "tests/unit/player/director/lifecycle_show.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {
namespace client_role_test {

using Json = nlohmann::json;

/// A show of two panels that has not started, and one client.
struct Asked : test::LifecycleShow {
  Asked() : LifecycleShow(true, false) {}

  /// The answer to the request, whose "id" is 7.
  [[nodiscard]] Json answer(Json request) {
    request["id"] = 7;
    client->queue({request.dump(), {}});
    REQUIRE(client->write_some() == net::StreamStatus::open);
    std::vector<net::Message> received;
    REQUIRE(test::eventually([&] {
      server.poll(std::chrono::milliseconds(1));
      role.step();
      return client->read_some(received) != net::StreamStatus::open || !received.empty();
    }));
    REQUIRE(received.size() == 1);
    Json json = Json::parse(received.front().text);
    CHECK(json.at("id") == 7);
    return json;
  }

  UniqueFd listening = net::listen_tcp(net::resolve("127.0.0.1:0", "test"));
  const net::SocketAddress address = net::local_address(listening.get());
  ControlServer server{
      std::move(listening),
      {test::control_key()},
      {[this](ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
         RoleMessage message{from, json.value("type", ""), json, std::move(blob)};
         role.take(message);
       },
       [this](ConnectionId id) { role.lose(id); }}};
  PanelReports reports{parts, lifecycle, [](const char*, const Json&) {}};
  std::vector<std::pair<std::size_t, Json>> told_panels;
  bool takes_orders = true;
  ClientRole role{
      parts,
      server,
      lifecycle,
      reports,
      {[] { return Json("the sound"); }, [](const Json&) {}, [](std::uint64_t) {},
       [this](std::size_t panel, const Json& message) { told_panels.emplace_back(panel, message); },
       [] { return Json("the live sources"); },
       [](const Json& request) { return request.at("source"); }, [] { return Json("arming"); },
       [this](std::size_t) { return takes_orders; }}};
  std::unique_ptr<net::SealedStream> client = test::authenticated_client(server, address);
};

}  // namespace client_role_test
}  // namespace

using client_role_test::Asked;

TEST_CASE("a status has what other parts of the director know", "[director]") {
  Asked show;
  const auto status = show.answer({{"type", "status"}});
  CHECK(status.at("phase") == "gathering");
  CHECK(status.at("audio") == "the sound");
  CHECK(status.at("live") == "the live sources");
  CHECK_FALSE(status.contains("presentation"));
  CHECK(status.at("requests_failed") == 0);
  CHECK(show.answer({{"type", "no such verb"}}).at("type") == "refused");
}

TEST_CASE("a request about pictures, the wall, logs or a live source is answered by its part",
          "[director]") {
  Asked show;
  CHECK(show.answer({{"type", "watch"}, {"pictures", 1}}).at("type") == "refused");
  CHECK(show.told_panels.empty());
  CHECK(show.answer({{"type", "watch"}, {"pictures", true}}) ==
        nlohmann::json{{"type", "done"}, {"id", 7}});
  CHECK(show.told_panels.size() == 2);
  CHECK(show.answer({{"type", "wall"}}).at("panels").size() == 2);
  CHECK(show.answer({{"type", "wall"}, {"walls", 1}}).at("type") == "refused");
  CHECK(show.answer({{"type", "live"}, {"source", "gs"}}).at("live") == "gs");
}

TEST_CASE("only a process of a panel that there is is started anew", "[director]") {
  Asked show;
  show.join(1);
  const auto restart = [&](const nlohmann::json& what) {
    nlohmann::json request = what;
    request["type"] = "restart";
    return show.answer(request).at("type");
  };
  CHECK(restart({{"role", "panel"}, {"panel", "right"}}) == "done");
  REQUIRE(show.told_panels.size() == 1);
  CHECK(show.told_panels[0].first == 1);
  CHECK(show.told_panels[0].second == nlohmann::json{{"type", "restart"}, {"role", "panel"}});
  CHECK(restart({{"role", "panel"}, {"panel", "left"}}) == "refused");
  CHECK(restart({{"role", "launcher"}}) == "done");
  show.takes_orders = false;
  CHECK(restart({{"role", "launcher"}}) == "refused");
  CHECK(show.told_panels.size() == 1);
}

TEST_CASE("a client ends the show by its verb or by its key", "[director]") {
  const bool by_key = GENERATE(false, true);
  CAPTURE(by_key);
  Asked show;
  CHECK(show.answer({{"type", "key"}, {"key", "no such key"}}).at("type") == "refused");
  CHECK_FALSE(show.lifecycle.is_ending());
  const auto done = show.answer(by_key ? nlohmann::json{{"type", "key"}, {"key", "quit"}}
                                       : nlohmann::json{{"type", "quit"}});
  CHECK(done.at("type") == "done");
  CHECK(show.lifecycle.is_ending());
  CHECK(show.answer({{"type", "restart"}, {"panel", "right"}, {"role", "panel"}}).at("type") ==
        "refused");
}
