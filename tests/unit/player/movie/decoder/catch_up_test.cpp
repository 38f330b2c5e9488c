// What a decoder that is behind leaves out.

#include "player/movie/decoder/catch_up.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::movie;

namespace {

const std::vector<FrameRequest> patient = {{100, 1, 1, true}, {101, 1, 1, true}};
const std::vector<FrameRequest> strict = {{100, 1, 1, true}, {101, 1, 1, false}};

}  // namespace

TEST_CASE("a decoder hurries from half a second behind until it is nearly in time", "[movie]") {
  CatchUp catch_up(20);
  catch_up.look(patient);
  catch_up.go(110, 100);
  CHECK_FALSE(catch_up.in_a_hurry());
  catch_up.go(111, 100);
  CHECK(catch_up.in_a_hurry());
  catch_up.go(105, 100);
  CHECK(catch_up.in_a_hurry());
  catch_up.go(101, 100);
  CHECK_FALSE(catch_up.in_a_hurry());
}

TEST_CASE("a decoder calms down a tenth of a second behind", "[movie]") {
  CatchUp catch_up(100);
  catch_up.look(patient);
  catch_up.go(151, 100);
  CHECK(catch_up.in_a_hurry());
  catch_up.go(111, 100);
  CHECK(catch_up.in_a_hurry());
  catch_up.go(109, 100);
  CHECK_FALSE(catch_up.in_a_hurry());
}

TEST_CASE("nothing is left out while a panel needs every frame", "[movie]") {
  CatchUp catch_up(20);
  catch_up.look(strict);
  catch_up.go(200, 100);
  CHECK_FALSE(catch_up.in_a_hurry());
  CHECK(catch_up.farthest_for(200, 1000) == 200);
  catch_up.look(patient);
  catch_up.go(200, 100);
  catch_up.leave_out({100, 110});
  catch_up.look(strict);
  CHECK_FALSE(catch_up.in_a_hurry());
  CHECK(catch_up.left_out().empty());
}

TEST_CASE("a hurried decoder may jump a little ahead, within the movie", "[movie]") {
  CatchUp catch_up(20);
  catch_up.look(patient);
  catch_up.go(200, 100);
  CHECK(catch_up.farthest_for(200, 1000) == 210);
  CHECK(catch_up.farthest_for(200, 205) == 204);
  CHECK(catch_up.farthest_for(200, 0) == 200);
}

TEST_CASE("what was left out is not missed until the movie begins again", "[movie]") {
  CatchUp catch_up(20);
  catch_up.look(patient);
  catch_up.go(200, 100);
  for (std::int64_t frame = 0; frame < 1000; ++frame) catch_up.leave_out({frame, frame + 1});
  REQUIRE(catch_up.left_out().size() == 128);  // the newest, in order
  for (std::size_t i = 0; i < 128; ++i) {
    CHECK(catch_up.left_out()[i].first == 872 + static_cast<std::int64_t>(i));
    CHECK(catch_up.left_out()[i].end == 873 + static_cast<std::int64_t>(i));
  }
  CHECK(catch_up.left_out().back().first == 999);
  catch_up.leave_out({7, 7});
  CHECK(catch_up.left_out().back().first == 999);
  catch_up.go(0, 1000);
  CHECK(catch_up.left_out().empty());
}
