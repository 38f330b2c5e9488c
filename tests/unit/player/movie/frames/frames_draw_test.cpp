#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/frames/worker_pool.hpp"
#include "player/picture/bgrx.hpp"
#include "player/picture/picture_source.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;

namespace {

/// A picture with a guard of two pixels on every side that nobody may touch.
class Picture {
 public:
  explicit Picture(SizePx size, std::uint8_t fill = 77)
      : stride_(static_cast<std::size_t>(size.width + 4) * 4),
        bytes_(stride_ * static_cast<std::size_t>(size.height + 4), fill),
        fill_(fill),
        view_{bytes_.data() + 2 * stride_ + 8, size, stride_} {}

  [[nodiscard]] const ImageView& view() const { return view_; }
  [[nodiscard]] std::array<int, 4> at(int x, int y) const {
    const std::uint8_t* p = view_.row(y) + 4 * x;
    return {p[0], p[1], p[2], p[3]};
  }
  [[nodiscard]] bool guard_untouched() const {
    const auto& size = view_.size_px;
    for (int y = -2; y < size.height + 2; ++y)
      for (int x = -2; x < size.width + 2; ++x) {
        if (x >= 0 && y >= 0 && x < size.width && y < size.height) continue;
        const std::uint8_t* p = bytes_.data() + static_cast<std::size_t>(y + 2) * stride_ +
                                static_cast<std::size_t>(x + 2) * 4;
        for (int i = 0; i < 4; ++i)
          if (p[i] != fill_) return false;
      }
    return true;
  }

 private:
  std::size_t stride_;
  std::vector<std::uint8_t> bytes_;
  std::uint8_t fill_;
  ImageView view_;
};

constexpr std::array<int, 4> black{0, 0, 0, 255};

int largest_difference(const ImageView& a, const ImageView& b) {
  int largest = 0;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int i = 0; i < 4 * a.size_px.width; ++i)
      largest = std::max(largest, std::abs(a.row(y)[i] - b.row(y)[i]));
  return largest;
}

/// Every block has a luma of its own, so a block in the wrong place shows.
PlanarPicture numbered_blocks(const MovieManifest& movie) {
  PlanarPicture picture(movie.size_px, Chroma::yuv420);
  for (std::size_t p = 1; p < 3; ++p)
    for (int y = 0; y < picture.planes[p].size_px.height; ++y)
      std::memset(picture.planes[p].row(y), 128, std::size_t(picture.planes[p].size_px.width));
  const BlockGrid grid = block_grid(movie, 0);
  for (int y = 0; y < movie.size_px.height; ++y)
    for (int x = 0; x < movie.size_px.width; ++x) {
      const int block = y / grid.block_px.height * grid.columns() + x / grid.block_px.width;
      picture.planes[0].row(y)[x] = static_cast<std::uint8_t>(20 + 5 * block);
    }
  return picture;
}

}  // namespace

TEST_CASE("every pixel shows the block it lies in, at any offset", "[frames]") {
  const MovieManifest manifest = movie_of({200, 150}, Chroma::yuv420, {48, 32});
  const Movie movie(manifest, numbered_blocks(manifest));
  const auto source = movie.open();
  for (const PointPx at : {PointPx{0, 0},
                           {48, 32},
                           {1, 1},
                           {47, 63},
                           {-30, -20},
                           {150, 100},
                           {-500, 0},
                           {199, 149},
                           {200, 150}}) {
    Picture picture({90, 70});
    const Placement placement = crop_at(at.x, at.y, {90, 70});
    REQUIRE(source->draw(0, placement, picture.view(), nullptr) == DrawStatus::whole);
    CAPTURE(at.x, at.y);
    REQUIRE(picture.guard_untouched());
    for (int y = 0; y < 70; ++y)
      for (int x = 0; x < 90; ++x) {
        const int mx = x + at.x;
        const int my = y + at.y;
        const auto pixel = picture.at(x, y);
        if (mx < 0 || my < 0 || mx >= 200 || my >= 150) {
          REQUIRE(pixel == black);
          continue;
        }
        const int luma = 20 + 5 * (my / 32 * 5 + mx / 48);
        REQUIRE(std::abs(pixel[0] - luma) <= 1);
        REQUIRE(pixel[3] == 255);
      }
  }
}

