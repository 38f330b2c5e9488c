// Figures of the last ten minutes, one sample a second.

#include "player/console/state/history.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::console;
using Json = nlohmann::json;

TEST_CASE("a sample has the figures of a status, and null for what it lacks", "[console]") {
  History history;
  history.add({{"fps", 24}, {"due_fps", 25}, {"frames_late", 3}, {"skew_us", {{"p99", 7}}}},
              10'000);
  history.add({{"fps", nullptr}, {"skew_us", 5}}, 11'000);
  history.add("no status", 12'000);
  const Json json = history.json();
  CHECK(json.at("every_s") == 1.0);
  REQUIRE(json.at("samples").size() == 3);
  CHECK(json.at("samples").at(0) ==
        Json{{"at_utc_ms", 10'000}, {"fps", 24}, {"due_fps", 25}, {"late", 0}, {"skew_p99_us", 7}});
  CHECK(json.at("samples").at(1).at("skew_p99_us").is_null());
  CHECK(json.at("samples").at(2).at("fps").is_null());
}

TEST_CASE("a sample has the frames that were late since the one before", "[console]") {
  History history;
  std::int64_t ms = 10'000;
  for (const int late : {5, 5, 8, 2, 4}) history.add({{"frames_late", late}}, ms += 1000);
  const Json samples = history.json().at("samples");
  std::vector<int> each;
  for (const Json& sample : samples) each.push_back(sample.at("late").get<int>());
  CHECK(each == std::vector<int>{0, 0, 3, 0, 2});  // the count began again after the third
}

TEST_CASE("samples are a second apart, and ten minutes are kept", "[console]") {
  History history;
  for (std::int64_t ms = 1'000'000; ms < 2'000'000; ms += 250) history.add(Json::object(), ms);
  const Json samples = history.json().at("samples");
  CHECK(samples.size() == History::most);
  CHECK(samples.front().at("at_utc_ms") == 1'400'000);
  CHECK(samples.back().at("at_utc_ms") == 1'999'000);
  history.add(Json::object(), 500'000);  // the system's clock was set back
  CHECK(history.json().at("samples").back().at("at_utc_ms") == 500'000);
}
