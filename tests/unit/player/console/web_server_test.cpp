// The console's web server over a site of the test's: requests as the site gets them, and responses
// as clients get them.

#include "player/console/web_server.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <future>
#include <mutex>
#include <thread>

#include "net/socket.hpp"
#include "player/console/web_responses.hpp"
#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

/// A channel's user that says "hello" once, and keeps what it receives.
class TalkingUser final : public ChannelUser {
 public:
  explicit TalkingUser(std::vector<std::string>& received) : received_(received) {}
  std::optional<Outbox::Message> next() override {
    if (has_said_) return std::nullopt;
    has_said_ = true;
    return Outbox::Message{std::make_shared<const std::string>("hello"), false};
  }
  void receive(std::string_view text, bool is_text) override {
    received_.push_back((is_text ? "text " : "binary ") + std::string(text));
  }

 private:
  std::vector<std::string>& received_;
  bool has_said_ = false;
};

/// Answers by the path, and keeps the requests. All in the server's thread.
class SiteOfTest final : public WebSite {
 public:
  void note_refusal(const std::string& address, const std::string& why) override {
    refusals.push_back(address + ": " + why);
  }
  Standing standing_of(const WebRequest& request) override {
    return request.path == "/stranger" ? Standing::stranger
           : request.path == "/guest"  ? Standing::guest
                                       : Standing::trusted;
  }
  void answer(const WebRequest& request, Reply reply) override {
    requests.push_back(request);
    if (request.path == "/later") {
      waiting.push_back(std::move(reply));
      return;
    }
    if (request.path == "/guest") {
      waiting.push_back(std::move(reply));
      return;
    }
    if (request.path == "/file") {
      WebResponse response{200, "image/png"};
      response.file = open_for_reading(file);
      return reply(std::move(response));
    }
    WebResponse response = json_response(200, {{"path", request.path}});
    response.headers = {{"X-Own", "yes"}};
    reply(std::move(response));
  }
  bool is_stream(const WebRequest& request) const override { return request.path == "/events"; }
  std::optional<WebResponse> channel_refusal_of(const WebRequest& request) override {
    if (request.path == "/no") return error_response(403, "no");
    return std::nullopt;
  }
  std::unique_ptr<ChannelUser> open(const WebRequest& request, Channel& channel) override {
    requests.push_back(request);
    channels.push_back(&channel);
    return std::make_unique<TalkingUser>(received);
  }
  std::size_t most_body_bytes(const WebRequest& request) override {
    return request.path == "/small" ? 4 : 65536;
  }

  std::vector<std::string> refusals;
  std::vector<WebRequest> requests;
  std::vector<Reply> waiting;
  std::vector<Channel*> channels;
  std::vector<std::string> received;
  std::filesystem::path file;
};

class ServedSite {
 public:
  ServedSite() {
    UniqueFd listening = net::listen_tcp_without_blocking(net::resolve("127.0.0.1:0", "test"));
    port_ = net::local_address(listening.get()).port();
    server_.emplace(io_, std::move(listening), std::nullopt, site_);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ServedSite() {
    io_.stop();
    thread_.join();
    server_.reset();
  }
  [[nodiscard]] int port() const { return port_; }

  /// Calls with the site in the server's thread, and returns what that returns.
  template <typename Call>
  auto in_thread(Call call) {
    std::packaged_task<decltype(call(std::declval<SiteOfTest&>()))()> task(
        [&] { return call(site_); });
    auto result = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return result.get();
  }
  WebRequest last_request() {
    return in_thread([](SiteOfTest& site) { return site.requests.at(site.requests.size() - 1); });
  }
  std::string last_refusal() {
    return in_thread([](SiteOfTest& site) {
      return site.refusals.empty() ? std::string() : site.refusals.back();
    });
  }

 private:
  boost::asio::io_context io_{1};  // outlives the replies that the site keeps
  SiteOfTest site_;
  int port_ = 0;
  std::optional<WebServer> server_;
  std::thread thread_;
};

std::string host_line() { return "Host: h\r\n"; }

/// The answer to a request on a connection of its own.
WebAnswer answer_to(const ServedSite& served, const std::string& request) {
  WebConnection connection(served.port());
  REQUIRE(connection.send(request));
  return connection.answer();
}

}  // namespace