TEST_CASE("a crop is that part of the whole picture, whatever the chroma", "[frames]") {
  for (const Chroma chroma : {Chroma::gray, Chroma::yuv420, Chroma::yuv444, Chroma::rgb}) {
    const Movie movie({333, 241}, chroma, {64, 48});
    const auto source = movie.open();
    Picture all({333, 241});
    source->draw(0, crop_at(0, 0, {333, 241}), all.view(), nullptr);
    Picture part({100, 80});
    source->draw(0, crop_at(57, 31, {100, 80}), part.view(), nullptr);
    CAPTURE(static_cast<int>(chroma));
    CHECK(largest_difference(part_of(all.view(), {57, 31, 100, 80}), part.view()) == 0);
  }
}

TEST_CASE("lossless blocks give back every sample", "[frames]") {
  for (const BlockCompression compression : {BlockCompression::deflate, BlockCompression::zstd})
    for (const Chroma chroma : {Chroma::gray, Chroma::rgb}) {
      MovieManifest manifest = movie_of({97, 61}, chroma, {48, 32});
      manifest.compression = compression;
      const PlanarPicture noise = noise_picture({97, 61}, chroma, 3);
      const Movie movie(manifest, noise);
      Picture picture({97, 61});
      REQUIRE(movie.open()->draw(0, crop_at(0, 0, {97, 61}), picture.view(), nullptr) ==
              DrawStatus::whole);
      const std::size_t blue = chroma == Chroma::gray ? 0 : 2;
      for (int y = 0; y < 61; ++y)
        for (int x = 0; x < 97; ++x) {
          REQUIRE(picture.at(x, y)[0] == noise.planes[blue].row(y)[x]);
          REQUIRE(picture.at(x, y)[2] == noise.planes[0].row(y)[x]);
        }
    }
}

TEST_CASE("each level comes back as the picture halved", "[frames]") {
  for (const Chroma chroma : {Chroma::gray, Chroma::yuv420, Chroma::yuv444, Chroma::rgb})
    for (const SizePx size : {SizePx{1, 1}, SizePx{17, 5}, SizePx{642, 642}, SizePx{321, 63}}) {
      const Movie movie(size, chroma, {64, 48});
      PlanarPicture expected = wave_picture(size, chroma);
      for (int level = 0; level < movie.manifest.levels; ++level) {
        const auto got = decode_frame_to_planes(movie.manifest, movie.folder.path(), 0, level);
        CAPTURE(static_cast<int>(chroma), size.width, level);
        REQUIRE(got.size_px == level_size_px(size, level));
        for (std::size_t p = 0; p < got.planes.size(); ++p)
          CHECK(plane_psnr_db(got.planes[p], expected.planes[p]) >= 40);
        if (level + 1 < movie.manifest.levels) expected = halved(expected);
      }
      CHECK(verify_frame(movie.manifest, movie.folder.path(), 0).empty());
    }
}

TEST_CASE("the level is the coarsest that is fine enough", "[frames]") {
  const auto level_for = [](double shrink) {
    return choose_level({{0, 0, 1000, 1000}, {0, 0, 1000 / shrink, 1000 / shrink}}, 4);
  };
  CHECK(level_for(0.1) == 0);
  CHECK(level_for(1) == 0);
  CHECK(level_for(1.99) == 0);
  CHECK(level_for(2) == 1);
  CHECK(level_for(3.9) == 1);
  CHECK(level_for(4) == 2);
  CHECK(level_for(1000) == 3);
  CHECK(choose_level({{0, 0, 1000, 1000}, {0, 0, 100, 1000}}, 4) == 0);
}

