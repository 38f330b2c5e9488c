#include "player/movie/frames/movie_view.hpp"

#include <catch2/catch.hpp>

#include "player/movie/frames/view_plan.hpp"

using namespace tilewall;
using namespace tilewall::movie;

namespace {

/// Four by two blocks of 64 px, and a level of half the size.
MovieManifest small_movie() {
  MovieManifest movie;
  movie.size_px = {256, 128};
  movie.frames = 1;
  movie.chroma = Chroma::yuv420;
  movie.block_px = {64, 64};
  movie.levels = 2;
  movie.order = BlockOrder::rows;
  return movie;
}

const picture::Placement shifted{{32, 16, 100, 80}, {0, 0, 100, 80}};
constexpr SizePx picture_px{100, 80};

}  // namespace

TEST_CASE("a view is planned once, and again when it or its level changes", "[movie][view]") {
  const MovieManifest movie = small_movie();
  MovieView view(movie);
  CHECK(view.plan(shifted, picture_px));
  CHECK_FALSE(view.plan(shifted, picture_px));
  CHECK(view.plan(shifted, {100, 64}));
  view.set_coarser_by(0);
  CHECK_FALSE(view.plan(shifted, {100, 64}));
  view.set_coarser_by(1);
  CHECK(view.plan(shifted, {100, 64}));
  CHECK(view.now().level == 1);
}

TEST_CASE("blocks of an exact view lie where the offset puts them", "[movie][view]") {
  const MovieManifest movie = small_movie();
  MovieView view(movie);
  REQUIRE(view.plan(shifted, picture_px));
  REQUIRE(view.now().fit.exact);
  CHECK_FALSE(view.shows_nothing());
  REQUIRE(view.now().blocks == std::vector<int>{0, 1, 2, 4, 5, 6});
  CHECK(view.block_px(3) == RectPx{0, 64, 64, 64});
  CHECK(view.shown_px(3) == RectPx{0, 48, 32, 32});
  CHECK(view.part_in_block(3, view.shown_px(3)) == RectPx{32, 0, 32, 32});
  CHECK(view.shown_px(1) == RectPx{32, 0, 64, 48});
  CHECK(view.part_in_block(1, view.shown_px(1)) == RectPx{0, 16, 64, 48});
}

TEST_CASE("a scaled view reads a window of whole blocks", "[movie][view]") {
  const MovieManifest movie = small_movie();
  MovieView view(movie);
  REQUIRE(view.plan({{128, 0, 128, 128}, {0, 0, 96, 96}}, {96, 96}));
  REQUIRE_FALSE(view.now().fit.exact);
  REQUIRE(view.now().level == 0);
  const RectPx window = view.now().window_px;
  CHECK(window == RectPx{64, 0, 192, 128});  // the filter reads some pixels left of 128
  CHECK(view.block_in_window(0) == PointPx{0, 0});
  CHECK(view.block_in_window(4) == PointPx{64, 64});
  const ScaleJob job = view.scale_job();
  CHECK(job.source_px == SizePx{192, 128});
  CHECK(job.target_px == SizePx{96, 96});
  CHECK(job.shown_px.x == 64);
  CHECK(job.shown_px.width == 128);
}

TEST_CASE("a view beside the movie shows nothing", "[movie][view]") {
  const MovieManifest movie = small_movie();
  MovieView view(movie);
  REQUIRE(view.plan({{300, 0, 100, 80}, {0, 0, 100, 80}}, picture_px));
  CHECK(view.shows_nothing());
}

// 16 by 8 blocks of 64 px.
TEST_CASE("the window of a scaled view is its part and the filter's reach, on each axis",
          "[movie][view]") {
  MovieManifest movie = small_movie();
  movie.size_px = {1024, 512};
  movie.levels = 1;
  const auto window = [&](const picture::Placement& placement, SizePx size) {
    MovieView view(movie);
    REQUIRE(view.plan(placement, size));
    REQUIRE_FALSE(view.now().fit.exact);
    return view.now().window_px;
  };
  // Four thirds of a pixel for each of the picture's: the filter reaches 4 * 4 / 3 + 2 = 8 pixels.
  // So 504 to 648 by 120 to 200 are read.
  CHECK(window({{512, 128, 128, 64}, {0, 0, 96, 48}}, {96, 48}) == RectPx{448, 64, 256, 192});
  // Twice as many in y, where it reaches 4 * 8 / 3 + 2 = 13 pixels: 115 to 269.
  CHECK(window({{512, 128, 128, 128}, {0, 0, 96, 48}}, {96, 48}) == RectPx{448, 64, 256, 256});
  // One part in x, where it reaches 4 + 2 pixels: 506 to 614; in y 120 to 200 as before.
  CHECK(window({{512, 128, 96, 64}, {0, 0, 96, 48}}, {96, 48}) == RectPx{448, 64, 192, 192});
  // It ends with the movie: from 888 and from 440 on.
  CHECK(window({{896, 448, 128, 64}, {0, 0, 96, 48}}, {96, 48}) == RectPx{832, 384, 192, 128});
}

TEST_CASE("a view is exact only if both its axes are", "[movie][view]") {
  const auto is_exact = [](const picture::Placement& placement) {
    return fit_image({256, 128}, 0, placement, {100, 80}).exact;
  };
  CHECK(is_exact({{32, 16, 100, 80}, {0, 0, 100, 80}}));
  CHECK_FALSE(is_exact({{32, 16, 100, 80}, {0, 0, 50, 80}}));
  CHECK_FALSE(is_exact({{32, 16, 100, 80}, {0, 0, 100, 40}}));
  CHECK_FALSE(is_exact({{32.5, 16, 100, 80}, {0, 0, 100, 80}}));
  CHECK_FALSE(is_exact({{32, 16.5, 100, 80}, {0, 0, 100, 80}}));
}
