// The console's site as programs ask it, over a director that the test plays.

#include "player/console/console.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/player/console/served_console.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace std::chrono_literals;
using namespace tilewall::test;

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