TEST_CASE("a block's part of a picture is where it lies and as far as the filter looks",
          "[frames]") {
  ImageFit fit;  // half size, at (10, 20) of the picture; the filter looks 4 * 2 + 2 pixels far
  fit.target_px = {10, 20, 100, 50};
  fit.source_px = {0, 0, 200, 100};
  CHECK(block_in_picture(fit, {64, 32, 32, 16}) == RectPx{37, 31, 27, 19});
  CHECK(block_in_picture(fit, {0, 0, 32, 16}) == RectPx{10, 20, 22, 14});
  CHECK(block_in_picture(fit, {192, 96, 32, 16}) == RectPx{101, 63, 9, 7});
  fit.source_px = {100, 50, 50, 25};  // twice its size: the filter looks 4 + 2 pixels far
  CHECK(block_in_picture(fit, {112, 60, 16, 8}) == RectPx{22, 28, 57, 41});
  CHECK(block_in_picture(fit, {160, 60, 16, 8}).empty());
  fit.exact = true;
  fit.offset_px = {-90, -30};
  CHECK(block_in_picture(fit, {112, 60, 16, 8}) == RectPx{22, 30, 16, 8});
}

TEST_CASE("a movie at half size is level 1 pixel for pixel", "[frames]") {
  const Movie movie({642, 482}, Chroma::yuv444, {64, 64});
  const auto source = movie.open();
  Picture picture({321, 241});
  source->draw(0, {whole({642, 482}), whole({321, 241})}, picture.view(), nullptr);
  const std::uint64_t blocks = 6 * 4;
  CHECK(source->counters().decoded_px == blocks * 64 * 64);
}

TEST_CASE("a small movie on a large picture is enlarged smoothly", "[frames]") {
  const Movie movie({60, 40}, Chroma::yuv420, {64, 48});
  const auto source = movie.open();
  Picture big({600, 400});
  REQUIRE(source->draw(0, {whole({60, 40}), whole({600, 400})}, big.view(), nullptr) ==
          DrawStatus::whole);
  Picture small({60, 40});
  source->draw(0, crop_at(0, 0, {60, 40}), small.view(), nullptr);
  for (int y = 1; y < 39; ++y)
    for (int x = 1; x < 59; ++x) {
      const auto a = small.at(x, y);
      const auto b = big.at(10 * x + 5, 10 * y + 5);
      for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(a[i] - b[i]) <= 6);
    }
}

TEST_CASE("chroma of four pixels a sample scales alike wherever a part begins", "[frames]") {
  // Noise, so that every sample that a filter does not see shows.
  const SizePx source_px{512, 64};
  PlanarPicture picture;
  picture.planes = {Plane(source_px), Plane({128, 16}), Plane({128, 16})};
  std::mt19937 random(3);
  for (Plane& plane : picture.planes)
    for (std::uint8_t& sample : plane.samples) sample = static_cast<std::uint8_t>(random());
  PlanesView view;
  for (std::size_t p = 0; p < 3; ++p) {
    view.samples[p] = picture.planes[p].samples.data();
    view.stride_bytes[p] = picture.planes[p].stride_bytes;
  }
  PlaneFormat format;
  format.subsample_w_log2 = format.subsample_h_log2 = 2;
  const auto scaled = [&](const RectF& shown, SizePx size) {
    Picture target(size);
    Scaler scaler(1);
    scaler.prepare({source_px, format, shown, size});
    REQUIRE(scaler.run(0, 0, view, target.view()));
    REQUIRE(target.guard_untouched());
    return target;
  };
  const Picture whole_picture = scaled({0, 0, 512, 64}, {1024, 128});
  for (int x = 256; x < 272; ++x) {
    const int y = x - 240;
    CAPTURE(x, y);
    const Picture part = scaled({double(x), double(y), 64, 16}, {128, 32});
    CHECK(largest_difference(part_of(whole_picture.view(), {2 * x, 2 * y, 128, 32}),
                             part.view()) <= 8);  // noise shows how coefficients are rounded
  }
}

