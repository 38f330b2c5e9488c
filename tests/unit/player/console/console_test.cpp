// The console's site as a web server asks it, over a director that the test plays.

#include "player/console/console.hpp"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <future>
#include <thread>

#include "net/control/control_place.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

/// The run directory of a show with a console, whose tokens are 32 times the first letter of the
/// role.
struct ShowFolder {
  ShowFolder() {
    write_private_file(folder / net::control_secret_file, "a secret of sixteen bytes or more");
    const ConsoleAccess access{"127.0.0.1:4711",
                               "http://127.0.0.1:4711/",
                               {std::string(32, 'v'), std::string(32, 'p'), std::string(32, 'o')}};
    write_private_file(folder / console_file, to_text(access));
  }
  const TemporaryFolder folder;
};

WebRequest site_request(const std::string& method, const std::string& path, char letter = 'o',
                        const std::string& body = "") {
  WebRequest request;
  request.method = method;
  request.path = path;
  request.host = "127.0.0.1:4711";
  request.address = "10.0.0.7";
  if (letter != ' ') request.authorization = "Bearer " + std::string(32, letter);
  request.person = "Ann";
  request.body = body;
  return request;
}

/// A console and the thread that runs it.
class ServedConsole {
 public:
  enum class Director { none, listens };

  explicit ServedConsole(Director with = Director::none) {
    if (with == Director::listens)
      write_file_atomically(show_.folder / net::control_address_file, director.address() + "\n");
    console_.emplace(io_, show_.folder.path(), OwnNames{{"127.0.0.1"}, 4711, false});
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ServedConsole() {
    io_.stop();
    thread_.join();
  }

  /// Calls with the console in its thread, and returns what that returns.
  template <typename Call>
  auto in_thread(Call call) {
    std::packaged_task<decltype(call(std::declval<Console&>()))()> task(
        [&] { return call(*console_); });
    auto result = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return result.get();
  }

  /// The response, which may come later.
  std::future<WebResponse> ask(const WebRequest& request) {
    auto response = std::make_shared<std::promise<WebResponse>>();
    auto future = response->get_future();
    boost::asio::post(io_, [this, request, response] {
      console_->answer(request,
                       [response](WebResponse one) { response->set_value(std::move(one)); });
    });
    return future;
  }
  WebResponse answer(const WebRequest& request) {
    auto response = ask(request);
    REQUIRE(response.wait_for(10s) == std::future_status::ready);
    return response.get();
  }
  [[nodiscard]] std::filesystem::path folder() const { return show_.folder.path(); }

 private:
  const ShowFolder show_;

 public:
  ListeningDirector director{net::ControlPlace(show_.folder.path()).key()};

 private:
  boost::asio::io_context io_;
  std::optional<Console> console_;
  std::thread thread_;
};

std::string line_of(const WebResponse& response) {
  return Json::parse(*response.body).at("error").get<std::string>();
}

/// A page or event stream that is open at a console.
class OpenChannel final : public Channel {
 public:
  OpenChannel(ServedConsole& console, const WebRequest& request) : console_(console) {
    user_ = console.in_thread([&](Console& site) {
      REQUIRE_FALSE(site.channel_refusal_of(request));
      return site.open(request, *this);
    });
  }
  ~OpenChannel() override {
    console_.in_thread([this](Console&) { user_.reset(); });
  }

  void wake() override { ++wakes; }
  void close() override { is_closed = true; }

  /// The next message as JSON; null where none waits.
  Json next() {
    const std::string text = next_text();
    return text.empty() ? Json() : Json::parse(text);
  }
  std::string next_text() {
    return console_.in_thread([this](Console&) {
      const auto message = user_->next();
      return message ? *message->data : std::string();
    });
  }
  /// Waits for a message of the type, and takes the state from those before it; null without one.
  Json next_of(const std::string& type) {
    Json found;
    static_cast<void>(eventually([&] {
      for (Json json = next(); !json.is_null(); json = next()) {
        take(json);
        if (json.at("type") != type) continue;
        found = json;
        break;
      }
      return !found.is_null();
    }));
    return found;
  }
  /// Whether the state becomes so.
  bool sees(const std::function<bool(const Json&)>& condition) {
    return eventually([&] {
      for (Json json = next(); !json.is_null(); json = next()) take(json);
      return condition(state);
    });
  }
  void receive(const std::string& text, bool is_text = true) {
    console_.in_thread([&](Console&) { user_->receive(text, is_text); });
  }

