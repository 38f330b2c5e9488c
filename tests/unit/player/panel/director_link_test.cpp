// A panel's connection to the director, where messages cannot be read.
#include "player/panel/director_link.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "net/socket.hpp"
#include "player/panel/panel_inbox.hpp"
#include "player/scene/arming_messages.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using tilewall::test::ListeningDirector;
using Json = nlohmann::json;

namespace {

const net::AuthKey link_key(std::as_bytes(std::span(std::string_view("the key of a test"))));

struct UnmovedClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

}  // namespace

TEST_CASE("a panel reports the next cue that it cannot read, and keeps its connection", "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  std::atomic<int> disarmed = 0;
  DirectorLink::Callbacks callbacks = inbox.link_callbacks(
      [](bool) { return std::vector<scene::ShownBatch>(); }, [] { return scene::DrawPace(); });
  callbacks.prepared = [&](const PreparedPtr& prepared) {
    disarmed += prepared == nullptr ? 1 : 0;
  };
  DirectorLink link(director.address(), link_key, {}, callbacks);
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  director.send({{"type", "prepare"}, {"token", 7}, {"scene", {{"version", "one"}}}});
  const scene::ArmedReport report = scene::armed_from_json(director.next("armed"));
  CHECK(report.token == 7);
  REQUIRE(report.missing.size() == 1);
  CHECK_THAT(report.missing.front(), Catch::Contains("version"));
  CHECK(disarmed == 1);
  // The running show has not noticed: the same connection serves a request.
  director.send({{"type", "disarm"}});
  CHECK(test::eventually([&] { return disarmed == 2; }));
  link.finish(std::chrono::milliseconds(100));
}

TEST_CASE("reports go between the bands of a snapshot, however large its picture is", "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  DirectorLink link(director.address(), link_key, {},
                    inbox.link_callbacks([](bool) { return std::vector<scene::ShownBatch>(); },
                                         [] { return scene::DrawPace(); }));
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  PanelSnapshot snapshot;
  snapshot.number = 5;
  snapshot.size_px = {2560, 1600};
  snapshot.pixels.resize(std::size_t{4} * 2560 * 1600);
  for (std::size_t i = 0; i < snapshot.pixels.size(); i += 1001)
    snapshot.pixels[i] = static_cast<std::uint8_t>(i);
  inbox.kept_snapshots().add(snapshot);
  std::vector<std::uint8_t> pixels;
  constexpr int band_rows = 25;
  for (int row = 0; row < 1600; row += 2 * band_rows) {
    // Two bands are asked for; a report that comes up meanwhile waits for no more than these.
    for (const int first : {row, row + band_rows})
      director.send(scene::to_json(scene::SnapshotBand{{5, 0}, first, band_rows}));
    link.send(Json{{"type", "report"}, {"row", row}});
    std::size_t bytes = 0;
    std::vector<net::Message> messages = director.messages_until("report");
    for (int bands = 0; bands < 2;) {
      for (const net::Message& message : messages) {
        bytes += message.blob.size();
        pixels.insert(pixels.end(), message.blob.begin(), message.blob.end());
        if (Json::parse(message.text).at("type") == "snapshot_band") ++bands;
      }
      if (bands < 2) messages = director.messages_until("snapshot_band");
    }
    REQUIRE(bytes == std::size_t{4} * 2560 * 2 * band_rows);
  }
  CHECK(pixels == snapshot.pixels);
  director.send(scene::snapshot_done_message({5, 0}));
  CHECK(test::eventually([&] { return inbox.kept_snapshots().band({{5, 0}, 0, 1}).blob.empty(); }));
  link.finish(std::chrono::milliseconds(100));
}

TEST_CASE("a newer picture for watchers replaces one that waits, and none outlives a connection",
          "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  DirectorLink link(director.address(), link_key, {},
                    inbox.link_callbacks([](bool) { return std::vector<scene::ShownBatch>(); },
                                         [] { return scene::DrawPace(); }));
  link.send_newest({{"type", "picture"}, {"tick", 0}}, {1});  // nobody has asked for it
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  director.send(scene::to_json(scene::WatchOrder{true, 96, 75, 200, 1000, 0}));
  CHECK(test::eventually([&] { return inbox.watched().number() > 0; }));
  // The director does not read, so what does not fit into the sockets waits.
  constexpr std::size_t bytes = 1u << 20;
  constexpr int pictures = 64;
  for (int tick = 1; tick <= pictures; ++tick)
    link.send_newest({{"type", "picture"}, {"tick", tick}}, std::vector<std::uint8_t>(bytes));
  link.send(Json{{"type", "report"}});
  int received = 0;
  int last = 0;
  CHECK(test::eventually([&] {
    for (const net::Message& message : director.messages_until("picture")) {
      const Json json = Json::parse(message.text);
      if (json.at("type") != "picture") continue;
      ++received;
      last = json.at("tick");
    }
    return last == pictures;
  }));
  CHECK(received < pictures);
  link.finish(std::chrono::milliseconds(100));
}