TEST_CASE("an empty or absurd placement is black", "[frames]") {
  const Movie movie({64, 48}, Chroma::yuv420, {64, 48});
  const auto source = movie.open();
  const double infinite = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const Placement& placement :
       {Placement{{0, 0, 0, 0}, {0, 0, 10, 10}}, Placement{{0, 0, 10, 10}, {0, 0, 0, 10}},
        Placement{{none, 0, 10, 10}, {0, 0, 10, 10}},
        Placement{{0, 0, 10, 10}, {0, 0, infinite, 10}},
        Placement{{-1e9, 0, 10, 10}, {0, 0, 10, 10}}, Placement{{0, 0, -5, 10}, {0, 0, 10, 10}},
        Placement{{0, 0, 10, 10}, {1e12, 0, 10, 10}}}) {
    Picture picture({20, 20});
    CHECK(source->draw(0, placement, picture.view(), nullptr) == DrawStatus::whole);
    CHECK(picture.at(0, 0) == black);
    CHECK(picture.at(19, 19) == black);
    CHECK(picture.guard_untouched());
  }
}

TEST_CASE("extreme zooms are drawn", "[frames]") {
  const Movie movie({640, 480}, Chroma::yuv420, {64, 48});
  const auto source = movie.open();
  for (const Placement& placement :
       {Placement{{320, 240, 1e-3, 1e-3}, {0, 0, 50, 50}},
        Placement{{0, 0, 640, 480}, {10, 10, 1, 1}}, Placement{{0, 0, 640, 480}, {10, 10, 30, 1}},
        Placement{{-1e6, -1e6, 2e6, 2e6}, {0, 0, 50, 50}},
        Placement{{639.5, 479.5, 1, 1}, {0, 0, 50, 50}}}) {
    Picture picture({50, 50});
    CHECK(source->draw(0, placement, picture.view(), nullptr) == DrawStatus::whole);
    CHECK(picture.guard_untouched());
  }
}

TEST_CASE("panels that scale are crops of one big scaled picture", "[frames]") {
  struct Case {
    SizePx movie;
    RectF shown;
    SizePx wall;
  };
  const Case cases[] = {{{640, 400}, {0, 0, 640, 400}, {1000, 700}},
                        {{640, 400}, {33.3, 21.7, 401.9, 222.2}, {1000, 700}},
                        {{1280, 960}, {0, 0, 1280, 960}, {1000, 700}},
                        {{1999, 1501}, {-100, 50.5, 2100, 1400}, {600, 400}},
                        {{642, 642}, {0, 0, 642, 642}, {641, 641}}};
  for (const Chroma chroma : {Chroma::yuv420, Chroma::yuv444, Chroma::rgb, Chroma::gray})
    for (const Case& c : cases) {
      const Movie movie(c.movie, chroma, {64, 48});
      const auto source = movie.open();
      Picture wall(c.wall);
      REQUIRE(source->draw(0, {c.shown, whole(c.wall)}, wall.view(), nullptr) == DrawStatus::whole);
      const SizePx panel{c.wall.width / 2, c.wall.height / 2};
      for (int i = 0; i < 4; ++i) {
        const int x = i % 2 * panel.width;
        const int y = i / 2 * panel.height;
        Picture part(panel);
        const auto one = open_wall_movie(movie.folder.path(), 1);
        RectF placed = whole(c.wall);
        placed.x = -x;
        placed.y = -y;
        REQUIRE(one->draw(0, {c.shown, placed}, part.view(), nullptr) == DrawStatus::whole);
        CAPTURE(static_cast<int>(chroma), c.movie.width, i);
        CHECK(largest_difference(part_of(wall.view(), {x, y, panel.width, panel.height}),
                                 part.view()) <= 1);
      }
    }
}