  std::atomic<int> wakes = 0;
  std::atomic<bool> is_closed = false;
  Json state = Json::object();
  std::vector<std::string> directors;  // what the state said of the director, one after the other

 private:
  void take(const Json& message) {
    if (message.at("type") == "state") state = message.at("state");
    if (message.at("type") == "patch") state.merge_patch(message.at("patch"));
    const std::string director = state.value("director", "");
    if (!director.empty() && (directors.empty() || directors.back() != director))
      directors.push_back(director);
  }

  ServedConsole& console_;
  std::unique_ptr<ChannelUser> user_;
};

WebRequest page_request(char letter = 'o') {
  WebRequest request = site_request("GET", "/ws", letter);
  request.is_upgrade = true;
  return request;
}

}  // namespace

TEST_CASE("the console's page is there for strangers, and nothing else is", "[console]") {
  ServedConsole console;
  const WebResponse page = console.answer(site_request("GET", "/", ' '));
  CHECK(page.status == 200);
  CHECK(page.content_type.starts_with("text/html"));
  REQUIRE(page.headers.size() == 3);
  CHECK(page.headers[0].first == "Content-Security-Policy");
  CHECK_THAT(page.headers[0].second, Catch::Contains("default-src 'self'"));
  CHECK(page.headers[1] ==
        std::pair<std::string, std::string>("X-Content-Type-Options", "nosniff"));
  CHECK(page.headers[2] == std::pair<std::string, std::string>("Referrer-Policy", "no-referrer"));
  CHECK(console.answer(site_request("HEAD", "/", ' ')).status == 200);
  const WebResponse posted = console.answer(site_request("POST", "/", ' '));
  CHECK(posted.status == 405);
  CHECK(line_of(posted) == "GET it");

  const WebResponse nothing = console.answer(site_request("GET", "/nothing", ' '));
  CHECK(nothing.status == 404);
  CHECK(line_of(nothing) == "there is nothing at this address");
  CHECK(console.answer(site_request("GET", "/api/v1/session", ' ')).status == 401);
  CHECK(console.answer(site_request("POST", "/api/v1/pause", ' ')).status == 401);
  WebRequest other_name = site_request("GET", "/", ' ');
  other_name.host = "evil.example.org";
  CHECK(console.answer(other_name).status == 403);
}

