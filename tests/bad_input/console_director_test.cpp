// A control port that answers what it should not, or refuses: the console leaves it, tries again,
// and answers its own clients meanwhile.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/show_keys.hpp"
#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::test;
using namespace nlohmann::literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view secret = "the secret of a wall";

/// A director that tests make up.
class FakeDirector {
 public:
  FakeDirector() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket_.get(), any, length) == 0);
    REQUIRE(::listen(socket_.get(), 4) == 0);
    REQUIRE(::getsockname(socket_.get(), any, &length) == 0);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] int port() const { return port_; }

  /// Takes a connection and sends it these bytes, which nobody has sealed.
  void meet_with(const std::string& bytes) {
    accept();
    static_cast<void>(::send(client_->fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  /// Takes a connection and proves the key.
  void meet() {
    accept();
    while (!client_->is_authenticated()) REQUIRE(wait());
  }
  void send(const std::string& text) {
    client_->queue({text, {}});
    static_cast<void>(client_->write_some());
  }
  /// The next request; null where the console closed the connection.
  Json request() {
    while (received_.empty())
      if (!wait() && received_.empty()) return nullptr;
    Json request = Json::parse(received_.front().text);
    received_.erase(received_.begin());
    return request;
  }
  void leave() { client_.reset(); }
  /// Whether the console closes the connection.
  bool is_left() {
    while (wait()) received_.clear();
    return true;
  }

 private:
  void accept() {
    received_.clear();
    client_.emplace(net::SealedStream::server(
        UniqueFd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
        net::protocol_key(net::AuthKey(std::as_bytes(std::span(secret))), net::Protocol::control),
        net::SealKind::tag));
    static_cast<void>(client_->write_some());
  }
  /// Returns whether the console has sent something that is good, once something has come.
  bool wait() {
    pollfd waiting = {client_->fd(), POLLIN, 0};
    ::poll(&waiting, 1, -1);
    return client_->read_some(received_) == net::StreamStatus::open;
  }

  UniqueFd socket_;
  std::optional<net::SealedStream> client_;
  std::vector<net::Message> received_;
  int port_ = 0;
};

/// A console without a show, and its wall.
struct LoneConsole {
  TemporaryFolder folder;
  FakeDirector director;
  UniqueFd listening;
  RunningProgram program{words()};
  ConsoleClient client{folder.path()};

 private:
  Words words() {
    write_private_file(folder / "control.secret", std::string(secret));
    std::ofstream(folder / "control.addr") << "127.0.0.1:" << director.port() << "\n";
    listening = UniqueFd(::socket(AF_INET, SOCK_STREAM, 0));  // the console's, too
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listening.get(), any, length) == 0);
    REQUIRE(::listen(listening.get(), 16) == 0);
    REQUIRE(::getsockname(listening.get(), any, &length) == 0);
    const std::string token(32, 'a');
    std::ofstream(folder / "console.json") << Json{
        {"address", "127.0.0.1:" + std::to_string(ntohs(address.sin_port))},
        {"url", "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/"},
        {"tokens", {{"viewer", token + "v"}, {"presenter", token + "p"}, {"operator", token}}}};
    return {program_path("tilewall-console"), "--run-dir", folder.path().string(), "--listen-fd",
            std::to_string(listening.get())};
  }
};

}  // namespace

