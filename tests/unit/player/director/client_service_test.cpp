// What clients at the control port are answered.

#include "player/director/client_service.hpp"

#include <poll.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;
using namespace tilewall::wall;
using test::at_ms;
using test::start;

namespace {
namespace client_service_test {

using Json = nlohmann::json;

/// Two regions that play from `start` at 10 fps, and clients that ask for changes of them.
class Show {
 public:
  Show() {
    control.start(start);
    for (std::size_t i = 0; i < 2; ++i) {
      clients_.push_back(test::authenticated_client(server_, address_));
    }
  }

  void send(std::size_t client, const Json& request) {
    const std::size_t before = taken_;
    clients_[client]->queue({request.dump(), {}});
    REQUIRE(clients_[client]->write_some() == StreamStatus::open);
    while (taken_ == before) server_.poll(std::chrono::milliseconds(10));
  }

  /// The next message that the client receives.
  Json answer(std::size_t client) {
    while (received_[client].empty()) {
      server_.poll(std::chrono::milliseconds(1));
      REQUIRE(clients_[client]->read_some(received_[client]) == StreamStatus::open);
    }
    const Json json = Json::parse(received_[client].front().text);
    received_[client].erase(received_[client].begin());
    return json;
  }

  ShowControl control{first_scene({movie_region("main", movie_source(100)),
                                   movie_region("side", movie_source(50))}),
                      Nanos{100'000'000}};

 private:
  UniqueFd listening_ = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address_ = local_address(listening_.get());
  std::size_t taken_ = 0;
  ControlServer server_{
      std::move(listening_),
      {test::control_key()},
      {[this](ConnectionId from, const Json& request, std::vector<std::uint8_t>&&) {
         service.take(from, request);
         ++taken_;
       },
       [this](ConnectionId id) { service.forget(id); }}};
  const Wall wall_;
  std::vector<std::unique_ptr<SealedStream>> clients_;
  std::vector<Message> received_[2];

 public:
  UniqueFd journal_memory{JournalMemory::make()};
  test::TemporaryFolder folder;
  ShowJournal journal{journal_memory.get(), folder / "journal.jsonl"};
  CueDesk cues{wall_, {}};
  ClientService service{server_, control, journal, cues, wall_, [] { return at_ms(450); }};
};

}  // namespace client_service_test
}  // namespace

TEST_CASE("a client is answered with the frame of the region that it names", "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  show.send(0, {{"type", "seek"}, {"region", "side"}, {"frame", 40}, {"id", "a"}});
  REQUIRE(show.control.step(at_ms(500), Nanos(0)));
  const Json moved = show.answer(0);
  CHECK(moved.at("type") == "done");
  CHECK(moved.at("id") == "a");
  CHECK(moved.at("version") == 3);
  CHECK(moved.at("frame") == 40);
  CHECK(moved.at("now_ns") == at_ms(450).since_epoch.count());
  // The lead is 100 ms; a tick's instant is rounded up to the next nanosecond.
  CHECK(moved.at("at_ns") >= at_ms(600).since_epoch.count());
  CHECK(moved.at("at_ns") <= at_ms(600).since_epoch.count() + 1);
  show.send(0, {{"type", "pause"}, {"region", "main"}, {"id", 2}});
  REQUIRE(show.control.step(at_ms(800), Nanos(0)));
  const Json paused = show.answer(0);
  CHECK(paused.at("id") == 2);
  CHECK(paused.at("version") == 4);
  CHECK(paused.at("frame") == 9);  // it began at 0, and 0.9 s have passed
}

TEST_CASE("a client is told why it is refused, in at most 1000 bytes", "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  show.send(1, {{"type", "seek"}, {"region", "nowhere"}, {"frame", 4}, {"id", {1, 2}}});
  CHECK_FALSE(show.control.step(at_ms(500), Nanos(0)));
  const Json refused = show.answer(1);
  CHECK(refused.at("type") == "refused");
  CHECK(refused.at("id") == Json{1, 2});
  CHECK_THAT(refused.at("error").get<std::string>(), Catch::Contains("nowhere"));
  show.send(1, {{"type", std::string(3000, 'x')}});
  const Json unknown = show.answer(1);
  CHECK(unknown.at("type") == "refused");
  CHECK(unknown.at("id").is_null());
  CHECK(unknown.at("error").get<std::string>().size() <= 1000);
}