TEST_CASE("a panel's share of a movie made for its wall is one range of the file", "[frames]") {
  MovieManifest manifest = movie_of({320, 240}, Chroma::yuv420, {32, 16});
  manifest.order = BlockOrder::panels;
  const SizePx panel{64, 80};
  const Movie movie(manifest, noise_picture({320, 240}, Chroma::yuv420, 5), panel);
  const UniqueFd fd = open_for_reading(movie.file());
  FrameIndex index;
  REQUIRE(index.load(fd.get(), manifest, 0));
  for (int column = 0; column < 5; ++column)
    for (int row = 0; row < 3; ++row) {
      const ViewPlan plan = plan_view(manifest, crop_at(column * 64, row * 80, panel), panel);
      REQUIRE(plan.blocks.size() == 10);
      std::uint64_t begin = UINT64_MAX, end = 0, sum = 0;
      for (const int block : plan.blocks) {
        const BlockPlace place = index.blocks()[static_cast<std::size_t>(block)];
        begin = std::min(begin, place.offset_bytes);
        end = std::max(end, place.offset_bytes + place.size_bytes);
        sum += place.size_bytes;
      }
      CHECK(end - begin <= sum + 2 * plan.blocks.size());  // TIFF may pad to even offsets
    }
}

namespace {

/// A movie whose last good picture is all 200, drawn whole into `picture`.
DrawStatus draw_over_200(PictureSource& source, SizePx size, const Picture& picture) {
  const Picture last_good(size, 200);
  const DrawStatus status = source.draw(0, crop_at(0, 0, size), picture.view(), &last_good.view());
  CHECK(picture.guard_untouched());
  return status;
}

void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

}  // namespace

TEST_CASE("a damaged block shows the last good picture and is counted", "[frames][bad-input]") {
  const SizePx size{192, 96};
  const Movie movie(size, Chroma::yuv420, {64, 48});
  std::string bytes = read_text_file(movie.file(), 1 << 24);
  FrameIndex index;
  const UniqueFd fd = open_for_reading(movie.file());
  REQUIRE(index.load(fd.get(), movie.manifest, 0));
  const BlockPlace place = index.blocks()[4];  // row 1, column 1
  for (std::size_t i = place.size_bytes / 2; i < place.size_bytes; ++i)
    bytes[place.offset_bytes + i] = static_cast<char>(0xff);
  write_bytes(movie.file(), bytes);
  const auto source = movie.open();
  const Picture picture(size);
  CHECK(draw_over_200(*source, size, picture) == DrawStatus::damaged);
  CHECK(source->counters().damaged_blocks == 1);
  CHECK(source->counters().damaged_frames == 1);
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 192; ++x) {
      const bool damaged = x >= 64 && x < 128 && y >= 48;
      REQUIRE((picture.at(x, y) == std::array<int, 4>{200, 200, 200, 200}) == damaged);
    }
  const auto problems = verify_frame(movie.manifest, movie.folder.path(), 0);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0],
             Catch::EndsWith("level 0: block 4: expected a whole block, found damage"));
  CHECK_THROWS_WITH(decode_frame_to_planes(movie.manifest, movie.folder.path(), 0, 0),
                    Catch::Contains("block 4 of level 0"));
  Picture scaled({300, 150});
  const Picture last_scaled({300, 150}, 200);
  CHECK(source->draw(0, {whole(size), whole({300, 150})}, scaled.view(), &last_scaled.view()) ==
        DrawStatus::damaged);
  CHECK(scaled.at(150, 110) == std::array<int, 4>{200, 200, 200, 200});
  CHECK(scaled.at(20, 20) != std::array<int, 4>{200, 200, 200, 200});
}

TEST_CASE("a missing frame shows the last good picture, or black", "[frames][bad-input]") {
  const SizePx size{64, 48};
  const Movie movie(size, Chroma::yuv420, {64, 48});
  std::filesystem::remove(movie.file());
  const auto source = movie.open();
  const Picture picture(size);
  CHECK(draw_over_200(*source, size, picture) == DrawStatus::damaged);
  CHECK(picture.at(30, 30) == std::array<int, 4>{200, 200, 200, 200});
  CHECK(source->draw(0, crop_at(0, 0, size), picture.view(), nullptr) == DrawStatus::damaged);
  CHECK(picture.at(30, 30) == black);
  CHECK(source->counters().damaged_frames == 2);
  std::filesystem::create_directory(movie.file());
  CHECK(draw_over_200(*source, size, picture) == DrawStatus::damaged);
}

