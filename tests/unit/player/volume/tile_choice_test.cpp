// What a picture sees of a volume: which of its voxels, and how large pixels are there.

#include "player/volume/tile_choice.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::volume;

namespace {
namespace visible_polyhedron_test {

/// 10 x 20 x 40 voxels of side 1; the first one's centre is the origin.
VolumeLevel level() {
  VolumeLevel level;
  level.size = {10, 20, 40};
  return level;
}

/// Looks along z through x = 5, y = 10: 16 x 8 pixels, 8.3 world units high.
SeenPart seen() {
  SeenPart seen;
  seen.camera.lens = Lens::orthographic;
  seen.camera.eye = {5, 10, -20.5};
  seen.camera.look_at = {5, 10, 0};
  seen.camera.up = {0, 1, 0};
  seen.camera.view_height = 8.3;
  seen.picture_px = {16, 8};
  return seen;
}

GridBox touched(const SeenPart& seen) {
  return touched_box(level(), visible_polyhedron(level(), seen).corners);
}

}  // namespace visible_polyhedron_test
}  // namespace

// Two voxels beside what is seen are touched, too.
TEST_CASE("the voxels that a flat view touches are those in its beam and beside it", "[view]") {
  using namespace visible_polyhedron_test;
  // In y from 5.85 to 14.15; in x, where the picture is wider than the volume, everything.
  CHECK(touched(seen()) == GridBox{{0, 3, 0}, {10, 18, 40}});
  CHECK(visible_polyhedron(level(), seen()).corners.size() == 8);
  CHECK(visible_polyhedron(level(), seen()).pixel == Approx(8.3 / 8));

  SeenPart off = seen();
  off.camera.centre_offset_px = {0, 2};  // down is -y: from 7.925 to 16.225
  CHECK(touched(off) == GridBox{{0, 5, 0}, {10, 20, 40}});
  off.camera.centre_offset_px = {6, 0};  // right is -x: two pixels right of the middle, 14 left
  CHECK(touched(off) == GridBox{{0, 3, 0}, {10, 18, 40}});
  off.camera.centre_offset_px = {-6, 0};  // from -9.525 to 7.075
  CHECK(touched(off) == GridBox{{0, 3, 0}, {10, 18, 40}});
  off.camera.centre_offset_px = {-9, 0};  // from -12.6375 to 3.9625
  CHECK(touched(off).end[0] == 7);
  off.camera.centre_offset_px = {9, 0};  // from 6.0375 on
  CHECK(touched(off).begin[0] == 4);

  SeenPart clipped = seen();
  clipped.clip_min = {0.5, 0, 0};   // from 4.5
  clipped.clip_max = {1, 1, 0.25};  // to 9.75
  CHECK(touched(clipped) == GridBox{{2, 3, 0}, {10, 18, 13}});
  clipped = seen();
  clipped.planes = {{{0, 2, 0}, -24.6}};  // y is 12.3 or more
  CHECK(touched(clipped) == GridBox{{0, 10, 0}, {10, 18, 40}});
  clipped.planes = {{{0, -2, 0}, -1}};  // y is at most -0.5: nothing but a side
  CHECK(visible_polyhedron(level(), clipped).corners.empty());

  SeenPart around = seen();
  around.around = true;
  CHECK(touched(around) == GridBox{{0, 0, 0}, {10, 20, 40}});
}

TEST_CASE("a pixel of a perspective view is as wide as where the volume is nearest", "[view]") {
  using namespace visible_polyhedron_test;
  SeenPart view = seen();
  view.camera.lens = Lens::perspective;
  view.camera.fov_rad = 2 * std::atan(0.2);
  // The nearest side, at z = -0.5, is 20 away, where the picture is 2 * 0.2 * 20 = 8 high.
  CHECK(visible_polyhedron(level(), view).pixel == Approx(1));
  view.camera.eye.z = 5.5;
  view.camera.look_at.z = 7;
  CHECK(visible_polyhedron(level(), view).pixel == Approx(0).margin(1e-9));
  // What lies behind the eye is not seen.
  CHECK(touched(view).begin[2] == 3);
  CHECK(touched(view).end[2] == 40);
  view.camera.up = {0, 0, 2};
  CHECK_THROWS_AS(visible_polyhedron(level(), view), InputError);
}

