// What the decoder says about a movie is checked before it is believed.

#include "player/cli/source/movie_probe.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::cli;

namespace {

nlohmann::json good_answer() {
  return {{"width_px", 640},
          {"height_px", 480},
          {"fps", {30000, 1001}},
          {"frames", 100},
          {"picture_bytes", 460800}};
}

}  // namespace

TEST_CASE("an answer within reason is taken as it is", "[movie]") {
  const MovieProbe probe = movie_probe_from(good_answer(), "a.mp4");
  CHECK(probe.size_px == SizePx{640, 480});
  CHECK(probe.fps == Rational{30000, 1001});
  CHECK(probe.frames == 100);
  CHECK(probe.picture_bytes == 460800);
}

TEST_CASE("an answer that makes no sense is refused, naming the file", "[movie][bad-input]") {
  using nlohmann::json;
  const std::pair<const char*, json> changes[] = {{"width_px", 0},
                                                  {"width_px", 65537},
                                                  {"height_px", -1},
                                                  {"height_px", "480"},
                                                  {"frames", 0},
                                                  {"frames", 18446744073709551615U},
                                                  {"frames", 1.5},
                                                  {"fps", 24},
                                                  {"fps", {24}},
                                                  {"fps", {24, 0}},
                                                  {"fps", {-24, 1}},
                                                  {"fps", {24, 1, 1}},
                                                  {"fps", {24, 2'000'000'000}},
                                                  {"fps", nullptr},
                                                  {"picture_bytes", -1}};
  for (const auto& [field, value] : changes) {
    json answer = good_answer();
    answer[field] = value;
    CAPTURE(answer.dump());
    CHECK_THROWS_WITH(movie_probe_from(answer, "a.mp4"),
                      Catch::StartsWith("a.mp4: ") && Catch::Contains(field));
    answer.erase(field);
    CHECK_THROWS_AS(movie_probe_from(answer, "a.mp4"), InputError);
  }
}