TEST_CASE("programs learn who they are, what happened, and what they may ask", "[console]") {
  ServedConsole console;
  const WebResponse session = console.answer(site_request("GET", "/api/v1/session", 'p'));
  CHECK(session.status == 200);
  CHECK(Json::parse(*session.body) == Json{{"name", "Ann"}, {"role", "presenter"}});
  const WebResponse history = console.answer(site_request("GET", "/api/v1/history", 'v'));
  CHECK(Json::parse(*history.body).at("samples") == Json::array());

  const Json api = Json::parse(*console.answer(site_request("GET", "/api/v1/openapi.json")).body);
  CHECK(api.at("openapi") == "3.0.3");
  CHECK(api.at("servers").at(0).at("url") == "http://127.0.0.1:4711/api/v1");
  const Json& paths = api.at("paths");
  CHECK_FALSE(paths.contains("/subscribe"));
  CHECK_FALSE(paths.contains("/watch"));
  const Json& seek = paths.at("/seek").at("post");
  CHECK(seek.at("operationId") == "seek");
  CHECK(seek.at("description") == "For the role presenter and above.");
  const Json& schema = seek.at("requestBody").at("content").at("application/json").at("schema");
  CHECK(schema.at("type") == "object");
  CHECK(schema.at("additionalProperties") == false);
  const auto type_of = [](const Json& verb, const char* field) {
    return verb.at("post")
        .at("requestBody")
        .at("content")
        .at("application/json")
        .at("schema")
        .at("properties")
        .at(field)
        .value("type", "");
  };
  CHECK(type_of(paths.at("/seek"), "frame") == "integer");
  CHECK(type_of(paths.at("/seek"), "seconds") == "number");
  CHECK(type_of(paths.at("/seek"), "region") == "string");
  CHECK(type_of(paths.at("/seek"), "once") == "string");
  CHECK(type_of(paths.at("/speed"), "speed") == "");  // a number or a text
  CHECK(type_of(paths.at("/view"), "view_px") == "array");
  CHECK(type_of(paths.at("/view"), "whole") == "boolean");
  CHECK(type_of(paths.at("/style"), "change") == "object");
  const auto properties_of = [&](const char* path) {
    return paths.at(path)
        .at("post")
        .at("requestBody")
        .at("content")
        .at("application/json")
        .at("schema")
        .at("properties");
  };
  CHECK(properties_of("/blank").contains("once"));  // of the whole wall
  CHECK_FALSE(properties_of("/blank").contains("region"));
  CHECK_FALSE(properties_of("/status").contains("once"));
  CHECK(seek.at("responses").size() == 7);
  CHECK(paths.at("/login").at("post").at("security") == Json::array());
  CHECK(paths.at("/tools/save").at("post").at("responses").at("400").at("description") ==
        "the tool cannot begin or end now");
  CHECK(paths.at("/snapshot")
            .at("get")
            .at("responses")
            .at("200")
            .at("content")
            .contains("image/png"));
  CHECK(paths.at("/events")
            .at("get")
            .at("responses")
            .at("200")
            .at("content")
            .contains("text/event-stream"));
}

TEST_CASE("requests that cannot be are refused with the reason", "[console]") {
  ServedConsole console;
  struct Wrong {
    WebRequest request;
    unsigned status;
    std::string line;
  };
  const std::vector<Wrong> all = {
      {site_request("GET", "/api/v1/seek"), 405, "POST it"},
      {site_request("PUT", "/api/v1/seek"), 405, "GET or POST it"},
      {site_request("GET", "/api/v1/nonsense"), 404, "there is nothing at this address"},
      {site_request("POST", "/api/v1/nonsense"), 404, "there is no such verb"},
      {site_request("POST", "/api/v1/subscribe"), 405,
       "GET /api/v1/events tells events, and the page pictures"},
      {site_request("POST", "/api/v1/watch"), 405,
       "GET /api/v1/events tells events, and the page pictures"},
      {site_request("POST", "/api/v1/seek", 'o', "[]"), 400,
       "body: expected a JSON object, found []"},
      {site_request("POST", "/api/v1/seek", 'v'), 403,
       "seek: expected the role presenter, found viewer"},
      {site_request("POST", "/api/v1/quit", 'p'), 403,
       "quit: expected the role operator, found presenter"},
      {site_request("POST", "/api/v1/key", 'p', R"({"key": "quit"})"), 403,
       "key: expected the role operator, found presenter"},
      {site_request("GET", "/api/v1/tools/save"), 405, "POST it"},
      {site_request("POST", "/api/v1/tools/save", 'p'), 403,
       "save: expected the role operator, found presenter"},
      {site_request("POST", "/api/v1/tools/save"), 400,
       "save: expected a presentation (tilewall present), found another show"},
      {site_request("POST", "/api/v1/tools/format"), 400,
       "tools: expected save, reload, check, rehearse or render, found format"},
      {site_request("POST", "/api/v1/tools/save", 'o', R"({"stop": true})"), 400,
       "save: expected a run that can be stopped, found none"},
  };
  for (const Wrong& wrong : all) {
    const WebResponse response = console.answer(wrong.request);
    CAPTURE(wrong.request.method, wrong.request.path);
    CHECK(response.status == wrong.status);
    CHECK(line_of(response) == wrong.line);
  }
}

