// What comes to the console that should not: each gets one clear answer or a closed connection,
// others are served meanwhile, and the wall stays as it was.

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <list>
#include <thread>

#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::test;
using namespace nlohmann::literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// The address sanitizer keeps 256 MiB of what was freed.
const std::uint64_t most_console_kb = sanitized() ? 800'000 : 200'000;

/// The most memory that the process ever had.
std::uint64_t peak_kb(pid_t pid) {
  const std::string status = read_text_file("/proc/" + std::to_string(pid) + "/status", 1 << 16);
  return std::stoull(status.substr(status.find("VmHWM:") + 6));
}

/// A paused show with its console, and another client, which has to be served throughout.
class AttackedShow {
 public:
  AttackedShow() {
    write_numbered_movie(folder_ / "movie", pair_canvas_px, 24);
    show_.emplace(folder_ / "movie", "two-by-one.toml", Words{"--console"});
    console_.emplace(show_->run_dir());
    REQUIRE(console_->post("pause").status == 200);
    scene_ = console_->get("/api/v1/status").json().at("scene");
    pid_ = pid_in(show_->run_dir() / "pids" / "console");
  }
  [[nodiscard]] const ConsoleClient& console() const { return *console_; }
  [[nodiscard]] ConsoleClient viewer() const { return ConsoleClient(show_->run_dir(), "viewer"); }
  [[nodiscard]] int port() const { return console_->port(); }
  /// Whether another client is served.
  [[nodiscard]] bool serves() const { return console_->get("/api/v1/session").status == 200; }
  /// Sends what is no request that it takes; returns the answer's status, 0 where the connection
  /// was closed without one.
  [[nodiscard]] int status_of(const std::string& bytes) const {
    WebConnection connection(port());
    connection.send(bytes);
    const WebAnswer answer = connection.answer();
    if (answer.status != 0) CHECK_FALSE(answer.error().empty());
    CHECK(serves());
    return answer.status;
  }
  void check_unharmed() const {
    CHECK(console_->get("/api/v1/status").json().at("scene") == scene_);
    CHECK(pid_in(show_->run_dir() / "pids" / "console") == pid_);
    CHECK(peak_kb(pid_) < most_console_kb);
    CHECK(show_->ctl({"status"}).exit_code == 0);
  }

