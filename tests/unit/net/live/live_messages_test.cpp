// Control messages of live sources.

#include "net/live/live_messages.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;
using Json = nlohmann::json;

namespace {

LiveDescription description() {
  LiveDescription description;
  description.name = "gs";
  description.rank = 3;
  description.ranks = 4;
  description.run = "0123456789abcdef";
  description.grid = {128, 64, 32};
  description.spacing = {0.5, 1, 2};
  description.origin = {-1, 0, 1};
  description.units = "mm";
  description.fields = {{"u", LiveType::f32, "K"}, {"v", LiveType::u8, ""}};
  description.reached = 41;
  description.time = 2.5;
  description.steps_s = 12;
  return description;
}

/// What parsing the description says with one field replaced; "" if it is taken.
std::string fault_with(const std::string& field, const Json& value) {
  Json json = to_json(description());
  json[field] = value;
  try {
    static_cast<void>(live_description_from_json(json));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a rank's description has this text, and is parsed to the same", "[live]") {
  const Json json = to_json(description());
  CHECK(json.dump() ==
        R"({"fields":[{"name":"u","type":"f32","units":"K"},{"name":"v","type":"u8","units":""}],)"
        R"("grid":[128,64,32],"name":"gs","origin":[-1.0,0.0,1.0],"rank":3,"ranks":4,)"
        R"("reached":41,"run":"0123456789abcdef","spacing":[0.5,1.0,2.0],"steps_s":12.0,)"
        R"("time":2.5,"units":"mm"})");
  CHECK(to_json(live_description_from_json(json)) == json);
  LiveDescription fresh = description();
  fresh.reached.reset();
  CHECK(!live_description_from_json(to_json(fresh)).reached);
}

TEST_CASE("a description is refused by its wrong field", "[live][bad-input]") {
  const auto field = [](const std::string& name) {
    return Json{{"name", name}, {"type", "f32"}, {"units", ""}};
  };
  CHECK(fault_with("name", "gs").empty());
  CHECK_THAT(fault_with("name", "a b"), Catch::Contains("name: expected 1 to 64 letters"));
  CHECK_THAT(fault_with("name", ""), Catch::Contains("name"));
  CHECK_THAT(fault_with("name", std::string(65, 'a')), Catch::Contains("name"));
  CHECK_THAT(fault_with("name", 4), Catch::Contains("name"));
  CHECK_THAT(fault_with("ranks", 1025), Catch::Contains("ranks"));
  CHECK_THAT(fault_with("ranks", 0), Catch::Contains("ranks"));
  CHECK_THAT(fault_with("rank", 4), Catch::Contains("rank: expected a whole number from 0 to 3"));
  CHECK_THAT(fault_with("rank", -1), Catch::Contains("rank"));
  CHECK_THAT(fault_with("run", "xyz"), Catch::Contains("run"));
  CHECK_THAT(fault_with("grid", Json{8193, 1, 1}), Catch::Contains("grid"));
  CHECK_THAT(fault_with("grid", Json{0, 1, 1}), Catch::Contains("grid"));
  CHECK_THAT(fault_with("grid", Json{8, 8}), Catch::Contains("grid"));
  CHECK(fault_with("grid", Json{8192, 1, 1}).empty());
  CHECK_THAT(fault_with("spacing", Json{1, 0, 1}), Catch::Contains("spacing"));
  CHECK_THAT(fault_with("origin", Json{1, "x", 1}), Catch::Contains("origin"));
  CHECK_THAT(fault_with("units", std::string(65, 'm')), Catch::Contains("units"));
  CHECK_THAT(fault_with("fields", Json{field("u"), field("u")}), Catch::Contains("fields"));
  CHECK_THAT(fault_with("fields", Json{Json{{"name", "u"}, {"type", "f16"}, {"units", ""}}}),
             Catch::Contains("type"));
  CHECK_THAT(fault_with("fields", std::vector<Json>(65, field("u"))), Catch::Contains("fields"));
  CHECK_THAT(fault_with("reached", -1), Catch::Contains("reached"));
  CHECK_THAT(fault_with("steps_s", -1), Catch::Contains("steps_s"));
  CHECK_THAT(fault_with("time", "now"), Catch::Contains("time"));
  CHECK_THROWS_AS(live_description_from_json(Json::array()), InputError);
}

TEST_CASE("what is wanted has this text, and is parsed to the same", "[live]") {
  LiveWant want{"u", 12, LivePolicy::nth, 2, 1, std::array<double, 2>{0, 1}};
  CHECK(to_json(want).dump() ==
        R"({"field":"u","policy":"nth","quantise":[0.0,1.0],"timestep":12,"type":"want",)"
        R"("wait_s":2.0})");
  CHECK(live_want_from_json(to_json(want)) == want);
  want.quantise.reset();
  CHECK(live_want_from_json(to_json(want)) == want);
  want.stride = 10;
  CHECK(to_json(want).dump() ==
        R"({"field":"u","policy":"nth","stride":10,"timestep":12,"type":"want","wait_s":2.0})");
  CHECK(live_want_from_json(to_json(want)) == want);
  const auto fault = [&](const char* field, const Json& value) -> std::string {
    Json json = to_json(want);
    json[field] = value;
    try {
      static_cast<void>(live_want_from_json(json));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(fault("field", "../u"), Catch::Contains("field"));
  CHECK_THAT(fault("timestep", std::uint64_t{1} << 60), Catch::Contains("timestep"));
  CHECK_THAT(fault("policy", "all"), Catch::Contains("policy"));
  CHECK_THAT(fault("wait_s", 61), Catch::Contains("wait_s: expected 0 to 60"));
  CHECK_THAT(fault("wait_s", -1), Catch::Contains("wait_s"));
  CHECK_THAT(fault("stride", 0), Catch::Contains("stride"));
  CHECK_THAT(fault("stride", 1.5), Catch::Contains("stride"));
  CHECK_THAT(fault("quantise", Json{1, 1}), Catch::Contains("quantise"));
  CHECK_THAT(fault("quantise", Json{1}), Catch::Contains("quantise"));
}

TEST_CASE("a rank tells what it reached", "[live]") {
  const LiveReached reached{7, 0.25};
  CHECK(to_json(reached).dump() == R"({"time":0.25,"timestep":7,"type":"reached"})");
  CHECK(live_reached_from_json(to_json(reached)) == reached);
  CHECK_THROWS_AS(live_reached_from_json(Json{{"timestep", 7}}), InputError);
  CHECK_THROWS_AS(live_reached_from_json(Json{{"timestep", -7}, {"time", 1}}), InputError);
}

TEST_CASE("a connecting rank says whose it is", "[live]") {
  CHECK(to_text({"gs", 3, 4}) == "live gs 3 4");
  CHECK(parse_live_offer("live gs 3 4") == LiveOffer{"gs", 3, 4});
  CHECK(parse_live_offer("live gs 1023 1024").rank == 1023);
  CHECK(parse_live_offer("live gs 0 1") == LiveOffer{"gs", 0, 1});
  for (const char* wrong : {"", "live", "live gs 3", "live gs 4 4", "live gs 0 0", "live gs 0 1025",
                            "live gs -1 4", "live gs 1 4 ", "live  gs 1 4", "volumes gs 1 4",
                            "live g/s 1 4", "live gs 1x 4", "live gs 99999999999 4"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_live_offer(wrong), InputError);
  }
}