TEST_CASE("a request reaches the site with its headers, and without its query", "[console]") {
  ServedSite served;
  const WebAnswer answer = answer_to(
      served,
      "POST /a/b?c=d HTTP/1.1\r\nHost: h:1\r\nOrigin: http://o\r\nSec-Fetch-Site: same-origin\r\n"
      "Cookie: k=v\r\nAuthorization: Bearer t\r\nX-Tilewall-Name: Ann\r\nContent-Length: 5\r\n\r\n"
      "12345");
  CHECK(answer.status == 200);
  CHECK(answer.json().at("path") == "/a/b");
  CHECK(answer.headers.at("content-type") == "application/json");
  CHECK(answer.headers.at("cache-control") == "no-store");
  CHECK(answer.headers.at("x-own") == "yes");
  CHECK(answer.headers.at("content-length") == std::to_string(answer.body.size()));
  const WebRequest request = served.last_request();
  CHECK(request.method == "POST");
  CHECK(request.path == "/a/b");
  CHECK(request.host == "h:1");
  CHECK(request.origin == "http://o");
  CHECK(request.fetch_site == "same-origin");
  CHECK(request.cookie == "k=v");
  CHECK(request.authorization == "Bearer t");
  CHECK(request.person == "Ann");
  CHECK(request.body == "12345");
  CHECK(request.address == "127.0.0.1");
  CHECK_FALSE(request.is_upgrade);
}

TEST_CASE("a connection stays for the next request unless the client ends it", "[console]") {
  ServedSite served;
  WebConnection connection(served.port());
  for (const char* const path : {"/one", "/two"}) {
    REQUIRE(connection.send(request_text("GET", path, {{"Host", "h"}})));
    CHECK(connection.answer().json().at("path") == path);
  }
  REQUIRE(connection.send(request_text("GET", "/three", {{"Host", "h"}, {"Connection", "close"}})));
  CHECK(connection.answer().json().at("path") == "/three");
  CHECK(connection.is_closed());
}

TEST_CASE("an answer to HEAD has the length of its body, and none", "[console]") {
  ServedSite served;
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.png", "a picture");
  served.in_thread([&](SiteOfTest& site) { site.file = folder / "a.png"; });
  for (const char* const path : {"/x", "/file"}) {
    WebConnection connection(served.port());
    REQUIRE(connection.send("HEAD " + std::string(path) + " HTTP/1.1\r\n" + host_line() + "\r\n"));
    REQUIRE(eventually([&] {
      static_cast<void>(connection.read_more(10ms));
      return connection.received().ends_with("\r\n\r\n");
    }));
    CHECK_THAT(connection.received(), Catch::StartsWith("HTTP/1.1 200 OK\r\n"));
    CHECK_THAT(connection.received(), Catch::Contains(std::string("Content-Length: ") +
                                                      (path[1] == 'x' ? "14" : "9") + "\r\n"));
    connection.received().clear();  // no body follows, but the next answer
    REQUIRE(connection.send(request_text("GET", "/next", {{"Host", "h"}})));
    CHECK(connection.answer().json().at("path") == "/next");
  }
  const WebAnswer picture = answer_to(served, request_text("GET", "/file", {{"Host", "h"}}));
  CHECK(picture.headers.at("content-type") == "image/png");
  CHECK(picture.body == "a picture");
}

TEST_CASE("an answer may come later than the next request of others", "[console]") {
  ServedSite served;
  WebConnection slow(served.port());
  REQUIRE(slow.send(request_text("GET", "/later", {{"Host", "h"}})));
  REQUIRE(eventually(
      [&] { return served.in_thread([](SiteOfTest& site) { return site.waiting.size() == 1; }); }));
  CHECK(answer_to(served, request_text("GET", "/x", {{"Host", "h"}})).status == 200);
  served.in_thread([](SiteOfTest& site) { site.waiting.front()(error_response(503, "late")); });
  const WebAnswer answer = slow.answer();
  CHECK(answer.status == 503);
  CHECK(answer.error() == "late");
}

TEST_CASE("what is no request, or too large, is refused and told", "[console]") {
  ServedSite served;
  const WebAnswer malformed = answer_to(served, "NONSENSE\r\n\r\n");
  CHECK(malformed.status == 400);
  CHECK(malformed.error() == "malformed HTTP");
  CHECK(served.last_refusal() == "127.0.0.1: malformed HTTP");
  CHECK(answer_to(served, request_text("POST", "/small", {{"Host", "h"}}, "1234")).status == 200);
  const WebAnswer large =
      answer_to(served, request_text("POST", "/small", {{"Host", "h"}}, "12345"));
  CHECK(large.status == 413);
  CHECK(large.error() == "the body is too large");
  CHECK(served.last_refusal() == "127.0.0.1: the body is too large");
  // A body that does not tell its length is counted as it comes.
  const WebAnswer chunked =
      answer_to(served, "POST /small HTTP/1.1\r\n" + host_line() +
                            "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n");
  CHECK(chunked.status == 413);
  CHECK(chunked.error() == "the request is too large");
  const auto with_header = [&](std::size_t bytes) {
    return answer_to(served, request_text("GET", "/x",
                                          {{"Host", "h"}, {"X-Long", std::string(bytes, 'x')}}))
        .status;
  };
  CHECK(with_header(16000) == 200);
  CHECK(with_header(16400) == 413);
}

