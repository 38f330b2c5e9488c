#include "player/movie/frames/movie_view.hpp"

#include <catch2/catch.hpp>

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
