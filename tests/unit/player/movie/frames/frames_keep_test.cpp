#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <set>

#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "sync/base/file.hpp"
#include "tests/support/picture.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;

namespace {

constexpr SizePx movie_px{800, 600};
constexpr SizePx block_px{64, 48};
constexpr SizePx panel_px{200, 140};
const DrawParameters keep{0, true};

/// The part of the movie that starts at (x, y), `scale` movie pixels to a pixel of the panel.
Placement view_at(double x, double y, double scale) {
  return {{x, y, panel_px.width * scale, panel_px.height * scale}, whole(panel_px)};
}

/// A pan there and back, pixel for pixel and between pixels, then a zoom out and in.
std::vector<Placement> there_and_back() {
  std::vector<Placement> views;
  for (int i = 0; i <= 60; ++i) views.push_back(view_at(7 * i, 5 * i, 1));
  for (int i = 0; i <= 60; ++i) views.push_back(view_at(410.3 - 6.7 * i, 300.9 - 4.6 * i, 1));
  for (int i = 0; i <= 30; ++i) views.push_back(view_at(0, 0, 1 + 0.1 * i));
  std::vector<Placement> back(views.rbegin(), views.rend());
  views.insert(views.end(), back.begin(), back.end());
  return views;
}

std::set<std::pair<int, int>> blocks_of(const MovieManifest& movie,
                                        const std::vector<Placement>& views) {
  std::set<std::pair<int, int>> blocks;
  for (const Placement& view : views) {
    const ViewPlan plan = plan_view(movie, view, panel_px);
    for (const int block : plan.blocks) blocks.insert({plan.level, block});
  }
  return blocks;
}

TestPicture drawn(PictureSource& source, const Placement& view, std::int64_t frame = 0) {
  TestPicture picture(panel_px);
  REQUIRE(source.draw(frame, view, picture.view(), nullptr) == DrawStatus::whole);
  REQUIRE(picture.padding_untouched());
  return picture;
}

void add_second_frame(const Movie& movie) {
  MovieManifest two = movie.manifest;
  two.frames = 2;
  save_manifest(movie.folder.path(), two);
  std::filesystem::copy_file(movie.file(), movie.folder.path() / frame_file_name(1));
}

constexpr std::uint64_t block_pixels = std::uint64_t{64} * 48;

}  // namespace

TEST_CASE("views that move over a kept frame show the same pixels as any other", "[frames]") {
  for (const Chroma chroma : {Chroma::yuv420, Chroma::yuv444, Chroma::gray, Chroma::rgb}) {
    const Movie movie(movie_px, chroma, block_px);
    const auto kept = movie.open();
    const auto fresh = movie.open();
    kept->set_parameters(keep);
    for (const Placement& view : there_and_back()) {
      CAPTURE(static_cast<int>(chroma), view.movie_px.x, view.movie_px.width);
      REQUIRE(same_pixels(drawn(*kept, view).view(), drawn(*fresh, view).view()));
    }
  }
}

TEST_CASE("a view that goes there and back reads and decodes each block once", "[frames]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  const auto source = movie.open();
  source->set_parameters(keep);
  const auto views = there_and_back();
  for (std::size_t i = 0; i < views.size() / 2; ++i) (void)drawn(*source, views[i]);
  const std::uint64_t read_bytes = source->counters().read_bytes;
  const std::uint64_t decoded_px = source->counters().decoded_px;
  CHECK(decoded_px == blocks_of(movie.manifest, views).size() * block_pixels);
  for (std::size_t i = views.size() / 2; i < views.size(); ++i) (void)drawn(*source, views[i]);
  CHECK(source->counters().read_bytes == read_bytes);
  CHECK(source->counters().decoded_px == decoded_px);
}

TEST_CASE("while frames change, a moving view decodes each of its blocks once a frame",
          "[frames]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  add_second_frame(movie);
  const auto source = movie.open();
  std::uint64_t blocks = 0;
  for (int i = 0; i < 40; ++i) {
    const Placement view = view_at(3.7 * i, 2.2 * i, i % 2 == 0 ? 1 : 1.3);
    const std::int64_t next = (i + 1) % 2;
    source->expect({&next, 1});
    (void)drawn(*source, view, i % 2);
    blocks += plan_view(movie.manifest, view, panel_px).blocks.size();
    REQUIRE(source->counters().decoded_px == blocks * block_pixels);
  }
}

