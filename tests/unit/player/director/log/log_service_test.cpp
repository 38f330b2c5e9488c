// The verb "logs": this host's logs from its files, those of other hosts from their panels.

#include "player/director/log/log_service.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;

namespace {
namespace log_service_test {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

/// A client, connection 1, and the panels of two hosts, connections 2 and 3.
class LogWall {
 public:
  LogWall() {
    std::filesystem::create_directory(folder / "logs");
    std::ofstream(folder / "logs" / "director.log") << "[2.000000] own\n";
    for (std::size_t i = 0; i < 3; ++i) {
      peers_.push_back(test::authenticated_client(server_, address_));
    }
  }

  /// The next message that a peer receives.
  Json received(std::size_t peer) {
    while (received_[peer].empty()) {
      server_.poll(std::chrono::milliseconds(1));
      service.step(now);
      REQUIRE(peers_[peer]->read_some(received_[peer]) == StreamStatus::open);
    }
    const Json json = Json::parse(received_[peer].front().text);
    received_[peer].erase(received_[peer].begin());
    return json;
  }

  const test::TemporaryFolder folder;
  SteadyClock::time_point now = SteadyClock::now();

 private:
  UniqueFd listening_ = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address_ = local_address(listening_.get());
  ControlServer server_{
      std::move(listening_),
      {test::control_key()},
      {[](ConnectionId, const Json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {}}};
  std::vector<std::unique_ptr<SealedStream>> peers_;
  std::vector<Message> received_[3];

 public:
  LogService service{server_,
                     folder.path(),
                     {[] {
                        return std::vector<LogService::HostPanel>{{"h2", 2}, {"h3", 3}};
                      },
                      [] { return ClockMapping{}; }}};
};

/// A panel's answer of one line at that second.
Json line_of(const Json& asked, const std::string& host, int second, const std::string& text) {
  trace::LogAnswer answer;
  answer.number = asked.at("number");
  answer.log.lines.push_back({{std::chrono::seconds(second)}, host, "panel-0", text});
  return trace::to_json(answer);
}

std::vector<std::string> texts_of(const Json& answer) {
  std::vector<std::string> texts;
  for (const Json& line : answer.at("lines")) texts.push_back(line.at("text"));
  return texts;
}

}  // namespace log_service_test
}  // namespace

using namespace log_service_test;

TEST_CASE("logs of all hosts come in one order", "[director][log]") {
  LogWall wall;
  wall.service.take(1, {{"type", "logs"}, {"id", "a"}, {"role", ""}});
  const Json asked = wall.received(1);
  CHECK(asked.at("type") == "logs");
  CHECK(asked.at("role") == "");
  wall.service.add(2, line_of(asked, "h2", 3, "last"));
  wall.service.add(2, line_of(asked, "h2", 3, "twice"));
  wall.service.add(3, line_of(wall.received(2), "h3", 1, "first"));
  const Json answer = wall.received(0);
  CHECK(answer.at("type") == "logs");
  CHECK(answer.at("id") == "a");
  CHECK(texts_of(answer) == std::vector<std::string>{"first", "own", "last"});
  CHECK(answer.at("lines")[0] ==
        Json{{"at_ns", 1'000'000'000}, {"host", "h3"}, {"role", "panel-0"}, {"text", "first"}});
  CHECK(answer.at("lines")[1].at("host") == host_name());
  CHECK(answer.at("lines")[1].at("role") == "director");
  CHECK(answer.at("missing").empty());
  CHECK(answer.at("is_cut") == false);
  CHECK(answer.at("now_ns") > 0);
  CHECK(answer.at("utc_ns") > answer.at("now_ns"));
}

TEST_CASE("a host that does not answer is named, and its late answer dropped", "[director][log]") {
  LogWall wall;
  wall.service.take(1, {{"type", "logs"}, {"role", "panel"}});
  const Json asked = wall.received(1);
  CHECK(asked.at("role") == "panel");
  wall.service.add(2, line_of(asked, "h2", 3, "only"));
  wall.now += std::chrono::seconds(3);
  const Json answer = wall.received(0);
  CHECK(answer.at("id") == nullptr);
  // The disk may have been slower than the panel, as this time is not waited for.
  CHECK(answer.at("missing").back() == "h3");
  CHECK(texts_of(answer) == std::vector<std::string>{"only"});
  CHECK_NOTHROW(wall.service.add(3, line_of(asked, "h3", 3, "late")));
  CHECK_THROWS_AS(wall.service.add(3, {{"type", "logs"}}), InputError);
}

TEST_CASE("wrong requests for logs are refused", "[director][log]") {
  LogWall wall;
  for (const Json& role : {Json("a/b"), Json(1), Json(std::string(201, 'x'))})
    CHECK_THROWS_AS(wall.service.take(1, {{"type", "logs"}, {"role", role}}), InputError);
  CHECK_THROWS_AS(wall.service.take(1, {{"type", "logs"}, {"more", 1}}), InputError);
  for (int i = 0; i < 4; ++i) CHECK_NOTHROW(wall.service.take(1, {{"type", "logs"}}));
  CHECK_THROWS_AS(wall.service.take(1, {{"type", "logs"}}), InputError);
}

TEST_CASE("reports of a hundred roles are kept, of these always the newest", "[director][log]") {
  LogWall wall;
  for (int i = 0; i < 101; ++i)
    wall.service.keep_crash({"h2", "panel-" + std::to_string(i), {'a'}});
  wall.service.keep_crash({"h2", "panel-7", {'b'}});
  const auto file_of = [&](int panel) {
    return wall.folder / "logs" / ("h2-panel-" + std::to_string(panel) + ".crash");
  };
  CHECK(test::eventually([&] { return file_beginning(file_of(7), 10) == "b"; }));
  CHECK(test::eventually([&] { return file_beginning(file_of(99), 10) == "a"; }));
  CHECK_FALSE(std::filesystem::exists(file_of(100)));
}

TEST_CASE("the newest crash report of another host's role is kept", "[director][log]") {
  LogWall wall;
  wall.service.keep_crash({"h2", "panel-1", {'a'}});
  wall.service.keep_crash({"h2", "panel-1", {'b'}});
  const auto file = wall.folder / "logs/h2-panel-1.crash";
  CHECK(test::eventually([&] { return file_beginning(file, 10) == "b"; }));
}
