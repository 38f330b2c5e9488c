// A panel's connection to the director, where messages cannot be read.
#include "player/panel/director_link.hpp"

#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/socket.hpp"
#include "player/panel/panel_inbox.hpp"
#include "player/scene/arming_messages.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using Json = nlohmann::json;

namespace {

struct UnmovedClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

/// A director that a panel connects to.
class ListeningDirector {
 public:
  [[nodiscard]] std::string address() const {
    return net::to_string(net::local_address(socket_.get()));
  }

  /// Accepts the panel's next connection.
  bool accept() {
    return test::eventually([&] {
      UniqueFd panel(::accept(socket_.get(), nullptr, nullptr));
      if (panel.empty()) return false;
      stream_.emplace(std::move(panel), net::MessageLimits{});
      send(scene::to_json(scene::Challenge{"0123456789abcdef"}));
      return true;
    });
  }

  void send(const Json& message) {
    stream_->queue({message.dump(), {}});
    REQUIRE(stream_->write_some() == net::StreamStatus::open);
  }

  /// The panel's next message of the type; null where the connection ends before it comes.
  Json next(const std::string& type) {
    Json found;
    static_cast<void>(test::eventually([&] {
      std::vector<net::Message> received;
      const bool is_open = stream_->read_some(received) == net::StreamStatus::open;
      for (const net::Message& message : received)
        if (Json json = Json::parse(message.text); json.at("type") == type) found = json;
      return !found.is_null() || !is_open;
    }));
    return found;
  }

 private:
  UniqueFd socket_ = net::listen_tcp_without_blocking(net::resolve("127.0.0.1:0", "test"));
  std::optional<net::MessageStream> stream_;
};

}  // namespace

TEST_CASE("a panel reports the next cue that it cannot read, and keeps its connection", "[panel]") {
  ListeningDirector director;
  const UnmovedClock clock;
  PanelInbox inbox(clock);
  std::atomic<int> disarmed = 0;
  DirectorLink::Callbacks callbacks = inbox.link_callbacks(
      [](bool) { return std::vector<scene::ShownBatch>(); }, [] { return scene::DrawPace(); });
  callbacks.prepared = [&](const PreparedPtr& prepared) {
    disarmed += prepared == nullptr ? 1 : 0;
  };
  DirectorLink link(director.address(), {}, callbacks);
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