TEST_CASE("blocks of a kept frame are not taken for another's", "[frames]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  add_second_frame(movie);
  FrameWriter(movie.manifest, {})
      .write(noise_picture(movie_px, Chroma::yuv420, 1), movie.folder.path() / frame_file_name(1));
  const auto kept = movie.open();
  const auto fresh = movie.open();
  kept->set_parameters(keep);
  for (const int frame : {0, 1, 0})
    for (const double scale : {1.0, 1.5})
      CHECK(same_pixels(drawn(*kept, view_at(10, 10, scale), frame).view(),
                        drawn(*fresh, view_at(10, 10, scale), frame).view()));
  const std::uint64_t decoded_px = kept->counters().decoded_px;
  (void)drawn(*kept, view_at(10, 10, 1), 1);  // both frames are there
  CHECK(kept->counters().decoded_px == decoded_px);
  kept->set_parameters({});
  kept->set_parameters(keep);
  (void)drawn(*kept, view_at(10, 10, 1));
  CHECK(kept->counters().decoded_px > decoded_px);  // nothing is held while nothing is to be kept
}

TEST_CASE("a damaged block of a kept frame shows the last good picture, whatever the scale",
          "[frames][bad-input]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  FrameIndex index;
  const UniqueFd fd = open_for_reading(movie.file());
  REQUIRE(index.load(fd.get(), movie.manifest, 0));
  const BlockPlace place = index.blocks()[14];  // row 1, column 1
  std::fstream file(movie.file(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(place.offset_bytes + place.size_bytes / 2));
  file << std::string(place.size_bytes / 2, '\xff');
  file.close();
  const auto kept = movie.open();
  const auto fresh = movie.open();
  kept->set_parameters(keep);
  const TestPicture last_good = random_picture(panel_px, 5);
  for (const double scale : {1.0, 1.0, 1.4, 1.4}) {
    const TestPicture a(panel_px);
    const TestPicture b(panel_px);
    const Placement view = view_at(30, 20, scale);
    const ImageView good = last_good.view();
    CHECK(kept->draw(0, view, a.view(), &good) == DrawStatus::damaged);
    CHECK(fresh->draw(0, view, b.view(), &good) == DrawStatus::damaged);
    CHECK(pixel_at(a.view(), {50, 50}) == pixel_at(good, {50, 50}));
    CHECK(same_pixels(a.view(), b.view()));
  }
  CHECK(kept->counters().damaged_blocks == 4);
}

TEST_CASE("a request for coarser pictures takes levels below, down to the last", "[frames]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  const auto source = movie.open();
  const TestPicture sharp = drawn(*source, view_at(0, 0, 1));
  const int levels = movie.manifest.levels;
  REQUIRE(levels >= 4);
  std::uint64_t decoded_px = source->counters().decoded_px;
  for (int coarser_by = 1; coarser_by < levels + 3; ++coarser_by) {
    source->set_parameters({coarser_by, false});
    const TestPicture coarse = drawn(*source, view_at(0, 0, 1));
    CHECK(source->counters().level == std::min(coarser_by, levels - 1));
    const std::uint64_t now_px = source->counters().decoded_px - decoded_px;
    decoded_px += now_px;
    if (coarser_by == 1) CHECK(now_px <= 9 * block_pixels);  // of 16 blocks at level 0
    const auto a = pixel_at(sharp.view(), {100, 70});
    const auto b = pixel_at(coarse.view(), {100, 70});
    if (coarser_by <= 2) CHECK(std::abs(a[1] - b[1]) <= 8);
  }
  source->set_parameters({-1, false});
  CHECK(same_pixels(drawn(*source, view_at(0, 0, 1)).view(), sharp.view()));
}

TEST_CASE("coarser panels are crops of one big coarser picture", "[frames]") {
  const Movie movie(movie_px, Chroma::yuv420, block_px);
  const auto source = movie.open();
  source->set_parameters({2, false});
  const TestPicture wall(movie_px);
  REQUIRE(source->draw(0, {whole(movie_px), whole(movie_px)}, wall.view(), nullptr) ==
          DrawStatus::whole);
  for (const PointPx at : {PointPx{0, 0}, {200, 140}, {597, 452}}) {
    const TestPicture panel = drawn(*source, view_at(at.x, at.y, 1));
    for (int y = 0; y < panel_px.height && at.y + y < movie_px.height; ++y)
      for (int x = 0; x < panel_px.width && at.x + x < movie_px.width; ++x) {
        const auto a = pixel_at(wall.view(), {at.x + x, at.y + y});
        const auto b = pixel_at(panel.view(), {x, y});
        for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(a[i] - b[i]) <= 1);
      }
  }
}