TEST_CASE("events go to those who subscribed and to nobody else", "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  show.send(1, {{"type", "subscribe"}, {"id", 5}});
  CHECK(show.answer(1) == Json{{"type", "done"}, {"id", 5}});
  show.service.tell("scene", {{"version", 7}});
  CHECK(show.answer(1) == Json{{"type", "event"}, {"event", "scene"}, {"version", 7}});
  // The other client's next message is the answer to its own request.
  show.send(0, {{"type", "subscribe"}, {"id", 6}});
  CHECK(show.answer(0) == Json{{"type", "done"}, {"id", 6}});
}

TEST_CASE("a request with a key is executed once, and answered each time", "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  const auto request = [](int id) {
    return Json{{"type", "seek"}, {"region", "side"}, {"frame", 40}, {"once", "k"}, {"id", id}};
  };
  show.send(0, request(1));
  show.send(1, request(2));  // the first one waits for its scene
  const Json early = show.answer(1);
  CHECK(early.at("type") == "refused");
  CHECK(early.at("id") == 2);
  REQUIRE(show.control.step(at_ms(500), Nanos(0)));
  const Json done = show.answer(0);
  CHECK(done.at("type") == "done");
  show.send(1, request(3));
  Json again = show.answer(1);
  CHECK(again.at("id") == 3);
  again["id"] = done.at("id");
  CHECK(again == done);
  CHECK_FALSE(show.control.step(at_ms(900), Nanos(0)));  // nothing waits
}

TEST_CASE("a key that was refused may be used again, a key of another type is refused",
          "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  show.send(0, {{"type", "seek"}, {"region", "nowhere"}, {"frame", 4}, {"once", "k"}, {"id", 1}});
  show.control.step(at_ms(500), Nanos(0));
  CHECK(show.answer(0).at("type") == "refused");
  show.send(0, {{"type", "seek"}, {"region", "main"}, {"frame", 4}, {"once", "k"}, {"id", 2}});
  REQUIRE(show.control.step(at_ms(600), Nanos(0)));
  CHECK(show.answer(0).at("type") == "done");
  for (const Json& key : {Json(7), Json(""), Json(std::string(257, 'k'))}) {
    show.send(0, {{"type", "pause"}, {"once", key}, {"id", 3}});
    const Json refused = show.answer(0);
    CHECK(refused.at("type") == "refused");
    CHECK(refused.at("error").get<std::string>().find("once") != std::string::npos);
  }
}

TEST_CASE("a request without a scene is executed once where it has a key", "[director]") {
  client_service_test::Show show;
  using client_service_test::Json;
  show.send(1, {{"type", "subscribe"}});
  CHECK(show.answer(1).at("type") == "done");
  int executed = 0;
  const auto ask = [&](const Json& more, const std::function<Json()>& act) {
    Json request = {{"type", "live"}, {"verb", "hold"}};
    request.update(more);
    show.service.execute(1, request, act);
    return show.answer(0);
  };
  const auto act = [&] { return Json{{"step", ++executed}}; };
  CHECK(ask({{"once", "k"}, {"id", 1}}, act) == Json{{"type", "done"}, {"id", 1}, {"step", 1}});
  CHECK(ask({{"once", "k"}, {"id", 2}}, act) == Json{{"type", "done"}, {"id", 2}, {"step", 1}});
  CHECK(executed == 1);
  CHECK(ask({{"id", 3}}, act).at("type") == "done");
  CHECK(executed == 2);
  const Json refused = ask({{"once", "other"}, {"id", 4}},
                           []() -> Json { throw InputError({"live"}, "by", "a number", "none"); });
  CHECK(refused.at("type") == "refused");
  CHECK(refused.at("error") == "live: by: expected a number, found none");
  CHECK(ask({{"once", "other"}, {"id", 5}}, act).at("type") == "done");
  CHECK(ask({{"once", 7}, {"id", 6}}, act).at("type") == "refused");
  CHECK(executed == 3);
  // Others are told of those that were executed or refused, and not of the repeated one.
  for (const bool is_done : {true, true, false, true, false}) {
    const Json event = show.answer(1);
    CHECK(event.at("event") == "command");
    CHECK(event.at("request").at("type") == "live");
    CHECK(event.at("error").is_null() == is_done);
  }
}