TEST_CASE("a director that goes on sending reads all that a panel sent before its end", "[panel]") {
  ListeningDirector director(link_key);
  director.take_little_at_once();
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  std::optional<DirectorLink> link(
      std::in_place, director.address(), link_key, scene::PanelHello{},
      inbox.link_callbacks([](bool) { return std::vector<scene::ShownBatch>(); },
                           [] { return scene::DrawPace(); }));
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  link->send(Json{{"type", "picture"}}, std::vector<std::uint8_t>(300'000));
  link->send(Json{{"type", "last"}});
  const std::jthread panel([&] {
    link->finish(std::chrono::seconds(10));
    link.reset();
  });
  bool came = false;
  while (!came && director.sends({{"type", "disarm"}})) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    came = director.has_come("last");
  }
  CHECK(came);
  director.close();
}

TEST_CASE("what a director sends of its show is at the panel in the same order", "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  DirectorLink link(director.address(), link_key, {},
                    inbox.link_callbacks([](bool) { return std::vector<scene::ShownBatch>(); },
                                         [] { return scene::DrawPace(); }));
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  scene::Scene scene = first_scene({movie_region("main", movie_source(7, "/sent"))});
  scene.version = 5;
  scene.epoch = 3;
  scene::SourceCatalogue sources;
  const Json sent = scene::to_json(scene, sources);
  for (const Json& piece : sources.messages(sources.id_of(scene.regions[0].source)))
    director.send(piece);
  director.send({{"type", "scene"}, {"scene", sent}, {"join_tick", 41}});
  director.send(scene::to_json(scene::Release{3, {{40, 9}, {41, 8}}}));
  director.send({{"type", "quit"}});
  REQUIRE(test::eventually([&] { return inbox.quits(); }));
  const ScenePtr shown = inbox.scenes().get();
  REQUIRE(shown);
  CHECK(shown->version == 5);
  CHECK(shown->regions.at(0).source->path == "/sent");
  CHECK(shown->regions.at(0).source->frames == 7);
  CHECK(inbox.scenes().join_tick(3) == 41);
  CHECK(inbox.gate().delay_of(3, 41) == Nanos(8));
  link.finish(std::chrono::milliseconds(100));
}

TEST_CASE("each order of a director is handed on with its fields", "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  DirectorLink::Callbacks callbacks = inbox.link_callbacks(
      [](bool) { return std::vector<scene::ShownBatch>(); }, [] { return scene::DrawPace(); });
  std::vector<std::string> orders;  // the link's thread; read after "quit"
  callbacks.snapshot = [&](const SnapshotOrder& order) {
    orders.push_back(fmt::format("snapshot {} {} {}", order.number, order.epoch, order.tick));
  };
  callbacks.snapshot_done = [&](const scene::SnapshotName& name) {
    const bool is_it = name == scene::SnapshotName{6, 0};
    orders.emplace_back(is_it ? "snapshot_done" : "another one");
  };
  callbacks.watch = [&](const scene::WatchOrder& order) {
    orders.emplace_back(order.pictures ? "watch" : "no watch");
  };
  callbacks.restart = [&](const std::string& role) { orders.push_back("restart " + role); };
  std::atomic<bool> quits = false;
  callbacks.quit = [&] { quits = true; };
  DirectorLink link(director.address(), link_key, {}, callbacks);
  REQUIRE(director.accept());
  REQUIRE_FALSE(director.next("hello").is_null());
  director.send({{"type", "snapshot"}, {"number", 4}, {"schedule", 2}, {"tick", 9}});
  Json done = scene::to_json(scene::SnapshotBand{{6, 0}, 0, 0});
  done["type"] = "snapshot_done";
  director.send(done);
  scene::WatchOrder watch;
  watch.pictures = true;
  watch.bytes_per_s = 1000;
  director.send(scene::to_json(watch));
  director.send({{"type", "restart"}, {"role", "decoder"}});
  director.send({{"type", "of a newer version"}});
  director.send({{"type", "quit"}});
  REQUIRE(test::eventually([&] { return quits.load(); }));
  // A connection begins without watchers.
  CHECK(orders == std::vector<std::string>{"no watch", "snapshot 4 2 9", "snapshot_done", "watch",
                                           "restart decoder"});
  link.finish(std::chrono::milliseconds(100));
}

TEST_CASE("messages that wait for the director go after the hello, in their order", "[panel]") {
  ListeningDirector director(link_key);
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  std::atomic<int> first_reports = 0;
  DirectorLink link(director.address(), link_key, {},
                    inbox.link_callbacks(
                        [&](bool again) {
                          first_reports += again ? 1 : 0;
                          return std::vector<scene::ShownBatch>(1);
                        },
                        [] { return scene::DrawPace(); }));
  for (int i = 0; i < 300; ++i) link.send({{"type", "one"}, {"number", i}});  // 256 are kept
  REQUIRE(director.accept());
  std::vector<net::Message> sent = director.messages_until("hello");
  link.finish(std::chrono::milliseconds(100));
  const std::vector<net::Message> more = director.messages_until("shown");  // the last report
  sent.insert(sent.end(), more.begin(), more.end());
  CHECK(Json::parse(sent.front().text).at("type") == "hello");
  std::vector<int> numbers;
  for (const net::Message& message : sent)
    if (const Json json = Json::parse(message.text); json.at("type") == "one")
      numbers.push_back(json.at("number"));
  std::vector<int> expected(256);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(numbers == expected);
  CHECK(first_reports == 1);
}