TEST_CASE("a cache of blocks keeps those used last, within its budget", "[frames]") {
  const BlockShape shape{{64, 16}, Chroma::yuv420};
  const std::size_t block_bytes = 64 * 16 + 2 * 64 * 8;  // rows of chroma start on 64 bytes, too
  REQUIRE(shape.bytes() == block_bytes);
  BlockCache cache(3 * block_bytes + 1);
  CHECK(cache.fits(3, shape));
  CHECK_FALSE(cache.fits(4, shape));
  const std::uint64_t a = cache.new_owner();
  const std::uint64_t b = cache.new_owner();
  for (const int block : {0, 1, 2}) std::ignore = cache.add({a, 7, 0, block}, shape);
  const PlanarPicture* const first = cache.find({a, 7, 0, 0});
  REQUIRE(first != nullptr);
  std::ignore = cache.add({b, 7, 0, 0}, shape);
  CHECK(cache.find({a, 7, 0, 1}) == nullptr);  // used longest ago
  CHECK(cache.find({a, 7, 0, 0}) == first);
  CHECK(cache.find({a, 7, 0, 2}) != nullptr);
  CHECK(cache.find({b, 7, 0, 0}) != nullptr);
  CHECK(cache.find({a, 8, 0, 0}) == nullptr);
  CHECK(cache.find({a, 7, 1, 0}) == nullptr);
  cache.forget({a, 7, 0, 2});
  CHECK(cache.find({a, 7, 0, 2}) == nullptr);
  CHECK(cache.used_bytes() == 2 * block_bytes);
  cache.forget_all_of(a);
  CHECK(cache.find({a, 7, 0, 0}) == nullptr);
  CHECK(cache.find({b, 7, 0, 0}) != nullptr);
  CHECK(cache.used_bytes() == block_bytes);
}

TEST_CASE("blocks of several sizes make room for each other", "[frames]") {
  const BlockShape small{{64, 16}, Chroma::gray};
  const BlockShape large{{64, 64}, Chroma::rgb};
  BlockCache cache(large.bytes());
  for (int block = 0; block < 20; ++block) {
    std::ignore = cache.add({1, 0, 0, block}, small);
    CHECK(cache.used_bytes() <= large.bytes());
  }
  const PlanarPicture& planes = cache.add({2, 0, 0, 0}, large);
  CHECK(planes.planes.size() == 3);
  CHECK(cache.used_bytes() == large.bytes());
  CHECK(cache.find({1, 0, 0, 19}) == nullptr);
}

TEST_CASE("sources that share memory draw in turn as they draw alone", "[frames]") {
  const Movie one(movie_px, Chroma::yuv420, block_px);
  const Movie two(movie_of(movie_px, Chroma::yuv444, {80, 64}),
                  noise_picture(movie_px, Chroma::yuv444, 3));
  const auto memory = std::make_shared<DrawMemory>();
  std::unique_ptr<PictureSource> sharing[] = {open_wall_movie(one.folder.path(), 2, memory),
                                              open_wall_movie(two.folder.path(), 2, memory)};
  const std::unique_ptr<PictureSource> alone[] = {one.open(), two.open()};
  for (auto& source : sharing) source->set_parameters(keep);
  for (int i = 0; i < 12; ++i)
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
      const Placement view = view_at(9.5 * (i % 6), 20, i % 3 == 0 ? 1 : 1.4);
      REQUIRE(same_pixels(drawn(*sharing[which], view).view(), drawn(*alone[which], view).view()));
    }
  CHECK(sharing[1]->counters().decoded_px < alone[1]->counters().decoded_px / 3);
  CHECK(memory->kept.used_bytes() > 0);
  sharing[0].reset();
  sharing[1]->set_parameters({});
  CHECK(memory->kept.used_bytes() == 0);
}

TEST_CASE("a view of more blocks than there is room for is drawn all the same", "[frames]") {
  const SizePx size{6400, 4800};  // 88 MiB
  PlanarPicture picture(size, Chroma::rgb);
  for (Plane& plane : picture.planes)
    for (int y = 0; y < size.height; ++y)
      std::memset(plane.row(y), y % 256, static_cast<std::size_t>(size.width));
  const Movie movie(movie_of(size, Chroma::rgb, {640, 400}), picture);
  const auto source = movie.open();
  source->set_parameters(keep);
  const TestPicture all(size);
  REQUIRE(source->draw(0, {whole(size), whole(size)}, all.view(), nullptr) == DrawStatus::whole);
  const TestPicture part = drawn(*source, view_at(3000, 2000, 1));
  CHECK(pixel_at(all.view(), {3100, 2050}) == pixel_at(part.view(), {100, 50}));
}
