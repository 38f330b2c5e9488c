// Requests that change the part of a movie that a region shows.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/verbs/verbs.hpp"
#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {
namespace verbs_view_test {

using Json = nlohmann::json;

/// What a region at (200, 100), 400x200 pixels of the canvas, shows after the request of a movie of
/// 1000x500 pixels.
scene::Region shown_after(const Json& request) {
  scene::Region region = movie_region("main", movie_source(100));
  region.canvas_px = {200, 100, 400, 200};
  region.timeline.start = test::start;
  scene::Scene scene = first_scene({region});
  scene.since = test::start;
  SceneChange change(scene, test::at_ms(500), Nanos(0));
  command_of(request, wall::Wall{})(change);
  return change.finish().regions.at(0);
}

RectF view_after(const Json& request) {
  const scene::Region region = shown_after(request);
  REQUIRE(region.view);
  return region.view->at(test::at_ms(5000));
}

}  // namespace verbs_view_test

using namespace verbs_view_test;

}  // namespace

TEST_CASE("a zoom keeps the place that it names, or else the region's middle", "[director]") {
  CHECK(view_after({{"type", "zoom"}, {"factor", 2}}) == RectF{250, 125, 500, 250});
  CHECK(view_after({{"type", "zoom"}, {"factor", 2}, {"x", 200}, {"y", 100}}) ==
        RectF{0, 0, 500, 250});
  CHECK(view_after({{"type", "zoom"}, {"factor", 2}, {"x", 600}}) == RectF{500, 125, 500, 250});
  CHECK(view_after({{"type", "zoom"}, {"factor", 2}, {"y", 300}}) == RectF{250, 250, 500, 250});
}

TEST_CASE("one pixel of the movie for one of the canvas shows the middle", "[director]") {
  CHECK(view_after({{"type", "one_to_one"}}) == RectF{300, 150, 400, 200});
}

TEST_CASE("a view is a rectangle of the movie, or all of it", "[director]") {
  CHECK(view_after({{"type", "view"}, {"view_px", {100, 50, 200, 100}}}) ==
        RectF{100, 50, 200, 100});
  CHECK_THROWS_WITH(command_of({{"type", "view"}, {"whole", false}}, wall::Wall{}),
                    Catch::Contains("whole: expected true, found false"));
  CHECK(shown_after({{"type", "fit"}, {"mode", "cover"}}).fit == scene::FitMode::cover);
  CHECK_THROWS_WITH(command_of({{"type", "fit"}, {"mode", "tile"}}, wall::Wall{}),
                    Catch::Contains("contain, cover or stretch, found \"tile\""));
}
