#include "sync/base/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using Json = nlohmann::json;

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

}  // namespace

TEST_CASE("JSON of a peer is read up to a depth", "[base][bad-input]") {
  CHECK(parse_json(nested(64)).is_array());
  CHECK_THROWS_AS(parse_json(nested(65)), InputError);
  CHECK_THROWS_WITH(parse_json(nested(1u << 18)), Catch::Contains("64 levels"));
  CHECK_THROWS_AS(parse_json(std::string(1u << 18, '[')), InputError);
  // What was closed before counts no more, and no less.
  std::string wide = "[";
  for (int i = 0; i < 200; ++i) wide += nested(63) + (i < 199 ? "," : "]");
  CHECK(parse_json(wide).size() == 200);
  CHECK_THROWS_AS(parse_json("[[]," + nested(64) + "]"), InputError);
  CHECK_THROWS_AS(parse_json(R"([{"a": {}},)" + nested(64) + "]"), InputError);
  // Brackets in a text are none, whatever is escaped before them.
  CHECK(parse_json("[\"\\\\\\\"" + std::string(100, '[') + "\"]").size() == 1);
  CHECK_THROWS_AS(parse_json("[\"\\\\\"" + std::string(100, '[') + "\"]"), InputError);
  for (const char* wrong : {"", "]", "{", "\"", "\"\\", "nul", "1e999", "\"\xff\"", "[1,]"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_json(wrong), InputError);
  }
}

TEST_CASE("what is shown of JSON is short, whatever it is", "[base][bad-input]") {
  CHECK(shown_json(Json::parse(R"({"a": [1, -2.5, "x"], "b": {}, "c": null})")) ==
        R"({"a":[1,-2.5,"x"],"b":{},"c":null})");
  CHECK(shown_json(Json("\xff\xc3\xbc\n")) == R"("\ufffd\u00fc\n")");
  CHECK(shown_json(Json(std::string(80, 'a'))) == "\"" + std::string(79, 'a') + "...");
  CHECK(shown_json(Json(std::string(1u << 18, '\1'))).size() == 83);
  CHECK(shown_json(Json(std::vector<int>(1u << 18, 7))).size() == 83);
  CHECK(shown_json(Json{{std::string(1u << 18, 'k'), 1}}).size() == 83);
  // Nothing of ours makes such a one any more, but it must not be what ends a program.
  CHECK(shown_json(Json::parse(nested(1u << 17))) == std::string(80, '[') + "...");
}
