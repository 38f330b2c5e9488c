// The verb "watch": the wall's budget for pictures, and clients that read slowly.

#include "player/director/snapshots/picture_service.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/socket.hpp"
#include "player/director/changes/picture_budget.hpp"
#include "sync/base/error.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;

namespace {
namespace picture_service_test {

using Json = nlohmann::json;

PictureMessage picture_of(const std::string& text, std::size_t bytes) {
  return std::make_shared<const Message>(Message{text, std::vector<std::uint8_t>(bytes)});
}

/// Two panels, and clients 1 and 2.
class WatchedWall {
 public:
  WatchedWall() {
    for (std::size_t i = 0; i < 2; ++i) {
      clients_.push_back(test::authenticated_client(server, address_, picture_limits));
    }
  }

  void ask(ConnectionId client, Json request) {
    request["type"] = "watch";
    service.take(client, request);
  }

  void show(std::size_t panel, std::int64_t frame, std::size_t bytes) {
    const scene::SwappedPicture picture{frame, frame, {160, 96}, scene::FrameDamage::none, 5};
    service.forward(panel, scene::to_json(picture), std::vector<std::uint8_t>(bytes, 7));
  }

  /// What the client receives until `count` messages have come.
  std::vector<Message> received(ConnectionId client, std::size_t count) {
    std::vector<Message> messages;
    static_cast<void>(test::eventually([&] {
      server.poll(std::chrono::milliseconds(1));
      service.step();
      REQUIRE(clients_[client - 1]->read_some(messages) == StreamStatus::open);
      return messages.size() >= count;
    }));
    return messages;
  }

 private:
  static constexpr MessageLimits picture_limits = {.blob_bytes = 4u << 20};
  UniqueFd listening_ = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address_ = local_address(listening_.get());
  const wall::Wall wall_ = wall_of("columns = 2\nrows = 1\n[panels]\nsize_px = [2560, 1600]\n");