TEST_CASE("whoever has more rights is trusted with more", "[console]") {
  ServedConsole console;
  console.in_thread([](Console& site) {
    CHECK(site.standing_of(site_request("GET", "/", ' ')) == Standing::stranger);
    CHECK(site.standing_of(site_request("GET", "/", 'v')) == Standing::guest);
    CHECK(site.standing_of(site_request("GET", "/", 'p')) == Standing::guest);
    CHECK(site.standing_of(site_request("GET", "/", 'o')) == Standing::trusted);
    const std::size_t list_bytes = 8 * 1024 * 1024;
    CHECK(site.most_body_bytes(site_request("POST", "/api/v1/show", 'o')) == list_bytes);
    CHECK(site.most_body_bytes(site_request("POST", "/api/v1/show", 'p')) == 65536);
    CHECK(site.most_body_bytes(site_request("POST", "/api/v1/show", ' ')) == 65536);
    CHECK(site.most_body_bytes(site_request("POST", "/api/v1/seek", 'o')) == 65536);
    CHECK(site.is_stream(site_request("GET", "/api/v1/events")));
    CHECK_FALSE(site.is_stream(site_request("POST", "/api/v1/events")));
    CHECK_FALSE(site.is_stream(site_request("GET", "/api/v1/status")));
  });
}

TEST_CASE("a login has 64 pages and event streams at once", "[console]") {
  ServedConsole console;
  WebRequest elsewhere = page_request();
  elsewhere.path = "/api/v1/events";
  const auto refusal_of = [&](const WebRequest& request) {
    return console.in_thread([&](Console& site) { return site.channel_refusal_of(request); });
  };
  CHECK(line_of(*refusal_of(elsewhere)) == "the WebSocket is at /ws");
  CHECK(refusal_of(page_request(' '))->status == 401);
  std::vector<std::unique_ptr<OpenChannel>> open;
  const WebRequest events = site_request("GET", "/api/v1/events");
  for (int i = 0; i < 64; ++i)
    open.push_back(std::make_unique<OpenChannel>(console, i % 2 == 0 ? page_request() : events));
  const auto full = refusal_of(page_request());
  REQUIRE(full);
  CHECK(full->status == 429);
  CHECK(line_of(*full) == "this login has 64 open pages and event streams");
  CHECK(refusal_of(events)->status == 429);
  CHECK_FALSE(refusal_of(page_request('p')));  // another one
  open.pop_back();
  CHECK_FALSE(refusal_of(page_request()));
}

TEST_CASE("a page gets a greeting, the state, and an answer to all that it sends", "[console]") {
  ServedConsole console;
  OpenChannel page(console, page_request('p'));
  const Json hello = page.next();
  CHECK(hello.at("type") == "hello");
  CHECK(hello.at("name") == "Ann");
  CHECK(hello.at("role") == "presenter");
  CHECK(hello.at("run").get<std::string>().size() >= 16);
  const Json state = page.next();
  CHECK(state.at("type") == "state");
  CHECK(state.at("state").at("director") == "away");
  CHECK(state.at("state").at("cues_edition") == 0);
  CHECK(state.at("state").at("tools") == Json::object());
  CHECK(state.at("state").at("people") ==
        Json{{{"name", "Ann"}, {"role", "presenter"}, {"browsers", 1}}});

  page.receive("\x01", false);
  CHECK(page.next_of("answer").at("answer").at("error") ==
        "message: expected a text frame, found a binary one");
  page.receive(R"({"type": "nonsense", "id": 7})");
  const Json wrong = page.next_of("answer");
  CHECK(wrong.at("id") == 7);
  CHECK(wrong.at("answer").at("type") == "refused");
  page.receive(R"({"type": "request", "id": 8, "verb": "quit"})");
  CHECK(page.next_of("answer").at("answer").at("error") ==
        "quit: expected the role operator, found presenter");
  page.receive(R"({"type": "request", "id": 9, "verb": "subscribe"})");
  CHECK(page.next_of("answer").at("answer").at("error") ==
        "console: verb: expected a verb, found \"subscribe\"");
  page.receive(R"({"type": "full"})");
  CHECK(page.next_of("state").at("state").at("director") == "away");

  // Another page of the same person, and one of somebody else.
  {
    const OpenChannel same(console, page_request('p'));
    const OpenChannel other(console, page_request('v'));
    CHECK(page.sees([](const Json& now) { return now.at("people").size() == 2; }));
    CHECK(page.state.at("people").at(0).at("browsers") == 2);
    CHECK(page.state.at("people").at(1) ==
          Json{{"name", "Ann"}, {"role", "viewer"}, {"browsers", 1}});
  }
  CHECK(page.sees([](const Json& now) {
    return now.at("people").size() == 1 && now.at("people").at(0).at("browsers") == 1;
  }));
}

