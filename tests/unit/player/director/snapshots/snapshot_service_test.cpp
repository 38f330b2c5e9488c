// When panels are asked for a snapshot, where it may be written, and what its client is answered.

#include "player/director/snapshots/snapshot_service.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;

namespace {
namespace snapshot_service_test {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
using ShownTick = SnapshotService::ShownTick;

/// A wall of two panels of 4 x 2 pixels that plays a movie at 10 fps, and a client.
class Show {
 public:
  Show() {
    control.start(test::start);
    client_->queue({"{}", {}});
    REQUIRE(client_->write_some() == net::StreamStatus::open);
    while (client_id_ == 0) server_.poll(std::chrono::milliseconds(10));
  }

  void take(const std::string& file) {
    service.take(client_id_, {{"type", "snapshot"}, {"file", file}, {"id", file}});
  }
  std::string file(const std::string& name = "wall.png") const {
    return (folder / "allowed" / name).string();
  }
  /// The next message that the client receives.
  Json answer() {
    while (received_.empty()) {
      service.step(now);
      server_.poll(std::chrono::milliseconds(1));
      REQUIRE(client_->read_some(received_) == net::StreamStatus::open);
    }
    const Json json = Json::parse(received_.front().text);
    received_.erase(received_.begin());
    return json;
  }
  /// Takes a snapshot and orders it of the panels. Returns the epoch of the scene that they show.
  std::uint64_t ordered() {
    take(file());
    static_cast<void>(control.step(at_ms(530), Nanos(0)));
    REQUIRE(orders.size() == 1);
    return control.scene().epoch;
  }
  /// The number of the newest order to the panels.
  std::uint64_t order() const { return orders.back().at("number"); }
  /// The panel copies its picture of that tick, and sends it.
  void show(std::size_t panel, const ShownTick& shown) {
    CHECK(service.note_taken(order(), shown));
    service.add(order(), panel, shown.frame, {4, 2}, std::vector<std::uint8_t>(32, 9));
  }

  SnapshotWait waits_for = SnapshotWait::nothing;
  std::int64_t best_tick = 0;
  std::vector<Json> orders;            // to panels
  std::vector<std::uint64_t> dropped;  // numbers of orders
  test::TemporaryFolder folder;
  const bool has_folders = std::filesystem::create_directories(folder / "allowed/inner");
  ShowControl control{first_scene({movie_region("main", movie_source(100))}), Nanos(0)};

 private:
  UniqueFd listening_ = net::listen_tcp(net::resolve("127.0.0.1:0", "test"));
  const net::SocketAddress address_ = net::local_address(listening_.get());
  ConnectionId client_id_ = 0;
  ControlServer server_{
      std::move(listening_),
      {test::control_key()},
      {[this](ConnectionId from, const Json&, std::vector<std::uint8_t>&&) { client_id_ = from; },
       [](ConnectionId) {}}};
  std::unique_ptr<net::SealedStream> client_ = test::authenticated_client(server_, address_);
  std::vector<net::Message> received_;
  const wall::Wall wall_ = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [4, 2]\nsize_mm = [40.0, 20.0]\n"
      "bezel_mm = 5\n");

 public:
  SnapshotService service{
      server_,
      control,
      wall_,
      {folder / "gone", folder / "allowed"},
      {[this](const Json& message) { orders.push_back(message); }, [this] { return waits_for; },
       [this](const scene::Scene&) { return best_tick; },
       [this](std::uint64_t order) { dropped.push_back(order); }}};
  Clock::time_point now = Clock::now();  // the turns' instant
};

}  // namespace snapshot_service_test
}  // namespace

TEST_CASE("snapshots are written below the show's folders and nowhere else", "[director]") {
  snapshot_service_test::Show show;
  show.waits_for = SnapshotWait::start;
  const auto refused = [&](const std::string& file, const std::string& expected) {
    CAPTURE(file);
    CHECK_THROWS_WITH(show.take(file), Catch::Contains(expected));
  };
  const std::string wants_below = "a file below " + (show.folder / "allowed").string();
  std::filesystem::create_directory(show.folder / "allowed-too");
  std::filesystem::create_directory_symlink(show.folder.path(), show.folder / "allowed/out");
  std::filesystem::create_directory_symlink(show.folder / "allowed/inner", show.folder / "in");
  refused((show.folder / "wall.png").string(), wants_below);
  refused((show.folder / "allowed-too/wall.png").string(), wants_below);
  refused((show.folder / "allowed/out/wall.png").string(), wants_below);
  refused((show.folder / "allowed/inner/../../wall.png").string(), wants_below);
  refused(show.file("wall.jpg"), "ends in .png");
  refused(show.file("missing/wall.png"), "in a folder that exists");
  refused("wall.png", "an absolute path");
  show.take(show.file());
  show.take(show.file("inner/wall.png"));
  show.take(show.file("inner/../wall.png"));
  show.take((show.folder / "in/wall.png").string());
  refused(show.file("fifth.png"), "4 at a time at most");
}

TEST_CASE("a snapshot is of the first tick that no panel has shown, or of a later finest one",
          "[director]") {
  snapshot_service_test::Show show;
  show.best_tick = GENERATE(0, 8);
  show.take(show.file());
  CHECK(show.orders.empty());
  static_cast<void>(show.control.step(at_ms(530), Nanos(0)));
  REQUIRE(show.orders.size() == 1);
  CHECK(show.orders[0].at("type") == "snapshot");
  CHECK(show.orders[0].at("schedule") == show.control.scene().epoch);
  CHECK(show.orders[0].at("tick") == std::max<std::int64_t>(show.best_tick, 6));
}