 public:
  ControlServer server{
      std::move(listening_),
      {test::control_key()},
      {[](ConnectionId, const Json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {}}};
  std::vector<Json> told;  ///< to panels, both in turn
  PictureService service{server, wall_,
                         [this](std::size_t, const Json& message) { told.push_back(message); }};

 private:
  std::vector<std::unique_ptr<SealedStream>> clients_;
};

}  // namespace picture_service_test

using namespace picture_service_test;

}  // namespace

TEST_CASE("pictures are as large as two in a second fit into the panel's share", "[director]") {
  const scene::WatchOrder few = watch_order(2'000'000, 0, 15, {2560, 1600});
  CHECK(few.side_px == scene::most_watched_px);
  CHECK(few.bytes_per_s == 133'333);
  CHECK(few.interval_ms == 990);
  CHECK(few.delay_ms == 0);
  const scene::WatchOrder less = watch_order(300'000, 0, 15, {2560, 1600});
  CHECK(less.side_px == 252);  // 252 x 157 pixels of a quarter of a byte, twice in a second
  CHECK(watch_order(300'000, 0, 15, {1600, 2560}).side_px == 252);
  const scene::WatchOrder many = watch_order(2'000'000, 250, 500, {1920, 1080});
  CHECK(many.side_px >= scene::least_watched_px);
  CHECK(many.bytes_per_s == 4000);
  CHECK(many.delay_ms > 0);
  CHECK(many.delay_ms <= 500);
  CHECK(many.interval_ms == 3000);
  CHECK(watch_order(2'000'000, 0, 2, {160, 96}).interval_ms == 200);
  const scene::WatchOrder least = watch_order(least_picture_budget, 499, 500, {1920, 1080});
  CHECK(least.side_px == scene::least_watched_px);
  CHECK(least.bytes_per_s == 20);
}

TEST_CASE("of each panel only the newest picture waits", "[director]") {
  NewestPictures waiting(100);
  waiting.put(3, picture_of("a", 10));
  waiting.put(5, picture_of("b", 10));
  waiting.put(3, picture_of("c", 10));
  CHECK(waiting.take()->text == "c");
  CHECK(waiting.take()->text == "b");
  CHECK(waiting.empty());
  waiting.put(1, picture_of("d", 60));
  waiting.put(2, picture_of("e", 60));  // more than fits: the oldest goes
  CHECK(waiting.take()->text == "e");
  CHECK(waiting.empty());
}

TEST_CASE("panels make pictures while somebody watches, for the greatest budget", "[director]") {
  WatchedWall wall;
  wall.service.greet(0);
  CHECK(wall.told.empty());
  wall.ask(1, {{"pictures", true}, {"bytes_per_s", 100'000}});
  REQUIRE(wall.told.size() == 2);
  CHECK(scene::watch_order_from_json(wall.told[0]).bytes_per_s == 50'000);
  wall.ask(2, {{"pictures", true}, {"bytes_per_s", 400'000}});
  REQUIRE(wall.told.size() == 4);
  CHECK(scene::watch_order_from_json(wall.told[3]).bytes_per_s == 200'000);
  wall.service.greet(1);
  CHECK(wall.told[4] == wall.told[3]);
  wall.service.forget(2);
  REQUIRE(wall.told.size() == 7);
  CHECK(scene::watch_order_from_json(wall.told[6]).bytes_per_s == 50'000);
  wall.ask(1, {{"pictures", false}});
  REQUIRE(wall.told.size() == 9);
  CHECK_FALSE(scene::watch_order_from_json(wall.told[8]).pictures);
  wall.ask(1, {{"pictures", false}});
  CHECK(wall.told.size() == 9);
  const auto told = [&] { return scene::watch_order_from_json(wall.told.back()).bytes_per_s; };
  wall.ask(3, {{"pictures", true}, {"bytes_per_s", 400'000}});
  wall.ask(4, {{"pictures", true}, {"bytes_per_s", 100'000}});
  CHECK(told() == 200'000);
  wall.ask(3, {{"pictures", true}, {"bytes_per_s", 60'000}});  // it asks for less now
  CHECK(told() == 50'000);
}

TEST_CASE("a picture goes to all who watch, with its panel's name", "[director]") {
  WatchedWall wall;
  wall.show(0, 1, 10);  // nobody watches
  wall.ask(1, {{"pictures", true}});
  wall.ask(2, {{"pictures", true}});
  wall.show(1, 8, 1000);
  for (const ConnectionId client : {ConnectionId{1}, ConnectionId{2}}) {
    const auto messages = wall.received(client, 1);
    REQUIRE(messages.size() == 1);
    const Json json = Json::parse(messages[0].text);
    CHECK(json == Json{{"type", "picture"},
                       {"panel", "c1r0"},
                       {"tick", 8},
                       {"frame", 8},
                       {"size_px", {160, 96}},
                       {"damage", "none"},
                       {"stamp_ns", 5}});
    CHECK(messages[0].blob == std::vector<std::uint8_t>(1000, 7));
  }
}

TEST_CASE("a watcher that does not read loses pictures, no answers, and no memory", "[director]") {
  WatchedWall wall;
  wall.ask(1, {{"pictures", true}});
  wall.ask(2, {{"pictures", true}});
  constexpr std::size_t bytes = 200'000;
  constexpr std::int64_t frames = 200;
  std::size_t read_by_other = 0;
  for (std::int64_t frame = 1; frame <= frames; ++frame) {
    wall.show(0, frame, bytes);
    wall.show(1, frame, bytes);
    read_by_other += wall.received(2, 2).size();
    CHECK(wall.server.unread_bytes(1) < std::size_t{1} << 20);
  }
  CHECK(read_by_other == 2 * frames);
  wall.server.send(1, {{"type", "done"}});
  // What the sockets hold comes first, then the answer and the newest picture of each panel.
  std::vector<Message> messages;
  const auto has_newest = [&] {
    std::size_t newest = 0;
    for (const Message& message : messages)
      if (Json::parse(message.text).value("frame", 0) == frames) ++newest;
    return newest == 2;
  };
  CHECK(test::eventually([&] {
    for (Message& message : wall.received(1, 1)) messages.push_back(std::move(message));
    return has_newest();
  }));
  CHECK(messages.size() < std::size_t{2} * frames);
  std::size_t answers = 0;
  for (const Message& message : messages)
    if (Json::parse(message.text).at("type") == "done") ++answers;
  CHECK(answers == 1);
}

TEST_CASE("malformed requests to watch and malformed pictures are refused", "[director]") {
  WatchedWall wall;
  const auto refusal = [&](const Json& request) {
    try {
      wall.ask(1, request);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal(Json::object()), Catch::Contains("watch: pictures"));
  CHECK_THAT(refusal({{"pictures", 1}}), Catch::Contains("watch: pictures"));
  CHECK_THAT(refusal({{"pictures", true}, {"bytes_per_s", 9999}}),
             Catch::Contains("bytes_per_s: expected a whole number from 10000 to 100000000, found "
                             "9999"));
  CHECK_THAT(refusal({{"pictures", true}, {"bytes_per_s", 100'000'001}}),
             Catch::Contains("bytes_per_s"));
  CHECK_THAT(refusal({{"pictures", true}, {"bytes_per_s", "much"}}),
             Catch::Contains("bytes_per_s"));
  CHECK_THAT(refusal({{"pictures", true}, {"size", 3}}), Catch::Contains("size"));
  CHECK(wall.told.empty());

  const Json right = scene::to_json(scene::SwappedPicture{1, 1, {160, 96}});
  const auto forward = [&](const char* field, const Json& value, std::size_t bytes = 10) {
    Json json = right;
    json[field] = value;
    wall.service.forward(0, json, std::vector<std::uint8_t>(bytes));
  };
  CHECK_NOTHROW(forward("tick", 1));
  CHECK_THROWS_AS(forward("tick", "1"), InputError);
  CHECK_THROWS_AS(forward("size_px", {160, 96, 1}), InputError);
  CHECK_THROWS_AS(forward("size_px", {0, 96}), InputError);
  CHECK_THROWS_AS(forward("size_px", {160, 513}), InputError);
  CHECK_THROWS_AS(forward("damage", "some"), InputError);
  CHECK_THROWS_AS(forward("tick", 1, 0), InputError);
  CHECK_THROWS_AS(forward("tick", 1, scene::most_picture_bytes + 1), InputError);
}
