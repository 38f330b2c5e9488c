// Volumes in bricks, larger than the memory that they may take: only what shows something is held.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "player/scene/volume_look.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "player/volume/remote/volume_server.hpp"
#include "render/bricks/brick_job.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/readers/load_volume.hpp"
#include "render/transfer/named_transfers.hpp"
#include "tests/support/ball_camera.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::volume;

namespace {

constexpr int side = 160;

/// Shells of 120, cores of 60, nothing between.
void write_zarr(const test::TemporaryFolder& folder) {
  std::string bytes;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double a = std::hypot(x - 50, y - 60, z - 70);
        const double b = std::hypot(x - 110, y - 100, z - 90);
        const bool shell = std::abs(a - 24) < 4 || std::abs(b - 20) < 4;
        bytes += static_cast<char>(shell ? 120 + 6 * ((x + y) % 3) : a < 9 ? 60 : 0);
      }
  const std::string n = std::to_string(side);
  std::ofstream(folder / "v.raw", std::ios::binary) << bytes;
  std::ofstream(folder / "v.toml")
      << "size = [" << n << ", " << n << ", " << n << "]\ntype = \"u8\"\nfile = \"v.raw\"\n";
  VolumeInputs inputs({(folder / "v.toml").string()}, {});
  BrickOptions options;
  options.output = folder / "v.zarr";
  options.side = 32;
  static_cast<void>(write_bricks(inputs, options, [](const BrickProgress&) {}));
}

/// Opaque from `least` on.
VolumeStyle showing(double least, CastMode mode) {
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.range = ValueRange{static_cast<float>(least), static_cast<float>(255 + least)};
  style.mode = mode;
  style.iso_value = least + 20;
  return style;
}

}  // namespace

TEST_CASE("of bricks only those are held that show something, and the picture is that of all",
          "[view][levels]") {
  const test::TemporaryFolder folder;
  write_zarr(folder);
  VolumeJob job;
  job.path = (folder / "v.zarr").string();
  job.memory_bytes = std::size_t{11} << 20;  // all of it takes 21 MB
  job.caster = CasterChoice::cpu;
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job, gpu, 2);
  REQUIRE(test::eventually([&] { return store.get(0) != nullptr; }));
  const ReadyTimestepPtr overview = store.get(0);
  CHECK(overview->level > 0);
  SeenPart seen;
  seen.camera = camera_around({80, 80, 80}, 200, 0.3, 0.4);
  seen.camera.lens = Lens::orthographic;
  seen.camera.view_height = 140;
  seen.picture_px = {150, 140};
  CastMessage request;
  set_camera(request, seen.camera);
  request.picture_width = request.width = seen.picture_px.width;
  request.picture_height = request.height = seen.picture_px.height;

  VolumeFile file = VolumeFile::open(job.path);
  ReadyTimestep whole(load_volume(file, {}), 2);
  whole.whole = overview->whole;
  int number = 0;
  const auto picture_of = [&](ReadyTimestep& timestep, const VolumeStyle& style) {
    TestPicture picture(seen.picture_px);
    make_picture(timestep, {"style " + std::to_string(++number), style}, request, picture.view(),
                 2);
    return picture;
  };
  const auto shown_as_whole = [&](const VolumeStyle& style) {
    const auto choice = test::chosen_detail(store, 0, seen, look_of(*overview, style));
    REQUIRE(choice);
    CHECK(choice->level == 0);
    REQUIRE(choice->tiles);
    CHECK(choice->tiles->count < choice->tiles->uses.size() / 2);
    store.want_detail(0, *choice);
    std::uint64_t most = 0;
    REQUIRE(test::eventually([&] {
      most = std::max(most, store.figures().held_bytes);
      return store.detail(0, *choice).ready != nullptr;
    }));
    CHECK(std::max(most, store.figures().held_bytes) <= job.memory_bytes);
    const ReadyTimestepPtr detail = store.detail(0, *choice).ready;
    CHECK(detail->volume.tiles()->loaded_tiles() >= choice->tiles->count);
    const TestPicture made = picture_of(*detail, style);
    const TestPicture expected = picture_of(whole, style);
    bool same = true;
    for (int y = 0; y < seen.picture_px.height; ++y)
      for (int x = 0; x < seen.picture_px.width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          same = same && pixel_at(made.view(), {x, y})[c] == pixel_at(expected.view(), {x, y})[c];
    CHECK(same);
    return detail->volume.tiles()->loaded_tiles();
  };
  const std::size_t shells = shown_as_whole(showing(90, CastMode::composite));
  const std::uint64_t read = store.figures().read.read_bytes;
  // A style that shows less needs nothing more; one that shows more reads what is missing.
  CHECK(shown_as_whole(showing(100, CastMode::isosurface)) >= shells);
  const std::size_t cores = shown_as_whole(showing(30, CastMode::composite));
  CHECK(cores > shells);
  CHECK(store.figures().read.read_bytes - read < std::uint64_t{side} * side * side);
  seen.planes = {{{1, 0, 0}, -60}};
  CHECK(test::chosen_detail(store, 0, seen, look_of(*overview, showing(30, CastMode::composite)))
            ->tiles->count < cores);
  // A style that shows everything: as before there were tiles, a box of what fits.
  VolumeStyle average = showing(30, CastMode::average);
  seen.planes.clear();
  const auto dense = test::chosen_detail(store, 0, seen, look_of(*overview, average));
  CHECK((!dense || dense->level > 0 || dense->tiles == nullptr));

  // From a server the same is taken, and drawn.
  VolumeServer server({folder.path()});
  const test::ServedSource served(server);
  VolumeJob there = job;
  there.path = served.url("v.zarr?transport=tcp");
  TimestepStore store_there(there, gpu, 2);
  REQUIRE(test::eventually([&] { return store_there.get(0) != nullptr; }));
  const VolumeStyle shown = showing(90, CastMode::composite);
  const ShownLook look = look_of(*overview, shown);
  const auto here = test::chosen_detail(store, 0, seen, look);
  const auto choice = test::chosen_detail(store_there, 0, seen, look);
  REQUIRE((here && choice && choice->tiles));
  CHECK(choice->level == here->level);
  CHECK(choice->box == here->box);
  CHECK(choice->tiles->uses == here->tiles->uses);
  CHECK(choice->tiles->fill == here->tiles->fill);
  store_there.want_detail(0, *choice);
  REQUIRE(test::eventually([&] { return store_there.detail(0, *choice).ready != nullptr; }));
  const TestPicture made = picture_of(*store_there.detail(0, *choice).ready, shown);
  const TestPicture expected = picture_of(whole, shown);
  CHECK(same_pixels(made.view(), expected.view()));
}

