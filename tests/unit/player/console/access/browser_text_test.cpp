// What a browser sends: messages of the page, cookies, bodies.

#include "player/console/access/browser_text.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::console;
using Json = nlohmann::json;

namespace {

std::string message_refusal(std::string_view text) {
  const BrowserMessage message = read_browser_message(text);
  CHECK(message.kind == MessageKind::unknown);
  CHECK(message.error.find('\n') == std::string::npos);
  CHECK(message.error.size() < 400);
  return message.error;
}

}  // namespace

TEST_CASE("messages of the page are read", "[console]") {
  const BrowserMessage seek = read_browser_message(
      R"({"type": "request", "id": 17, "verb": "seek", "fields": {"by": 24}})");
  CHECK(seek.kind == MessageKind::request);
  CHECK(seek.error.empty());
  CHECK(seek.id == 17);
  CHECK(seek.verb == "seek");
  CHECK(seek.fields == Json{{"by", 24}});
  const BrowserMessage pause = read_browser_message(R"({"type": "request", "verb": "pause"})");
  CHECK(pause.kind == MessageKind::request);
  CHECK(pause.id.is_null());
  CHECK(pause.fields == Json::object());
  CHECK(read_browser_message(R"({"type": "full"})").kind == MessageKind::full);
  const BrowserMessage on = read_browser_message(R"({"type": "pictures", "on": true})");
  CHECK(on.kind == MessageKind::pictures);
  CHECK(on.on);
  CHECK_FALSE(read_browser_message(R"({"type": "pictures", "on": false})").on);
}

TEST_CASE("a bad message is refused in one line, with its id where it has one", "[console]") {
  CHECK(message_refusal("[1]") == "message: expected an object, found [1]");
  CHECK(message_refusal("{}") == "message: type: expected request, full or pictures, found null");
  CHECK(message_refusal(R"({"type": ["full"]})") ==
        "message: type: expected request, full or pictures, found [\"full\"]");
  CHECK(message_refusal(R"({"type": "request", "verb": 5})") ==
        "message: verb: expected a verb, found 5");
  CHECK(message_refusal(R"({"type": "request", "verb": "seek", "fields": [1]})") ==
        "message: fields: expected an object, found [1]");
  CHECK(message_refusal(R"({"type": "request", "verb": "seek", "fields": null})") ==
        "message: fields: expected an object, found null");
  CHECK(message_refusal(R"({"type": "pictures", "on": 1})") ==
        "message: on: expected true or false, found 1");
  CHECK(message_refusal(std::string(65, '[') + std::string(65, ']')) ==
        "message: expected JSON of at most 64 levels, found more");
  for (const char* const text :
       {"", "{", "nul", R"({"type": "request", "verb": NaN})", "{\"type\": \"\xff\"}",
        R"({"type": "full"} x)", R"({"id": 1e999})"})
    CHECK_FALSE(message_refusal(text).empty());
  CHECK(read_browser_message(R"({"id": 4, "type": "sing"})").id == 4);
  CHECK(read_browser_message(R"({"id": "4", "type": "full"})").id.is_null());
  CHECK(read_browser_message(R"({"id": {"a": 1}, "type": "full"})").id.is_null());
}

TEST_CASE("a cookie is found by its whole name", "[console]") {
  CHECK(cookie_of("a=1; b=2;c=3", "a") == "1");
  CHECK(cookie_of("a=1; b=2;c=3", "b") == "2");
  CHECK(cookie_of("a=1; b=2;c=3", "c") == "3");
  CHECK(cookie_of("aa=1", "a") == "");
  CHECK(cookie_of("a", "a") == "");
  CHECK(cookie_of("a=", "a") == "");
  CHECK(cookie_of("a=b=c", "a") == "b=c");
  CHECK(cookie_of("", "a") == "");
  CHECK(cookie_of(";;; ;a=1", "a") == "1");
  CHECK(cookie_of("x_a=2; a=1", "a") == "1");
}

TEST_CASE("a body is an object or nothing", "[console]") {
  CHECK(object_of("") == Json::object());
  CHECK(object_of(R"({"by": 1})") == Json{{"by", 1}});
  for (const char* const body : {"[]", "5", "null", "{", "\"x\"", "{} {}"})
    CHECK_THROWS_AS(object_of(body), InputError);
}

TEST_CASE("the choice that may be the operator's is the verb's own field", "[console]") {
  CHECK(choice_of("key", {{"key", "quit"}, {"verb", "arm"}}) == "quit");
  CHECK(choice_of("cue", {{"key", "arm"}, {"verb", "note"}}) == "note");
  CHECK(choice_of("cue", {{"verb", 5}}) == "");
  CHECK(choice_of("cue", Json::object()) == "");
  CHECK(choice_of("cue", Json::array()) == "");
}
