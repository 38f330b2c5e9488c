#include "player/scene/operator_messages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::scene;
using Json = nlohmann::json;

TEST_CASE("every key has a name of its own that leads back to it", "[scene]") {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(OperatorKey::quit); ++i) {
    const auto key = static_cast<OperatorKey>(i);
    names.insert(key_name(key));
    CHECK(parse_key(key_name(key)) == key);
    CHECK(key_from_json(to_json(key)) == key);
  }
  CHECK(names.size() == static_cast<std::size_t>(OperatorKey::quit) + 1);
  CHECK(key_name(OperatorKey::toggle_pause) == "toggle_pause");
  CHECK(key_name(OperatorKey::step_forward) == "step_forward");
  CHECK(key_name(OperatorKey::view_one_to_one) == "view_one_to_one");
  CHECK(key_name(OperatorKey::volume_up) == "volume_up");
  CHECK(key_name(OperatorKey::quit) == "quit");
}

TEST_CASE("a pointer message comes back as it was", "[scene]") {
  for (const PointerKind kind :
       {PointerKind::wheel, PointerKind::drag, PointerKind::slide, PointerKind::double_click}) {
    const CanvasPointer pointer{kind, {12.5, -3}, {0.25, 1e4}, -2};
    CHECK(pointer_from_json(Json::parse(to_json(pointer).dump())) == pointer);
  }
  CHECK(to_json(CanvasPointer{PointerKind::drag, {1, 2}, {3, 4}, 0}) == Json{{"type", "pointer"},
                                                                             {"kind", "drag"},
                                                                             {"canvas", {1., 2.}},
                                                                             {"by", {3., 4.}},
                                                                             {"steps", 0.}});
}

TEST_CASE("operator messages that make no sense are refused or ignored", "[scene][bad-input]") {
  CHECK_FALSE(key_from_json(Json{{"key", "self_destruct"}}));
  CHECK_FALSE(parse_key(""));
  CHECK_THROWS_AS(key_from_json(Json{{"key", 3}}), InputError);
  CHECK_THROWS_AS(key_from_json(Json::object()), InputError);
  const Json good = to_json(CanvasPointer{});
  for (const char* field : {"kind", "canvas", "by", "steps"}) {
    Json json = good;
    json[field] = "x";
    CHECK_THROWS_WITH(pointer_from_json(json), Catch::Contains(field));
    json.erase(field);
    CHECK_THROWS_WITH(pointer_from_json(json), Catch::Contains(field));
  }
  Json json = good;
  json["steps"] = Json::parse(std::string(1 << 17, '[') + std::string(1 << 17, ']'));
  CHECK_THROWS_WITH(pointer_from_json(json), Catch::EndsWith("[[..."));
  json = good;
  json["canvas"] = {1, 2, 3};
  CHECK_THROWS_WITH(pointer_from_json(json), Catch::Contains("canvas"));
  json["canvas"] = {1e300, -1e300};
  json["steps"] = 1e300;
  const CanvasPointer far = pointer_from_json(json);
  CHECK(far.at_px == PointF{1e7, -1e7});
  CHECK(far.steps == 1000);
}

TEST_CASE("a field's number is of its type, or refused", "[scene][bad-input]") {
  const Json json = {{"large", 1LL << 32}, {"half", 1.5},      {"less", -1},
                     {"most", UINT64_MAX}, {"list", {1, 2.5}}, {"pairs", {{1, 2}, {3, 1LL << 40}}}};
  CHECK(json_field<std::int64_t>(json, "large") == 1LL << 32);
  CHECK_THROWS_WITH(json_field<int>(json, "large"), Catch::Contains("found 4294967296"));
  CHECK_THROWS_AS(json_field<int>(json, "half"), InputError);
  CHECK(json_field<double>(json, "half") == 1.5);
  CHECK(json_field<int>(json, "less") == -1);
  CHECK_THROWS_AS(json_field<std::uint64_t>(json, "less"), InputError);
  CHECK(json_field<std::uint64_t>(json, "most") == UINT64_MAX);
  CHECK_THROWS_AS(json_field<std::int64_t>(json, "most"), InputError);
  CHECK_THROWS_AS(json_field<std::vector<int>>(json, "list"), InputError);
  CHECK(json_field<std::vector<double>>(json, "list").size() == 2);
  using Pairs = std::vector<std::vector<std::int32_t>>;
  CHECK_THROWS_AS(json_field<Pairs>(json, "pairs"), InputError);
  CHECK_THROWS_AS(json_field<int>(Json("text"), "large"), InputError);
}