TEST_CASE("what is expected next is read while the present detail is drawn", "[view][levels]") {
  const test::TemporaryFolder folder;
  write_zarr(folder);
  VolumeJob job;
  job.path = (folder / "v.zarr").string();
  job.memory_bytes = std::size_t{11} << 20;
  job.caster = CasterChoice::cpu;
  HostGpu gpu(CasterChoice::cpu);
  const auto bricks_read = [&](bool expects) {
    TimestepStore store(job, gpu, 2, TimestepStore::Previews::left_out);
    REQUIRE(test::eventually([&] { return store.get(0) != nullptr; }));
    SeenPart seen;
    seen.camera = camera_around({80, 80, 80}, 200, 0.3, 0.4);
    seen.camera.lens = Lens::orthographic;
    seen.camera.view_height = 140;
    seen.picture_px = {150, 140};
    const ShownLook look = look_of(*store.get(0), showing(90, CastMode::composite));
    const auto all = test::chosen_detail(store, 0, seen, look);
    seen.planes = {{{-1, 0, 0}, 70}};
    const auto part = test::chosen_detail(store, 0, seen, look);
    REQUIRE((all && all->tiles && part && part->tiles));
    REQUIRE(part->tiles->count < all->tiles->count);
    const auto is_ready = [&](const DetailChoice& choice) {
      store.want_detail(0, choice);
      return test::eventually([&] { return store.detail(0, choice).ready != nullptr; });
    };
    REQUIRE(is_ready(*part));
    const std::uint64_t before = store.figures().read.read_bricks;
    if (expects) {
      store.expect_detail(0, *all);
      CHECK(test::eventually([&] { return store.figures().read.read_bricks > before; }));
      CHECK(store.figures().held_bytes <= job.memory_bytes);
      CHECK(store.detail(0, *part).ready->volume.tiles()->loaded_tiles() >= part->tiles->count);
    }
    REQUIRE(is_ready(*all));
    return store.figures().read.read_bricks;
  };
  CHECK(bricks_read(true) == bricks_read(false));
}