TEST_CASE("every 97th truncation of a frame is survived", "[frames][bad-input]") {
  const SizePx size{192, 96};
  const Movie movie(size, Chroma::yuv420, {64, 48});
  const std::string bytes = read_text_file(movie.file(), 1 << 24);
  const auto source = movie.open();
  const Picture picture(size);
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    write_bytes(movie.file(), std::string_view(bytes).substr(0, length));
    CAPTURE(length);
    // Level 0 may be whole although a level below it is cut off.
    draw_over_200(*source, size, picture);
    // The file ends with the last level's ReferenceBlackWhite, which no pixel needs.
    constexpr std::size_t reference_bytes = 48;
    if (length + reference_bytes < bytes.size())
      CHECK_FALSE(verify_frame(movie.manifest, movie.folder.path(), 0).empty());
  }
}

TEST_CASE("flipped bytes anywhere in a frame are survived", "[frames][bad-input]") {
  const SizePx size{96, 64};
  for (const Chroma chroma : {Chroma::yuv420, Chroma::rgb}) {
    const Movie movie(size, chroma, {48, 32});
    const std::string bytes = read_text_file(movie.file(), 1 << 24);
    const auto source = movie.open();
    const Picture picture(size);
    std::mt19937 random(11);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + random() % 9) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
      write_bytes(movie.file(), damaged);
      CAPTURE(at);
      draw_over_200(*source, size, picture);
    }
  }
}

TEST_CASE("another movie's frame is not taken for this one's", "[frames][bad-input]") {
  const Movie small({64, 48}, Chroma::yuv420, {64, 48});
  const Movie large({128, 96}, Chroma::yuv420, {64, 48});
  std::filesystem::copy_file(large.file(), small.file(),
                             std::filesystem::copy_options::overwrite_existing);
  const Picture picture({64, 48});
  CHECK(draw_over_200(*small.open(), {64, 48}, picture) == DrawStatus::damaged);
  const auto problems = verify_frame(small.manifest, small.folder.path(), 0);
  REQUIRE_FALSE(problems.empty());
  CHECK_THAT(problems[0], Catch::Contains("ImageWidth: expected 64, found 128"));
}

TEST_CASE(
    "packing pixels agrees with its formula at every width and offset, and unpacking undoes it",
    "[frames]") {
  const PlanarPicture noise = noise_picture({400, 1}, Chroma::rgb, 2);
  for (int width = 0; width <= 130; ++width)
    for (int offset : {0, 1, 7}) {
      const auto row = [&](std::size_t p) { return noise.planes[p].row(0) + offset; };
      std::vector<std::uint8_t> fast(600, 7), slow(600, 7);
      pack_bgrx_row(row(0), row(1), row(2), fast.data() + offset, width);
      pack_bgrx_row_reference(row(0), row(1), row(2), slow.data() + offset, width);
      CAPTURE(width, offset);
      REQUIRE(fast == slow);
      std::vector<std::uint8_t> planes[3];
      for (auto& plane : planes) plane.assign(150, 7);
      unpack_bgrx_row(fast.data() + offset, planes[0].data() + offset, planes[1].data() + offset,
                      planes[2].data() + offset, width);
      for (std::size_t p = 0; p < 3; ++p)
        for (int i = 0; i < 150; ++i) {
          const bool inside = i >= offset && i < offset + width;
          REQUIRE(planes[p][std::size_t(i)] == (inside ? row(p)[i - offset] : 7));
        }
    }
}

TEST_CASE("a pool does every task once, and job after job", "[frames]") {
  WorkerPool pool(3);
  for (int job = 0; job < 500; ++job) {
    const int count = job % 17;
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
    std::atomic<int> worst_worker{0};
    pool.run(count, [&](int task, int worker) {
      ++done[static_cast<std::size_t>(task)];
      if (worker > worst_worker) worst_worker = worker;
    });
    for (const auto& times : done) REQUIRE(times == 1);
    REQUIRE(worst_worker < 3);
  }
}