TEST_CASE("an address has 96 requests of guests at once, and more once these end", "[console]") {
  ServedSite served;
  std::vector<std::unique_ptr<WebConnection>> guests;
  const std::string request = request_text("GET", "/guest", {{"Host", "h"}});
  const auto waiting = [&] {
    return served.in_thread([](SiteOfTest& site) { return site.waiting.size(); });
  };
  for (std::size_t i = 0; i < WebServer::most_of_address; ++i) {
    guests.push_back(std::make_unique<WebConnection>(served.port()));
    REQUIRE(guests.back()->send(request));
    REQUIRE(eventually([&] { return waiting() == i + 1; }));
  }
  const WebAnswer refused = answer_to(served, request);
  CHECK(refused.status == 429);
  CHECK(refused.error() == "there are too many connections");
  CHECK(served.last_refusal() == "127.0.0.1: there are too many connections");
  CHECK(answer_to(served, request_text("GET", "/x", {{"Host", "h"}})).status == 200);
  served.in_thread([](SiteOfTest& site) { site.waiting.front()(json_response(200, {})); });
  CHECK(guests.front()->answer().status == 200);
  REQUIRE(guests.front()->send(request_text("GET", "/x", {{"Host", "h"}})));  // no guest's any more
  CHECK(guests.front()->answer().status == 200);
  WebConnection another(served.port());
  REQUIRE(another.send(request));
  CHECK(eventually([&] { return waiting() == WebServer::most_of_address + 1; }));
}

TEST_CASE("of those that wait for a request, the one that came first makes room", "[console]") {
  ServedSite served;
  std::vector<std::unique_ptr<WebConnection>> idle;
  for (std::size_t i = 0; i <= WebServer::most_idle; ++i) {
    idle.push_back(std::make_unique<WebConnection>(served.port()));
    // Each is known to the server, in this order, once it has answered.
    REQUIRE(idle.back()->send(request_text("GET", "/stranger", {{"Host", "h"}})));
    REQUIRE(idle.back()->answer().status == 200);
  }
  CHECK(idle[0]->is_closed());
  REQUIRE(idle[1]->send(request_text("GET", "/x", {{"Host", "h"}})));
  CHECK(idle[1]->answer().status == 200);
}

TEST_CASE("a stream of events begins with its head, and ends when the site says so", "[console]") {
  ServedSite served;
  WebConnection events(served.port());
  REQUIRE(events.send(request_text("GET", "/events", {{"Host", "h"}})));
  const std::string expected =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n\r\nhello";
  REQUIRE(eventually([&] {
    static_cast<void>(events.read_more(10ms));
    return events.received().size() >= expected.size();
  }));
  CHECK(events.received() == expected);
  served.in_thread([](SiteOfTest& site) { site.channels.front()->close(); });
  CHECK(events.is_closed());
  const WebAnswer refused = answer_to(served, "GET /no HTTP/1.1\r\n" + host_line() +
                                                  "Upgrade: websocket\r\nConnection: upgrade\r\n"
                                                  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                                                  "Sec-WebSocket-Version: 13\r\n\r\n");
  CHECK(refused.status == 403);
}

TEST_CASE("a WebSocket carries texts both ways", "[console]") {
  ServedSite served;
  WebConnection socket(served.port());
  REQUIRE(socket.send("GET /ws HTTP/1.1\r\n" + host_line() +
                      "Upgrade: websocket\r\nConnection: upgrade\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                      "Sec-WebSocket-Version: 13\r\n\r\n"));
  const std::string frame = std::string("\x81\x05") + "hello";
  REQUIRE(eventually([&] {
    static_cast<void>(socket.read_more(10ms));
    return socket.received().ends_with(frame);
  }));
  CHECK_THAT(socket.received(), Catch::StartsWith("HTTP/1.1 101 "));
  CHECK(served.last_request().is_upgrade);
  // A masked text, then a masked binary; the mask is zero.
  REQUIRE(socket.send(std::string("\x81\x82\0\0\0\0ab\x82\x81\0\0\0\0c", 15)));
  CHECK(eventually([&] {
    return served.in_thread([](SiteOfTest& site) {
      return site.received == std::vector<std::string>{"text ab", "binary c"};
    });
  }));
}
