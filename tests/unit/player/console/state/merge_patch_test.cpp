// JSON merge patches: what is told to a page that has an older state.

#include "player/console/state/merge_patch.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewall::console;
using Json = nlohmann::json;

namespace {

/// The value without members that are null, which mean the same as none. Arrays are whole.
Json without_nulls(const Json& value) {
  if (!value.is_object()) return value;
  Json result = Json::object();
  for (const auto& [name, member] : value.items())
    if (!member.is_null()) result[name] = without_nulls(member);
  return result;
}

/// A page's state after a patch.
Json patched(Json before, const Json& patch) {
  before.merge_patch(patch);
  return without_nulls(before);
}

Json random_value(std::mt19937& random, int depth) {
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const auto name = [&] { return std::string(1, static_cast<char>('a' + below(4))); };
  switch (below(depth > 0 ? 8 : 4)) {
    case 0:
      return nullptr;
    case 1:
      return below(3);
    case 2:
      return name();
    case 3:
      return below(2) == 0;
    case 4: {
      Json array = Json::array();
      for (unsigned i = below(3); i > 0; --i) array.push_back(random_value(random, depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (unsigned i = below(5); i > 0; --i) object[name()] = random_value(random, depth - 1);
      return object;
    }
  }
}

Json random_object(std::mt19937& random) {
  for (;;)
    if (Json value = random_value(random, 4); value.is_object()) return value;
}

}  // namespace

TEST_CASE("patches are those of RFC 7396", "[console]") {
  const auto patch = [](const char* before, const char* after) {
    return merge_patch(Json::parse(before), Json::parse(after));
  };
  CHECK(patch(R"({"a":"b"})", R"({"a":"c"})") == Json::parse(R"({"a":"c"})"));
  CHECK(patch(R"({"a":"b"})", R"({"a":"b","b":"c"})") == Json::parse(R"({"b":"c"})"));
  CHECK(patch(R"({"a":"b"})", R"({})") == Json::parse(R"({"a":null})"));
  CHECK(patch(R"({"a":"b","b":"c"})", R"({"b":"c"})") == Json::parse(R"({"a":null})"));
  CHECK(patch(R"({"a":["b"]})", R"({"a":"c"})") == Json::parse(R"({"a":"c"})"));
  CHECK(patch(R"({"a":"c"})", R"({"a":["b"]})") == Json::parse(R"({"a":["b"]})"));
  CHECK(patch(R"({"a":{"b":"c"}})", R"({"a":{"b":"d"}})") == Json::parse(R"({"a":{"b":"d"}})"));
  CHECK(patch(R"({"a":[{"b":"c"}]})", R"({"a":[1]})") == Json::parse(R"({"a":[1]})"));
  CHECK(patch(R"({"a":{"b":1}})", R"({"a":{}})") == Json::parse(R"({"a":{"b":null}})"));
  CHECK(patch(R"({"a":1})", R"({"a":{}})") == Json::parse(R"({"a":{}})"));
  CHECK(patch(R"({"e":null})", R"({"e":null,"a":1})") == Json::parse(R"({"a":1})"));
  CHECK(patch(R"({"a":{"b":[1,2]}})", R"({"a":{"b":[1,2]}})") == Json::object());
}

TEST_CASE("a patch leads from any state to any other", "[console]") {
  const unsigned seed = 20;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 5000; ++i) {
    const Json before = random_object(random);
    const Json after = random_object(random);
    const Json patch = merge_patch(before, after);
    INFO(before << " -> " << after << " by " << patch);
    REQUIRE(patched(before, patch) == without_nulls(after));
    REQUIRE(patched(without_nulls(before), patch) == without_nulls(after));
    REQUIRE(merge_patch(after, after) == Json::object());
  }
}
