// Pictures of the whole wall: where each panel's picture lies, and what is said of strays.

#include "player/director/snapshots/wall_snapshot.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/snapshots/snapshot_writers.hpp"
#include "player/movie/codecs/image_rows.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::test;

namespace {

/// Pixels of one gray, as rows of BGRX.
std::vector<std::uint8_t> gray_pixels(SizePx size, std::uint8_t level) {
  return std::vector<std::uint8_t>(static_cast<std::size_t>(size.width * size.height) * 4, level);
}

/// The red of each pixel of a PNG file.
std::vector<std::vector<int>> reds_of(const std::filesystem::path& file) {
  const auto rows = movie::open_image_rows(file);
  std::vector<std::vector<int>> reds;
  std::vector<std::uint8_t> row(static_cast<std::size_t>(rows->size_px().width * rows->channels()));
  for (int y = 0; y < rows->size_px().height; ++y) {
    rows->read_row(row.data());
    reds.emplace_back();
    for (std::size_t x = 0; x < row.size(); x += static_cast<std::size_t>(rows->channels()))
      reds.back().push_back(row[x]);
  }
  return reds;
}

/// Two panels of 4 x 2 pixels, with bezels between them.
wall::Wall wall_of_two_panels() {
  return tilewall::wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [4, 2]\nsize_mm = [40.0, 20.0]\n"
      "bezel_mm = 5\n");
}

constexpr SizePx panel_px{4, 2};

}  // namespace

TEST_CASE("a snapshot puts panels beside each other without their bezels", "[director]") {
  const TemporaryFolder folder;
  const wall::Wall wall = wall_of_two_panels();
  WallSnapshot snapshot(wall, {7, folder / "wall.png", false});
  CHECK(snapshot.empty());
  CHECK_FALSE(snapshot.complete());
  snapshot.add(0, 7, panel_px, gray_pixels(panel_px, 10));
  CHECK_FALSE(snapshot.empty());
  CHECK_FALSE(snapshot.complete());
  std::vector<std::uint8_t> right = gray_pixels(panel_px, 20);
  right[2] = 99;  // the red of its first pixel
  snapshot.add(1, 7, panel_px, right);
  CHECK(snapshot.complete());
  CHECK(snapshot.write().empty());
  CHECK(reds_of(folder / "wall.png") ==
        std::vector<std::vector<int>>{{10, 10, 10, 10, 99, 20, 20, 20},
                                      {10, 10, 10, 10, 20, 20, 20, 20}});
}

TEST_CASE("a panel's first picture of the right size counts", "[director]") {
  const TemporaryFolder folder;
  const wall::Wall wall = wall_of_two_panels();
  WallSnapshot snapshot(wall, {7, folder / "wall.png", true});
  snapshot.add(0, 7, {2, 4}, gray_pixels({2, 4}, 1));
  snapshot.add(0, 7, panel_px, gray_pixels({4, 1}, 1));
  CHECK(snapshot.empty());
  snapshot.add(0, 7, panel_px, gray_pixels(panel_px, 2));
  snapshot.add(0, 8, panel_px, gray_pixels(panel_px, 3));
  snapshot.add(1, 9, panel_px, gray_pixels(panel_px, 4));
  CHECK(snapshot.complete());
  CHECK(snapshot.write() == (folder / "wall.png").string() + ": frame 7: c1r0 showed 9");
  CHECK(reds_of(folder / "wall-c0r0.png")[0][0] == 2);
  CHECK(reds_of(folder / "wall-c1r0.png")[1][3] == 4);
  CHECK_FALSE(std::filesystem::exists(folder / "wall.png"));
}

TEST_CASE("a snapshot says which panels showed another frame or nothing", "[director]") {
  const TemporaryFolder folder;
  const wall::Wall wall = wall_of_two_panels();
  const std::string file = (folder / "wall.png").string();
  {
    const WallSnapshot none(wall, {7, file, false});
    CHECK_THROWS_WITH(none.write(), Catch::Contains("frame 7: expected a panel that showed it"));
  }
  {
    WallSnapshot one(wall, {7, file, false});
    one.add(1, 6, panel_px, gray_pixels(panel_px, 50));
    CHECK(one.write() == file + ": frame 7: c0r0 showed nothing, c1r0 showed 6");
    CHECK(reds_of(file)[0] == std::vector<int>{0, 0, 0, 0, 50, 50, 50, 50});
  }
  WallSnapshot both(wall, {7, file, false});
  for (const std::size_t panel : {std::size_t{0}, std::size_t{1}})
    both.add(panel, 6, panel_px, gray_pixels(panel_px, 50));
  CHECK(both.write() == file + ": frame 7: all 2 panels showed 6");
  both.name_frame(6);
  CHECK(both.request().frame == 6);
  CHECK(both.write().empty());
}

TEST_CASE("panels of half the density are enlarged by the nearest pixel", "[director]") {
  const TemporaryFolder folder;
  const wall::Wall wall = tilewall::wall_of(
      "columns = 3\nrows = 1\n[panels]\nsize_px = [4, 2]\nsize_mm = [40.0, 20.0]\n"
      "[[panel]]\nname = \"c2r0\"\nsize_px = [2, 1]\nsize_mm = [40.0, 20.0]\n");
  WallSnapshot snapshot(wall, {0, folder / "wall.png", false});
  snapshot.add(0, 0, panel_px, gray_pixels(panel_px, 10));
  snapshot.add(1, 0, panel_px, gray_pixels(panel_px, 20));
  std::vector<std::uint8_t> coarse = gray_pixels({2, 1}, 30);
  coarse[6] = 40;  // the red of its second pixel
  snapshot.add(2, 0, {2, 1}, coarse);
  snapshot.write();
  const std::vector<int> row = {10, 10, 10, 10, 20, 20, 20, 20, 30, 30, 40, 40};
  CHECK(reds_of(folder / "wall.png") == std::vector<std::vector<int>>{row, row});
}

TEST_CASE("the next director writes the snapshots that the last one has not", "[director]") {
  const TemporaryFolder folder;
  const wall::Wall wall = wall_of_two_panels();
  const std::vector<SnapshotRequest> requests = {{7, folder / "seven.png", false},
                                                 {8, folder / "eight.png", false}};
  const auto add = [&](SnapshotWriters& writers, std::size_t panel, std::int64_t frame) {
    writers.add(panel, {frame, frame}, panel_px, gray_pixels(panel_px, 10));
  };
  nlohmann::json checkpoint;
  {
    SnapshotWriters first(wall, requests);
    add(first, 0, 7);
    add(first, 1, 7);
    add(first, 0, 8);
    static_cast<void>(first.finish(false, [] {}));
    CHECK(first.note_saved().empty());  // no checkpoint says so
    checkpoint = first.checkpoint();
    CHECK(first.note_saved() == std::vector<std::int64_t>{7});
    CHECK(first.note_saved().empty());
  }
  CHECK(std::filesystem::remove(folder / "seven.png"));
  SnapshotWriters next(wall, requests);
  next.restore(checkpoint);
  CHECK(next.is_saved(7));
  CHECK_FALSE(next.is_saved(8));
  add(next, 0, 7);  // the panels have not heard that it is written
  add(next, 1, 7);
  add(next, 0, 8);
  add(next, 1, 8);
  const SnapshotsWritten written = next.finish(true, [] {});
  CHECK(written.notes.empty());
  CHECK(written.errors.empty());
  CHECK_FALSE(std::filesystem::exists(folder / "seven.png"));
  CHECK(std::filesystem::exists(folder / "eight.png"));
}