TEST_CASE("a page may send two hundred messages at once, and is told once that it may not more",
          "[console]") {
  ServedConsole console;
  OpenChannel page(console, page_request('v'));
  static_cast<void>(page.next_of("state"));
  int answers = 0;
  int limit_notices = 0;
  for (int i = 0; i < 2000 && limit_notices == 0; ++i) {
    page.receive("{}");
    const Json answer = page.next_of("answer");
    limit_notices += answer.at("answer").at("error") == "too many messages: 100 a second at most";
    ++answers;
  }
  CHECK(answers > 200);
  CHECK(limit_notices == 1);
}

TEST_CASE("what a person asks goes to the director under the person's name", "[console]") {
  ServedConsole console(ServedConsole::Director::listens);
  REQUIRE(console.director.accept());
  auto pending = console.ask(site_request(
      "POST", "/api/v1/seek", 'p', R"({"frame": 100, "as": "Bob", "tag": 5, "person": "Eve"})"));
  Json seek = console.director.next("seek");
  REQUIRE(seek.is_object());
  CHECK(seek.at("frame") == 100);
  CHECK(seek.at("person") == "Ann");
  CHECK_FALSE(seek.contains("as"));
  CHECK_FALSE(seek.contains("tag"));
  CHECK(seek.at("once").get<std::string>().size() >= 16);
  console.director.send({{"type", "done"}, {"id", seek.at("id")}});
  REQUIRE(pending.wait_for(10s) == std::future_status::ready);
  CHECK(pending.get().status == 200);

  pending = console.ask(site_request("POST", "/api/v1/pause", 'p', R"({"once": "mine"})"));
  const Json pause = console.director.next("pause");
  CHECK(pause.at("once") == "mine");
  console.director.send({{"type", "refused"}, {"id", pause.at("id")}, {"error", "no"}});
  const WebResponse refused = pending.get();
  CHECK(refused.status == 422);
  CHECK(line_of(refused) == "no");

  // Questions need neither.
  pending = console.ask(site_request("POST", "/api/v1/logs", 'v', R"({"role": "panel"})"));
  const Json logs = console.director.next("logs");
  CHECK(logs.at("role") == "panel");
  CHECK_FALSE(logs.contains("person"));
  CHECK_FALSE(logs.contains("once"));
  console.director.send({{"type", "away"}, {"id", logs.at("id")}});
  CHECK(pending.get().status == 503);
}