TEST_CASE("a client gets the snapshot's file, tick and frame once all panels have sent theirs",
          "[director]") {
  snapshot_service_test::Show show;
  const std::uint64_t epoch = show.ordered();
  CHECK_FALSE(show.service.note_taken(show.order() + 1, {epoch, 7, 7}));
  show.show(0, {epoch, 7, 7});
  show.service.step(show.now);
  CHECK_FALSE(std::filesystem::exists(show.file()));
  show.show(1, {epoch, 7, 7});
  const auto answer = show.answer();
  CHECK(
      answer ==
      nlohmann::json{
          {"type", "done"}, {"id", show.file()}, {"file", show.file()}, {"frame", 7}, {"tick", 7}});
  CHECK(std::filesystem::file_size(show.file()) > 0);
  CHECK(show.dropped.empty());
  CHECK_FALSE(show.service.note_taken(show.order(), {epoch, 7, 7}));
}

TEST_CASE("a snapshot is taken again where panels showed two ticks or not the due frame",
          "[director]") {
  snapshot_service_test::Show show;
  const std::uint64_t epoch = show.ordered();
  const std::uint64_t first = show.order();
  const std::int64_t stray_tick = GENERATE(7, 8);
  show.show(0, {epoch, stray_tick, 7});  // frame 7 is not the one of tick 8
  show.service.step(show.now);
  CHECK(show.dropped.empty());  // the other panel's picture is awaited
  show.show(1, {epoch, 8, stray_tick == 7 ? 8 : 7});
  show.service.step(show.now);
  CHECK(show.dropped == std::vector<std::uint64_t>{first});
  CHECK_FALSE(show.service.note_taken(first, {epoch, 8, 8}));
  static_cast<void>(show.control.step(at_ms(930), Nanos(0)));
  REQUIRE(show.orders.size() == 2);
  CHECK(show.order() != first);
  CHECK(show.orders[1].at("tick") == 10);
  SECTION("the next one is right") {
    for (const std::size_t panel : {0u, 1u}) show.show(panel, {epoch, 10, 10});
    const auto answer = show.answer();
    CHECK(answer.at("frame") == 10);
    CHECK_FALSE(answer.contains("note"));
  }
  SECTION("for 16 s at most") {
    show.show(0, {epoch, 10, 10});
    show.show(1, {epoch, 11, 11});
    show.now += std::chrono::seconds(17);
    const auto answer = show.answer();
    CHECK(answer.at("type") == "done");
    CHECK_THAT(answer.at("note").get<std::string>(), Catch::Contains("showed 11"));
    CHECK(show.dropped.size() == 1);
  }
}

TEST_CASE("a snapshot waits five seconds for panels' pictures, from the last sign of them",
          "[director]") {
  snapshot_service_test::Show show;
  const std::uint64_t epoch = show.ordered();
  SECTION("one panel has sent none") {
    show.show(1, {epoch, 7, 7});
    show.now += std::chrono::seconds(4);
    show.service.step(show.now);
    CHECK(show.dropped.empty());
    show.now += std::chrono::seconds(10);
    const auto answer = show.answer();
    CHECK(answer.at("type") == "done");
    CHECK_THAT(answer.at("note").get<std::string>(), Catch::Contains("showed nothing"));
    CHECK(show.dropped == std::vector<std::uint64_t>{show.order()});
  }
  SECTION("no panel has sent one") {
    show.now += std::chrono::seconds(4);
    show.service.step(show.now);
    CHECK(show.dropped.empty());
    show.now += std::chrono::seconds(10);
    const auto answer = show.answer();
    CHECK(answer.at("type") == "refused");
    CHECK(answer.at("id") == show.file());
    CHECK(answer.at("error") == "no panel has shown its picture in time");
    CHECK_FALSE(std::filesystem::exists(show.file()));
  }
}

TEST_CASE("a snapshot waits for the show's start, and eight seconds for a picture at rest",
          "[director]") {
  snapshot_service_test::Show show;
  show.waits_for = SnapshotWait::start;
  show.take(show.file());
  const auto is_ordered = [&] {
    show.service.step(show.now);
    static_cast<void>(show.control.step(at_ms(530), Nanos(0)));
    return !show.orders.empty();
  };
  show.now += std::chrono::minutes(5);
  CHECK_FALSE(is_ordered());
  const bool details = GENERATE(false, true);
  show.waits_for = details ? SnapshotWait::details : SnapshotWait::rest;
  show.now += std::chrono::milliseconds(7999);
  CHECK_FALSE(is_ordered());
  SECTION("it comes to rest") {
    show.waits_for = SnapshotWait::nothing;
    CHECK(is_ordered());
    for (const std::size_t panel : {0u, 1u}) show.show(panel, {show.control.scene().epoch, 6, 6});
    CHECK_FALSE(show.answer().contains("note"));
  }
  SECTION("it does not") {
    show.now += std::chrono::milliseconds(1);
    CHECK(is_ordered());
    for (const std::size_t panel : {0u, 1u}) show.show(panel, {show.control.scene().epoch, 6, 6});
    CHECK_THAT(
        show.answer().at("note").get<std::string>(),
        Catch::Contains(details ? "volumes without their details" : "still moved after 8 s"));
  }
}
