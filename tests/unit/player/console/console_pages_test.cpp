// The console's site as pages see it, over a director that the test plays.

#include <catch2/catch.hpp>

#include "sync/base/busy_folder.hpp"
#include "tests/support/run_folder.hpp"
#include "tests/unit/player/console/served_console.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace std::chrono_literals;
using namespace tilewall::test;

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

TEST_CASE("only operators learn which movies are written on the machine", "[console]") {
  const RunFolder run;
  const TemporaryFolder movie;
  const BusyFolder job(movie.path());
  write_file_atomically(movie / "status.json",
                        R"({"done": 3, "total": 6, "unit": "frames", "bytes": 9, "per_s": 1})");
  ServedConsole console;
  OpenChannel operator_page(console, page_request('o'));
  CHECK(operator_page.sees([&](const Json& now) {
    const Json movies = now.value("movies", Json::array());
    return movies.size() == 1 && movies.at(0).at("movie") == movie.path().string();
  }));
  for (const char role : {'p', 'v'}) {
    OpenChannel page(console, page_request(role));
    const Json state = page.next_of("state").at("state");
    CHECK(state.contains("people"));
    CHECK(state.dump().find(movie.path().string()) == std::string::npos);
  }
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