TEST_CASE("a snapshot is a file of the director, sent and removed", "[console]") {
  ServedConsole console(ServedConsole::Director::listens);
  REQUIRE(console.director.accept());
  auto pending = console.ask(site_request("GET", "/api/v1/snapshot", 'v'));
  const Json first = console.director.next("snapshot");
  const std::filesystem::path file = console.folder() / "console-snapshot.png";
  CHECK(first.at("file") == file.string());
  CHECK(first.at("person") == "Ann");
  CHECK(first.at("once").get<std::string>().size() >= 16);
  const WebResponse busy = console.answer(site_request("GET", "/api/v1/snapshot", 'v'));
  CHECK(busy.status == 429);
  CHECK(line_of(busy) == "a snapshot is being taken; try again");
  std::ofstream(file) << "a picture";
  console.director.send({{"type", "done"}, {"id", first.at("id")}});
  const WebResponse taken = pending.get();
  CHECK(taken.status == 200);
  CHECK(taken.content_type == "image/png");
  REQUIRE(taken.headers.size() == 1);
  CHECK(taken.headers[0].second == "attachment; filename=\"wall.png\"");
  std::array<char, 32> text = {};
  CHECK(::read(taken.file.get(), text.data(), text.size()) == 9);
  CHECK(std::string(text.data()) == "a picture");
  CHECK_FALSE(std::filesystem::exists(file));

  pending = console.ask(site_request("GET", "/api/v1/snapshot", 'v'));
  const Json second = console.director.next("snapshot");
  console.director.send({{"type", "done"}, {"id", second.at("id")}});  // without a file
  CHECK(pending.get().status == 503);
  pending = console.ask(site_request("GET", "/api/v1/snapshot", 'v'));
  const Json third = console.director.next("snapshot");
  console.director.send({{"type", "refused"}, {"id", third.at("id")}, {"error", "no"}});
  CHECK(pending.get().status == 422);
}

TEST_CASE("a page sees what the director tells, as it changes", "[console]") {
  ServedConsole console(ServedConsole::Director::listens);
  OpenChannel page(console, page_request());
  OpenChannel events(console, site_request("GET", "/api/v1/events", 'v'));
  REQUIRE(console.director.accept());
  const Json asked = Json::parse(console.director.messages_until("status").back().text);
  REQUIRE(asked.at("type") == "status");
  CHECK(asked.at("per_panel") == true);
  CHECK(asked.at("lists") == true);
  console.director.send(
      {{"type", "status"},
       {"id", asked.at("id")},
       {"fps", 24.0},
       {"presentation", {{"file", "/shows/tour.toml"}}},
       {"scene", {{"bezels", "hide"}, {"content", "flat"}}},
       {"per_panel", {{{"panel", "c0r0"}, {"late", 3}}, {{"panel", ""}}, {{"panel", "c1r0"}}}}});
  CHECK(page.sees([](const Json& state) { return state.value("status", Json()).is_object(); }));
  CHECK(page.state.at("director") == "connected");
  const Json& status = page.state.at("status");
  CHECK_FALSE(status.contains("type"));
  CHECK_FALSE(status.contains("id"));
  CHECK(status.at("per_panel").size() == 2);
  CHECK(status.at("per_panel").at("c0r0").at("late") == 3);
  CHECK(page.state.at("received_ms").get<std::int64_t>() >= 0);

  // The canvas may be another one now, so the wall's panels are asked for again.
  const Json wall = console.director.next("wall");
  console.director.send({{"type", "wall"}, {"id", wall.at("id")}, {"panels", {"c0r0"}}});
  CHECK(page.sees([](const Json& state) { return state.value("wall", Json()).is_object(); }));
  CHECK(page.state.at("wall") == Json{{"panels", {"c0r0"}}});

  console.director.send({{"type", "event"}, {"event", "show"}});
  CHECK(page.sees([](const Json& state) { return state.at("cues_edition") == 1; }));
  console.director.send(
      {{"type", "event"}, {"event", "command"}, {"request", {{"type", "cue"}}}, {"from", "x"}});
  CHECK(page.sees([](const Json& state) { return state.at("cues_edition") == 2; }));
  console.director.send(
      {{"type", "event"}, {"event", "command"}, {"request", {{"type", "pause"}}}, {"from", "x"}});
  console.director.send({{"type", "event"}, {"event", "end"}});
  CHECK(page.sees([](const Json& state) { return state.at("director") == "ended"; }));
  CHECK(page.state.at("cues_edition") == 2);
  std::string text;
  CHECK(eventually([&] {
    text += events.next_text();
    return text.find("event: end\ndata: {") != std::string::npos;
  }));
  CHECK_THAT(text,
             Catch::StartsWith("event: show\ndata: {\"event\":\"show\",\"type\":\"event\"}\n\n"));
  CHECK(text.ends_with("}\n\n"));
  // A director that has told the end is not away when it is gone.
  console.director.close();
  REQUIRE(console.director.accept());
  const Json again = Json::parse(console.director.messages_until("status").back().text);
  console.director.send({{"type", "status"}, {"id", again.at("id")}, {"per_panel", Json::array()}});
  CHECK(page.sees([](const Json& state) { return state.at("director") == "connected"; }));
  REQUIRE(page.directors.size() >= 2);
  CHECK(page.directors[page.directors.size() - 2] == "ended");
}

