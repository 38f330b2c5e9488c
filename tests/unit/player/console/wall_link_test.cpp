// The console's connection to the wall's control port, over directors that refuse and die.

#include "player/console/wall_link.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <thread>

#include "net/show_keys.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

/// The run directory of a show, with its secret.
struct RunDirectory {
  RunDirectory() {
    write_private_file(folder / net::control_secret_file, "a secret of sixteen bytes or more");
  }
  [[nodiscard]] net::AuthKey key() const { return net::ControlPlace(folder.path()).key(); }

  const TemporaryFolder folder;
};

/// A link to a director that the test plays, and what it has called back.
class Linked {
 public:
  Linked() {
    write_file_atomically(run_.folder / net::control_address_file, director.address() + "\n");
    link_.emplace(io_, run_.folder.path(),
                  WallLink::Callbacks{[this] { ++connected; }, [this] { ++away; },
                                      [this](const nlohmann::json& event) {
                                        if (event.at("event") == "scene") ++events;
                                      },
                                      [](const auto&, const auto&) {}},
                  20ms);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Linked() {
    io_.stop();
    thread_.join();
  }

  /// Asks, and counts the answers of the type.
  void ask(nlohmann::json request, const std::string& type, std::atomic<int>& answers,
           bool this_one = false) {
    boost::asio::post(io_, [this, request, type, &answers, this_one] {
      const auto count = [type, &answers](const nlohmann::json& answer) {
        if (answer.at("type") == type) ++answers;
      };
      this_one ? link_->ask_this_one(request, count) : link_->ask(request, count);
    });
  }

  std::atomic<int> connected = 0;
  std::atomic<int> away = 0;
  std::atomic<int> events = 0;

 private:
  const RunDirectory run_;

 public:
  ListeningDirector director{run_.key()};

 private:
  boost::asio::io_context io_;
  std::optional<WallLink> link_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a console whose subscription is refused asks again, until it is taken", "[console]") {
  Linked console;
  REQUIRE(console.director.accept());
  for (int refusals = 0; refusals < 2; ++refusals) {
    CHECK(console.director.next("subscribe").at("id") == 0);
    console.director.send({{"type", "refused"}, {"id", 0}, {"error", "too many subscribers"}});
  }
  CHECK(console.director.next("subscribe").at("id") == 0);
  console.director.send({{"type", "done"}, {"id", 0}});
  console.director.send({{"type", "event"}, {"event", "scene"}});
  CHECK(eventually([&] { return console.events == 1; }));
  CHECK(console.connected == 1);
  CHECK(console.away == 0);
}

TEST_CASE("what a console waits for is asked of the next director, but for what was of the last",
          "[console]") {
  Linked console;
  REQUIRE(console.director.accept());
  std::atomic<int> statuses = 0;
  std::atomic<int> gone = 0;
  REQUIRE_FALSE(console.director.next("subscribe").is_null());
  CHECK(eventually([&] { return console.connected == 1; }));
  console.ask({{"type", "status"}}, "status", statuses);
  const nlohmann::json first = console.director.next("status");
  console.ask({{"type", "watch"}}, "away", gone, true);
  REQUIRE_FALSE(console.director.next("watch").is_null());
  console.director.close();
  CHECK(eventually([&] { return gone == 1; }));
  CHECK(console.away == 1);
  REQUIRE(console.director.accept());
  const auto again = console.director.messages_until("status");
  REQUIRE(again.size() == 2);
  CHECK(nlohmann::json::parse(again[0].text).at("type") == "subscribe");
  const nlohmann::json status = nlohmann::json::parse(again[1].text);
  CHECK(status == first);
  // An answer to nobody is left out.
  console.director.send({{"type", "status"}, {"id", status.at("id").get<int>() + 7}});
  console.director.send({{"type", "status"}, {"id", status.at("id")}});
  CHECK(eventually([&] { return statuses == 1; }));
  CHECK(console.connected == 2);
}