TEST_CASE("a control port that sends what it should not is left, and tried again", "[console]") {
  LoneConsole lone;
  FakeDirector& director = lone.director;
  RunningProgram& program = lone.program;
  const ConsoleClient& console = lone.client;
  PageSocket page(console, "Ann");
  const auto is_there = [&] { return console.get("/api/v1/session").status == 200; };

  // What the console cannot understand ends the connection.
  for (const std::string& bytes :
       {std::string("HTTP/1.1 200 OK\r\n\r\n"), framed("[]"), framed("{}"), framed("{\"type\": "),
        framed(R"({"type": "challenge", "nonce": 5})"), framed(std::string(5000, '[')),
        std::string("TWCM\xff\xff\xff\xff\xff\xff\xff\xff", 12),
        framed(R"({"type": "refused", "error": "no"})"), framed(R"({"type": "event"})")}) {
    CAPTURE(bytes.substr(0, 100));
    director.meet_with(bytes);
    CHECK(director.is_left());
    CHECK(is_there());
  }
  for (const std::string text : {"7", R"({"type": "event", "event": 5})",
                                 R"({"type": "picture", "panel": 5})", R"({"type": "event"}  x)"}) {
    CAPTURE(text);
    director.meet();
    director.send(text);
    CHECK(director.is_left());
    CHECK(is_there());
  }
  // What it understands in part changes nothing, and answers that belong to nothing are ignored.
  director.meet();
  for (const char* const text :
       {R"({})", R"({"type": "done"})", R"({"type": "done", "id": -1})",
        R"({"type": "done", "id": 1e300})", R"({"type": "done", "id": "1"})",
        R"({"type": "event"})", R"({"type": "event", "event": "command", "request": []})",
        R"({"type": "event", "event": "late", "panel": {"deep": [[[]]]}})",
        R"({"type": ["event"]})", R"({"type": null, "id": 123456789})"})
    director.send(text);
  // Answers to the status that are none.
  const auto answer_status = [&](const std::string& fields) {
    for (;;) {
      const Json request = director.request();
      if (request.is_null()) return false;
      const std::string id = request.at("id").dump();
      if (request.at("type") == "status") {
        director.send("{\"id\": " + id + ", " + fields + "}");
        return true;
      }
      director.send("{\"type\": \"refused\", \"error\": \"no\", \"id\": " + id + "}");
    }
  };
  for (const char* const fields :
       {R"("type": "status")", R"("type": "status", "per_panel": 5)",
        R"("type": "status", "per_panel": [1, {"panel": ""}, {}])",
        R"("type": "status", "per_panel": {"a": 1})", R"("type": "done")", R"("typ": 1)"})
    CHECK(answer_status(fields));
  CHECK(is_there());
  REQUIRE(answer_status(R"("type": "status", "light": "green", "per_panel": [{"panel": "a"}])"));
  CHECK(page.until(
      [&] { return page.state().value("/status/light"_json_pointer, Json()) == "green"; }));
  for (const char* const fields : {R"("type": 5)", R"("type": "status", "scene": 5)",
                                   R"("type": "status", "per_panel": [{"panel": 5}])"}) {
    CAPTURE(fields);
    REQUIRE(answer_status(fields));
    CHECK(director.is_left());
    CHECK(is_there());
    director.meet();
  }
  // A request whose answer is none ends in a closed connection or an answer.
  REQUIRE(answer_status(R"("type": "status")"));
  WebConnection asks(console.port());
  asks.send(
      request_text("POST", "/api/v1/pause",
                   {{"Host", console.host()}, {"Authorization", "Bearer " + console.token()}}));
  for (Json request = director.request(); !request.is_null(); request = director.request())
    director.send(Json{{"id", request.at("id")}, {"type", 5}}.dump());
  director.meet();
  CHECK(asks.answer().status != 200);
  CHECK_FALSE(page.has_gap());
  CHECK(peak_kb(program.pid()) < most_console_kb);
  // A trouble that comes again and again does not fill the log.
  program.send_signal(SIGKILL);
  const std::string log = program.wait(std::chrono::seconds(10)).err;
  int told = 0;
  for (std::size_t at = 0; (at = log.find("the wall's control port: ", at)) != std::string::npos;
       ++at)
    ++told;
  CHECK(told > 0);
  CHECK(told < 6);
}

TEST_CASE("a console whose subscriptions are refused asks again", "[console]") {
  LoneConsole lone;
  FakeDirector& director = lone.director;
  director.meet();
  PageSocket page(lone.client, "Ann");
  page.send({{"type", "pictures"}, {"on", true}});
  const auto refuse_all_until = [&](const std::function<bool(const Json&)>& condition) {
    for (Json request = director.request(); !request.is_null(); request = director.request()) {
      if (condition(request)) return true;
      director.send(Json{{"type", "refused"}, {"error", "no"}, {"id", request.at("id")}}.dump());
    }
    return false;
  };
  int subscriptions = 0;
  int watches = 0;
  CHECK(refuse_all_until([&](const Json& request) {
    subscriptions += request.at("type") == "subscribe" ? 1 : 0;
    watches += request.at("type") == "watch" ? 1 : 0;
    return subscriptions >= 2 && watches >= 2;
  }));
  CHECK(refuse_all_until([](const Json& request) { return request.at("type") == "watch"; }));
  // The next director is asked once, whether the last one has answered or not.
  director.leave();
  director.meet();
  REQUIRE(director.request().at("type") == "subscribe");
  page.request(1, "cues");
  watches = 0;
  for (Json request = director.request(); !request.is_null() && request.at("type") != "cues";
       request = director.request())
    watches += request.at("type") == "watch" ? 1 : 0;
  CHECK(watches == 1);
}