TEST_CASE("a page's request is acknowledged, then answered", "[console]") {
  ServedConsole console(ServedConsole::Director::listens);
  REQUIRE(console.director.accept());
  REQUIRE(console.director.next("subscribe").is_object());
  OpenChannel page(console, page_request());
  CHECK(page.sees([](const Json& state) { return state.value("director", "") == "connected"; }));
  page.receive(R"({"type": "request", "id": 3, "verb": "pause"})");
  CHECK(page.next_of("received").at("id") == 3);
  const Json pause = console.director.next("pause");
  console.director.send({{"type", "done"}, {"id", pause.at("id")}, {"frame", 12}});
  const Json answer = page.next_of("answer");
  CHECK(answer.at("id") == 3);
  CHECK(answer.at("answer").at("frame") == 12);
}

TEST_CASE("the director is asked for pictures while somebody looks at them", "[console]") {
  ServedConsole console(ServedConsole::Director::listens);
  REQUIRE(console.director.accept());
  REQUIRE(console.director.next("subscribe").is_object());
  OpenChannel page(console, page_request('v'));
  CHECK(page.sees([](const Json& state) { return state.value("director", "") == "connected"; }));
  page.receive(R"({"type": "pictures", "on": true})");
  Json watch = console.director.next("watch");
  CHECK(watch.at("pictures") == true);
  // A director that refuses is asked again with the next status.
  console.director.send({{"type", "refused"}, {"id", watch.at("id")}, {"error", "too many"}});
  console.director.send({{"type", "event"}, {"event", "scene"}});  // of which a status is asked
  watch = console.director.next("watch");
  CHECK(watch.at("pictures") == true);
  console.director.send({{"type", "done"}, {"id", watch.at("id")}});
  console.director.send({{"type", "picture"}, {"panel", "c0r0"}});
  std::string picture;
  const std::string head = R"({"panel":"c0r0"})";
  CHECK(eventually([&] {
    for (std::string text = page.next_text(); !text.empty(); text = page.next_text())
      if (text.ends_with(head)) picture = text;
    return !picture.empty();
  }));
  CHECK(picture == std::string("\x10\0\0\0", 4) + head);  // 16 bytes of head, no JPEG data
  page.receive(R"({"type": "pictures", "on": false})");
  CHECK(console.director.next("watch").at("pictures") == false);
}

TEST_CASE("questions of all viewers together are limited, and keep no operator from asking",
          "[console]") {
  ServedConsole console;  // whose questions wait for a director
  std::vector<std::future<WebResponse>> waiting;
  unsigned status = 0;
  for (int i = 0; i < 2000 && status == 0; ++i) {
    waiting.push_back(console.ask(site_request("GET", "/api/v1/status", 'v')));
    console.in_thread([](Console&) {});  // it has been asked
    if (waiting.back().wait_for(0s) == std::future_status::ready) {
      const WebResponse response = waiting.back().get();
      status = response.status;
      CHECK(line_of(response) ==
            "too many questions: operators together may ask 25 a second, and all others 25");
      waiting.pop_back();
    }
  }
  CHECK(status == 429);
  CHECK(waiting.size() >= 50);
  auto of_operator = console.ask(site_request("GET", "/api/v1/status", 'o'));
  console.in_thread([](Console&) {});
  CHECK(of_operator.wait_for(0s) == std::future_status::timeout);
}