TEST_CASE("a box of voxels has two along each axis where there are, and grows by a share",
          "[view]") {
  using namespace visible_polyhedron_test;
  CHECK(touched_box(level(), {{100, -100, 20}}) == GridBox{{8, 0, 18}, {10, 2, 23}});
  VolumeLevel thin = level();
  thin.size.z = 1;
  CHECK(touched_box(thin, {{5.5, 5.5, 0}}) == GridBox{{3, 3, 0}, {9, 9, 1}});
  VolumeLevel coarse = level();
  coarse.place.spacing = {2, 4, 8};
  coarse.place.origin = {1, 2, 3};
  CHECK(voxel_length(coarse) == Approx(4));
  // In voxels: 2.5 to 3, 3.25 to 4 and 2.125 to 3.
  CHECK(touched_box(coarse, {{6, 15, 20}, {7, 18, 27}}) == GridBox{{0, 1, 0}, {6, 7, 6}});

  const GridBox box = {{1, 8, 20}, {9, 16, 36}};
  CHECK(grown(box, 8, {10, 20, 40}) == GridBox{{0, 6, 17}, {10, 18, 39}});
  CHECK(grown(box, 0, {10, 20, 40}) == box);
}

// The voxels are 1 x 2 x 3 units large, and the first one's centre lies at (100, 200, 300).
TEST_CASE("a volume that is seen whole ends half a voxel beyond its last centres", "[view]") {
  VolumeLevel placed;
  placed.size = {10, 20, 40};
  placed.place.spacing = {1, 2, 3};
  placed.place.origin = {100, 200, 300};
  SeenPart all;
  all.camera.lens = Lens::orthographic;
  all.camera.eye = {104.5, 219, 0};
  all.camera.look_at = {104.5, 219, 300};
  all.camera.up = {0, 1, 0};
  all.camera.view_height = 1000;
  all.picture_px = {1000, 1000};
  const auto check_box = [&](Vec3d least, Vec3d most) {
    const auto corners = visible_polyhedron(placed, all).corners;
    REQUIRE(corners.size() == 8);
    for (const Vec3d& corner : corners) {
      CHECK((corner.x == Approx(least.x) || corner.x == Approx(most.x)));
      CHECK((corner.y == Approx(least.y) || corner.y == Approx(most.y)));
      CHECK((corner.z == Approx(least.z) || corner.z == Approx(most.z)));
    }
  };
  check_box({99.5, 199, 298.5}, {109.5, 239, 418.5});
  // A clipped side lies at that share of the way from the first centre to the last one.
  all.clip_min = {0.5, 0, 0.25};
  all.clip_max = {1, 0.5, 0.75};
  check_box({104.5, 199, 329.25}, {109.5, 219, 387.75});
}

TEST_CASE("a large volume of one timestep is shown coarsely while it is read", "[view]") {
  VolumeInfo info;
  info.size = {500, 500, 500};  // 125 MB
  info.coarser = {{{250, 250, 250}, reduced_place(info.place, info.size, 2), {1, 1, 1}}};
  const std::vector<VolumeLevel> levels = volume_levels(info, {1, 1, 1});
  REQUIRE(levels.size() > 3);
  CHECK(levels[1].side == 1);
  CHECK(levels[2].side == 2);  // the file has no coarser one
  const auto plan_of = [&](std::int64_t timesteps) {
    return plan_memory(levels, VoxelType::u8, timesteps, std::size_t{4} << 30);
  };
  CHECK(plan_of(1).overview == 0);
  CHECK(plan_of(1).previews == std::vector<int>{1});
  CHECK(plan_of(1).overviews == 1);
  CHECK(plan_of(2).overview == 0);
  CHECK(plan_of(2).previews.empty());
  CHECK(plan_of(2).overviews == 2);
}

namespace {
namespace tile_choice_test {

/// A cube of u8 voxels of side 1, of which the overview is half as fine.
struct Cube {
  explicit Cube(int side) {
    VolumeInfo info;
    info.size = {side, side, side};
    levels = volume_levels(info, {1, 1, 1});
    plan.overview = 1;
    plan.detail_bytes = std::size_t{40} << 20;
    cells.side = 4;
    const int along = (side + 3) / 4;
    cells.count = {along, along, along};
    cells.least.assign(static_cast<std::size_t>(along * along * along), 0);
    cells.greatest.assign(cells.least.size(), 200);
    cells.stored = {0, 200};
  }