 private:
  TemporaryFolder folder_;
  std::optional<ControlledShow> show_;
  std::optional<ConsoleClient> console_;
  Json scene_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("what is no request gets one answer, and nobody else is disturbed", "[console]") {
  const AttackedShow show;
  const std::string host = "Host: " + show.console().host() + "\r\n";
  const std::string bearer = "Authorization: Bearer " + show.console().token() + "\r\n";
  CHECK(show.status_of("nonsense\r\n\r\n") == 400);
  CHECK(show.status_of("GET / HTTP/9.9\r\n\r\n") == 400);
  CHECK(show.status_of("GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n") == 400);
  CHECK(show.status_of("GET /\x01 HTTP/1.1\r\n\r\n") == 400);
  CHECK(show.status_of(std::string(3000, '\0')) == 400);
  CHECK(show.status_of("POST /api/v1/pause HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n") ==
        400);
  CHECK(show.status_of("POST /api/v1/pause HTTP/1.1\r\n" + host +
                       "Transfer-Encoding: chunked\r\n\r\nzz\r\n") == 400);
  // A client of TLS at a console without it.
  CHECK(show.status_of(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) +
                       std::string(200, 'x')) == 400);
  CHECK(show.status_of("GET / HTTP/1.1\r\n" + host + "X: " + std::string(20'000, 'x') +
                       "\r\n\r\n") == 413);
  CHECK(show.status_of("GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n" + host + "\r\n") ==
        413);
  // A gibibyte that is announced, and a body without an end.
  const std::string post = "POST /api/v1/pause HTTP/1.1\r\n" + host + bearer;
  CHECK(show.status_of(post + "Content-Length: 1073741824\r\n\r\n" + std::string(100'000, 'x')) ==
        413);
  CHECK(show.status_of(post + "Content-Length: 99999999999999999999\r\n\r\n") == 400);
  {
    WebConnection endless(show.port());
    endless.send(post + "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1000\r\n" + std::string(4096, 'x') + "\r\n";
    int chunks = 0;
    while (chunks < 100'000 && endless.send(chunk)) ++chunks;
    CHECK(chunks < 100'000);
    const WebAnswer answer = endless.answer();
    CHECK((answer.status == 413 || answer.status == 0));
  }
  // Bodies that are no object.
  for (const std::string body :
       {"{", "[]", "5", "{\"frame\": NaN}", "{\"frame\": 1e999}", "{\"frame\": \"\xff\"}", "{} {}"})
    CHECK(show.status_of(request_text("POST", "/api/v1/seek",
                                      {{"Host", show.console().host()},
                                       {"Authorization", "Bearer " + show.console().token()}},
                                      body)) == 400);
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  CHECK(show.console()
            .ask("POST", "/api/v1/seek", {{"Authorization", "Bearer " + show.console().token()}},
                 deep)
            .error() == "message: expected JSON of at most 64 levels, found more");
  // No path of a browser reaches a file.
  for (const char* const path :
       {"/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/index.html/../../../etc/passwd", "/index.html%00.js", "/console.json", "/api/v1/../",
        "/api/v1/", "/api", "\\..\\x", "http://127.0.0.1/"})
    CHECK(show.console().get(path).status == 404);
  // The log has a line of each kind.
  PageSocket page(show.console(), "Olga");
  REQUIRE(page.until([&] { return page.state().contains("commands"); }));
  const Json commands = page.state().at("commands");
  for (const std::string why :
       {"malformed HTTP", "the request is too large", "the body is too large"}) {
    CAPTURE(why);
    CHECK(std::ranges::count_if(commands, [&](const Json& line) {
            return line.at("by") == "127.0.0.1" && line.at("result") == "refused: " + why;
          }) == 1);
  }
  show.check_unharmed();
}

TEST_CASE("requests of other pages and names are refused", "[console]") {
  const AttackedShow show;
  const ConsoleClient& console = show.console();
  const std::string cookie = console.log_in("Ann");
  const std::string port = ":" + std::to_string(console.port());
  for (const std::string& host :
       {std::string("evil.example") + port, std::string("evil.example"), std::string("127.0.0.1"),
        std::string("127.0.0.1:1"), "127.0.0.1" + port + ".evil.example"})
    for (const char* const path :
         {"/", "/api/v1/status", "/api/v1/login", "/api/v1/events", "/ws"}) {
      CAPTURE(host, path);
      Headers headers = console.page_headers(cookie);
      headers[0].second = host;
      CHECK(console.ask("GET", path, headers).status == 403);
      CHECK(console.ask("POST", path, headers, "{}").status == 403);
    }
  CHECK(console.ask("GET", "/", {{"Host", ""}}).status == 403);
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), "https://" + console.host(),
        std::string("http://127.0.0.1:1")}) {
    CAPTURE(origin);
    Headers headers = console.page_headers(cookie);
    headers[1].second = origin;
    CHECK(console.ask("POST", "/api/v1/play", headers).status == 403);
    CHECK(console.ask("POST", "/api/v1/logout", headers).status == 403);
    CHECK(console.ask("POST", "/api/v1/login", headers, Json{{"token", console.token()}}.dump())
              .status == 403);
    CHECK_THROWS_WITH(PageSocket(console, headers), Catch::StartsWith("403"));
  }
  // A page at another port of the same host, whose requests carry the cookie.
  const Headers upgrade = {{"Connection", "Upgrade"},
                           {"Upgrade", "websocket"},
                           {"Sec-WebSocket-Version", "13"},
                           {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  const auto status_of_page = [&](const char* path, Headers headers, const Headers& more) {
    headers.insert(headers.end(), more.begin(), more.end());
    return console.ask("GET", path, headers).status;
  };
  const Headers own = console.page_headers(cookie);
  Headers other = own;
  other[1].second = "http://127.0.0.1:1";
  for (const char* const path : {"/api/v1/events", "/api/v1/status", "/", "/nowhere"}) {
    CAPTURE(path);
    CHECK(status_of_page(path, own, upgrade) == 404);
    CHECK(status_of_page(path, other, upgrade) == 403);
    CHECK(status_of_page(path, {{"Host", console.host()}, {"Cookie", cookie}}, upgrade) == 403);
  }
  for (const char* const path : {"/api/v1/events", "/api/v1/snapshot", "/api/v1/status"}) {
    CAPTURE(path);
    CHECK(status_of_page(path, other, {}) == 403);
    for (const char* const site : {"same-site", "cross-site"})
      CHECK(status_of_page(path, {{"Host", console.host()}, {"Cookie", cookie}},
                           {{"Sec-Fetch-Site", site}}) == 403);
  }
  CHECK(status_of_page("/api/v1/session", own, {{"Sec-Fetch-Site", "same-origin"}}) == 200);
  // However many it makes, the person may go on, and the log has one line of them.
  for (int i = 0; i < 300; ++i) CHECK(console.ask("POST", "/api/v1/play", other).status == 403);
  CHECK(console.ask("GET", "/api/v1/session", own).status == 200);
  PageSocket page(console, own);
  REQUIRE(page.until([&] { return page.state().contains("commands"); }));
  const auto refusals = [&](const std::string& by, const std::string& what,
                            const std::string& why) {
    const Json commands = page.state().at("commands");
    return std::ranges::count_if(commands, [&](const Json& line) {
      return line.at("by") == by && line.at("what") == what &&
             line.at("result") == "refused: " + why;
    });
  };
  CHECK(refusals("Ann", "a request", "it came from another page") == 1);
  CHECK(refusals("127.0.0.1", "a request", "another name than the console's") == 1);
  CHECK(refusals("127.0.0.1", "login", "it came from another page") == 1);
  // A cookie alone, as another page's form sends it.
  const Headers alone = {{"Host", console.host()}, {"Cookie", cookie}};
  CHECK(console.ask("POST", "/api/v1/play", alone).status == 403);
  CHECK_THROWS_WITH(PageSocket(console, alone), Catch::StartsWith("403"));
  CHECK(console.ask("GET", "/api/v1/session", alone).status == 200);
  // Strangers, who may guess for a while.
  for (const char* const path : {"/api/v1/status", "/api/v1/events", "/api/v1/snapshot",
                                 "/api/v1/history", "/api/v1/openapi.json", "/api/v1/explode"})
    CHECK(console.ask("GET", path, {}).status == 401);
  CHECK(console.ask("POST", "/api/v1/play", {}).status == 401);
  CHECK_THROWS_WITH(PageSocket(console, Headers{{"Host", console.host()}}),
                    Catch::StartsWith("401"));
  for (const Json& body : {Json::object(), Json{{"token", 5}}, Json{{"token", "x"}, {"name", 5}}})
    CHECK(console.ask("POST", "/api/v1/login", {}, body.dump()).status / 100 == 4);
  int guesses = 0;
  while (guesses < 50 &&
         console.ask("GET", "/api/v1/status", {{"Authorization", "Bearer wrong"}}).status == 401)
    ++guesses;
  CHECK(guesses < 15);
  CHECK(console.ask("POST", "/api/v1/login", {}, R"({"token": "wrong"})").status == 429);
  const std::string ben = console.log_in("Ben");
  CHECK_FALSE(ben.empty());
  // Those who know the token do not log in without end either.
  int logins = 0;
  while (logins < 50 &&
         console.ask("POST", "/api/v1/login", {}, Json{{"token", console.token()}}.dump()).status ==
             200)
    ++logins;
  CHECK(logins < 25);
  // The log has a line of each kind of refusal, however many there were, and of who came and went.
  CHECK(console.ask("POST", "/api/v1/logout", own).status == 200);
  page = PageSocket(console, console.page_headers(ben));
  REQUIRE(page.until([&] { return page.state().contains("commands"); }));
  for (const char* const why : {"not logged in", "no token of this wall"})
    CHECK(refusals("127.0.0.1", "a request", why) == 1);
  for (const char* const why : {"too many wrong tokens", "too many logins"})
    CHECK(refusals("127.0.0.1", "login", why) == 1);
  const Json log = page.state().at("commands");
  CHECK(std::ranges::any_of(log, [](const Json& line) {
    return line.at("by") == "Ann" && line.at("what") == "logout from 127.0.0.1";
  }));
  show.check_unharmed();
}

TEST_CASE("a page that sends what it should not is answered or closed", "[console]") {
  const AttackedShow show;
  const ConsoleClient& console = show.console();
  const auto closes = [&](const std::function<void(PageSocket&)>& send) {
    PageSocket page(console, "Eve");
    send(page);
    const bool closed = page.is_closed();
    CHECK(show.serves());
    return closed;
  };
  CHECK(closes([](PageSocket& page) { page.send_frame(1, std::string(1 << 20, 'x')); }));
  CHECK(closes([](PageSocket& page) { page.send_frame(1, std::string(65'537, ' ')); }));
  CHECK(closes([](PageSocket& page) { page.send_frame(1, "\xff\xfe"); }));
  CHECK(closes([](PageSocket& page) { page.send_frame(1, "{}", 0xc0); }));  // a reserved bit
  CHECK(closes([](PageSocket& page) { page.send_frame(3, "{}"); }));
  CHECK(closes([](PageSocket& page) { page.send_frame(1, "{}", 0x80, false); }));  // no mask
  CHECK(closes([](PageSocket& page) { page.send_frame(0, "{}"); }));  // goes on with nothing
  CHECK(closes([](PageSocket& page) { page.send_frame(9, std::string(126, 'x')); }));
  CHECK(closes([](PageSocket& page) { page.send_frame(8, "\x03\xe8"); }));
  CHECK(closes([](PageSocket& page) {  // fragments without an end
    page.send_frame(1, "{", 0);
    for (int i = 0; i < 100 && page.send_frame(0, std::string(1024, ' '), 0); ++i) continue;
  }));
  CHECK(closes([](PageSocket& page) { page.connection().send(std::string(100'000, '\xff')); }));

  PageSocket page(console, "Ann");
  const auto refusal = [&](const std::function<void()>& send) {
    const std::size_t before = page.answers().size();
    send();
    REQUIRE(page.until([&] { return page.answers().size() > before; }));
    const Json answer = page.answers().back();
    CHECK(answer.at("id").is_null());
    CHECK(answer.at("answer").at("type") == "refused");
    return answer.at("answer").at("error").get<std::string>();
  };
  CHECK(refusal([&] { page.send_frame(2, "{}"); }) ==
        "message: expected a text frame, found a binary one");
  CHECK(refusal([&] { page.send_frame(1, "{"); }) == "message: expected JSON, found other text");
  CHECK(refusal([&] { page.send_frame(1, ""); }) == "message: expected JSON, found other text");
  CHECK(refusal([&] { page.send_frame(1, std::string(65, '[') + std::string(65, ']')); }) ==
        "message: expected JSON of at most 64 levels, found more");
  CHECK(refusal([&] {
          page.send({{"type", "sing"}});
        }) == "message: type: expected request, full or pictures, found \"sing\"");
  CHECK(refusal([&] {
          page.send({{"type", "request"}, {"verb", "subscribe"}});
        }) == "console: verb: expected a verb, found \"subscribe\"");
  page.send_frame(1, R"({"type": "request", "id": 7, "verb": )", 0);  // fragments of a good one
  page.send_frame(0, R"("step", "fields": {"by": 0.5}})");
  CHECK(page.answer(7).at("error") == "step: by: expected a whole number, found 0.5");

  // Ten thousand messages at once: most are dropped, which is told now and then.
  constexpr int many = 10'000;
  for (int i = 1; i <= many; ++i) {
    page.request(100 + i, "status", {{"per_panel", false}, {"lists", false}});
    while (page.receive(std::chrono::milliseconds(0))) continue;
  }
  CHECK(page.until([&] {
    return std::ranges::any_of(page.answers(), [](const Json& one) {
      return one.at("id").is_null() &&
             one.at("answer").at("error") == "too many messages: 100 a second at most";
    });
  }));
  CHECK(show.serves());
  CHECK(page.answers().size() < many / 2);
  int id = 100 + many;
  const auto is_answered = [&] {
    return std::ranges::any_of(page.answers(), [&](const Json& one) { return one.at("id") == id; });
  };
  CHECK(eventually([&] {
    page.request(++id, "status");
    return page.until(is_answered, std::chrono::milliseconds(500));
  }));
  // Questions whose answers may be long have a limit for all together, which leaves operators
  // theirs.
  PageSocket curious(show.viewer(), "Eve");
  for (int i = 1; i <= 150; ++i) curious.request(i, "cues");
  REQUIRE(curious.until([&] { return curious.answers().size() >= 150; }));
  CHECK(std::ranges::any_of(curious.answers(), [](const Json& one) {
    return one.at("answer").value("error", "") ==
           "too many questions: operators together may ask 25 a second, and all others 25";
  }));
  // A status that is as good as new is told in place of a new one.
  const ConsoleClient viewer = show.viewer();
  CHECK(eventually([&] { return viewer.get("/api/v1/status").status == 200; }));
  WebConnection many_of_one(show.port());
  for (int i = 0; i < 60; ++i)
    many_of_one.send(
        request_text("GET", "/api/v1/status",
                     {{"Host", viewer.host()}, {"Authorization", "Bearer " + viewer.token()}}));
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    const WebAnswer answer = many_of_one.answer();
    CHECK((answer.status == 200 || answer.status == 429));
    refused += answer.status == 429 ? 1 : 0;
  }
  CHECK(refused < 30);
  CHECK(show.serves());
  // Neither does one who reads nothing harm others.
  PageSocket deaf(console, console.page_headers(console.log_in("Eve")), 16384);
  const std::string padded = "{}" + std::string(500, ' ');
  for (int i = 0; i < 20'000 && deaf.send_frame(1, padded); ++i) continue;
  CHECK(show.serves());
  show.check_unharmed();
}

TEST_CASE("many and slow connections keep nobody else from the console", "[console]") {
  rlimit files{4096, 4096};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  const AttackedShow show;
  const std::string request =
      "GET / HTTP/1.1\r\nHost: " + show.console().host() + "\r\nX: " + std::string(300, 'x');
  {
    std::list<WebConnection> slow;  // each sends its headers a byte at a time
    for (int i = 0; i < 100; ++i) slow.emplace_back(show.port());
    for (std::size_t byte = 0; byte < 20; ++byte) {
      for (WebConnection& connection : slow) connection.send(request.substr(byte, 1));
      CHECK(show.serves());
    }
  }
  {
    std::list<WebConnection> idle;  // each is silent
    for (int i = 0; i < 1000; ++i) {
      idle.emplace_back(show.port());
      if (i % 100 == 99) CHECK(show.serves());
    }
    CHECK(eventually([&] { return idle.front().is_closed(std::chrono::milliseconds(10)); }));
  }
  {
    std::list<WebConnection> kept;  // each has had an answer, and stays
    for (int i = 0; i < 300; ++i) {
      kept.emplace_back(show.port());
      kept.back().send(request_text("GET", "/icon.svg", {{"Host", show.console().host()}}));
      CHECK(kept.back().answer().status == 200);
    }
    CHECK(show.serves());
  }
  {
    // Each sends a body of megabytes that is never whole.
    std::list<WebConnection> large;
    const std::string part = "POST /api/v1/show HTTP/1.1\r\nHost: " + show.console().host() +
                             "\r\nContent-Length: 8000000\r\n\r\n" + std::string(200'000, 'x');
    for (int i = 0; i < 100; ++i) {
      large.emplace_back(show.port());
      large.back().send(part, std::chrono::milliseconds(100));
    }
    CHECK(show.serves());
  }
  {
    // Each asks for the page again and again, and reads nothing.
    std::list<WebConnection> deaf;
    std::string many;
    for (int i = 0; i < 500; ++i)
      many += request_text("GET", "/", {{"Host", show.console().host()}});
    for (int i = 0; i < 250; ++i) {
      deaf.emplace_back(show.port(), 4096);
      deaf.back().send(many, std::chrono::milliseconds(10));
      // Until those are blocked, so that they wait for no request.
      if (i % 50 == 49) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    CHECK(show.serves());
    CHECK(eventually([&] { return deaf.front().is_closed(std::chrono::milliseconds(10)); }));
  }
  {
    // One who opens pages without end is told, and neither others nor new people are kept out.
    std::list<PageSocket> pages;
    const auto refusal_of_pages = [&](const ConsoleClient& console, const std::string& name) {
      const std::string cookie = console.log_in(name);
      try {
        while (pages.size() < 300) pages.emplace_back(console, console.page_headers(cookie));
      } catch (const std::runtime_error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    const ConsoleClient viewer = show.viewer();
    CHECK(refusal_of_pages(viewer, "Eve") == "429 this login has 64 open pages and event streams");
    CHECK(pages.size() == 64);
    CHECK(refusal_of_pages(viewer, "Eve again") == "429 there are too many connections");
    CHECK(pages.size() == 96);
    CHECK(viewer.get("/api/v1/session").status == 429);
    CHECK(show.serves());
    CHECK(refusal_of_pages(show.console(), "Ann") ==
          "429 this login has 64 open pages and event streams");
    CHECK(pages.size() == 160);
    CHECK(refusal_of_pages(show.console(), "Ann again") == "503 the console has 200 connections");
    CHECK(pages.size() >= 190);
    CHECK(pages.size() <= 200);
    pages.pop_front();
    pages.pop_front();
    CHECK(eventually([&] { return show.serves(); }));
    CHECK(eventually([&] { return viewer.get("/api/v1/session").status == 200; }));
  }
  CHECK(eventually([&] { return show.serves(); }));
  show.check_unharmed();
}