  std::optional<DetailChoice> choose(const SeenPart& seen, bool knows_cells = true) {
    return choose_tiles(
        levels, plan, {}, seen, look,
        [&](int level) {
          CHECK(level == 0);
          return knows_cells ? &cells : nullptr;
        },
        shown);
  }

  std::vector<VolumeLevel> levels;
  MemoryPlan plan;
  CellPairs cells;
  ShownLook look{TransferFunction({{0, {1, 1, 1, 0.5F}}}, 1), {}, 1};
  ShownTilesCache shown;
};

/// Looks along z: 12 x 8 voxels about x = y = `middle`, one for a pixel.
SeenPart seen_about(double middle) {
  SeenPart seen;
  seen.camera.lens = Lens::orthographic;
  seen.camera.eye = {middle, middle, -20};
  seen.camera.look_at = {middle, middle, 0};
  seen.camera.up = {0, 1, 0};
  seen.camera.view_height = 8;
  seen.picture_px = {12, 8};
  return seen;
}

}  // namespace tile_choice_test
}  // namespace

TEST_CASE("tiles are chosen of all of a volume with small tables, else about what is seen",
          "[view]") {
  using namespace tile_choice_test;
  Cube small(200);
  const auto of_small = small.choose(seen_about(20.3));
  REQUIRE(of_small);
  CHECK(of_small->level == 0);
  CHECK(of_small->box == GridBox{{0, 0, 0}, {200, 200, 200}});
  // Two voxels beside what is seen are touched, too.
  CHECK(of_small->needed == GridBox{{12, 14, 0}, {30, 28, 200}});
  REQUIRE(of_small->tiles);
  CHECK(of_small->tiles->count > 0);

  Cube large(400);  // tables of all of it take ten megabytes, and five are there
  const auto low = large.choose(seen_about(20.3));
  REQUIRE(low);
  CHECK(low->box == GridBox{{0, 0, 0}, {256, 256, 400}});
  const auto high = large.choose(seen_about(394.3));
  REQUIRE(high);
  CHECK(high->box == GridBox{{256, 256, 0}, {400, 400, 400}});
  const auto across = large.choose(seen_about(256.3));
  REQUIRE(across);
  CHECK_FALSE(across->tiles);  // even those of what is seen are too large, so it is a box
  CHECK(across->needed == GridBox{{248, 250, 0}, {266, 264, 400}});
}

TEST_CASE("without ranges of cells a box is chosen, and none where it would show no more",
          "[view]") {
  using namespace tile_choice_test;
  Cube cube(200);
  const auto box = cube.choose(seen_about(20.3), false);
  REQUIRE(box);
  CHECK_FALSE(box->tiles);
  CHECK(box->needed == GridBox{{12, 14, 0}, {30, 28, 200}});
  SeenPart far = seen_about(20.3);
  far.camera.view_height = 8 * 1.5;  // voxels of 0.67 pixels
  CHECK_FALSE(cube.choose(far));
  SeenPart beside = seen_about(500);
  CHECK_FALSE(cube.choose(beside));
  cube.plan.overview = 0;
  CHECK_FALSE(cube.choose(seen_about(20.3)));
}

TEST_CASE("where a look shows nothing, no tile is chosen", "[view]") {
  using namespace tile_choice_test;
  Cube cube(200);
  cube.look.function = TransferFunction({{0, {1, 1, 1, 0}}}, 1);
  const auto choice = cube.choose(seen_about(20.3));
  REQUIRE(choice);
  REQUIRE(choice->tiles);
  CHECK(choice->tiles->count == 0);
  cube.plan.detail_bytes = std::size_t{11} << 20;  // an eighth of it just holds the tables
  const auto less = cube.choose(seen_about(20.3));
  REQUIRE(less);
  CHECK(less->tiles_bytes == cube.plan.detail_bytes - cell_pairs_bytes({200, 200, 200}));
}
