// The strips of pattern:sync, read back from what was painted.

#include "render/sync_strip.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "render/pattern.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace {

TestPicture painted(SizePx size, std::int64_t frame) {
  PatternInfo info;
  info.canvas_px = {3 * size.width, 2 * size.height};
  info.panel_on_canvas_px = {double(size.width), 0, double(size.width), double(size.height)};
  info.panel = "c1r0";
  info.frame = frame;
  TestPicture picture(size);
  paint_sync(info, picture.view());
  return picture;
}

std::optional<SyncStripReading> read(const TestPicture& picture, StripEdge edge) {
  return read_sync_strip(picture.view(), sync_strip_px(picture.view().size_px, edge));
}

/// What a camera sees whose shutter was open over both, `share` of the time over b.
TestPicture mixed_pictures(const TestPicture& a, const TestPicture& b, double share) {
  const SizePx size = a.view().size_px;
  TestPicture out(size);
  for (int y = 0; y < size.height; ++y)
    for (int i = 0; i < size.width * 4; ++i)
      out.view().row(y)[i] =
          static_cast<std::uint8_t>(a.view().row(y)[i] * (1 - share) + b.view().row(y)[i] * share);
  return out;
}

}  // namespace

TEST_CASE("both strips of the sync pattern say which frame it is, at any panel's size",
          "[render]") {
  for (const SizePx size : {SizePx{160, 96}, {256, 160}, {160, 256}, {1280, 1024}, {641, 333}}) {
    for (const std::int64_t frame : {0, 1, 2, 99, 4711, 65535}) {
      CAPTURE(size.width, size.height, frame);
      const TestPicture picture = painted(size, frame);
      CHECK(read(picture, StripEdge::top) == SyncStripReading{frame, frame});
      CHECK(read(picture, StripEdge::bottom) == SyncStripReading{frame, frame});
    }
  }
  CHECK(read(painted({256, 160}, 65536 + 7), StripEdge::top) == SyncStripReading{7, 7});
}

TEST_CASE("a photograph of a panel that was just changing says both frames", "[render]") {
  for (const std::int64_t frame : {0, 7, 1023, 65535}) {
    CAPTURE(frame);
    const TestPicture a = painted({256, 160}, frame);
    const TestPicture b = painted({256, 160}, frame + 1);
    const std::int64_t next = (frame + 1) % sync_strip_numbers;
    CHECK(read(mixed_pictures(a, b, 0.5), StripEdge::top) == SyncStripReading{frame, next});
    CHECK(read(mixed_pictures(a, b, 0.1), StripEdge::top) == SyncStripReading{frame, frame});
    CHECK(read(mixed_pictures(a, b, 0.9), StripEdge::top) == SyncStripReading{next, next});
  }
}

TEST_CASE("a strip that saw more than two frames, or is none, is not read", "[render]") {
  const TestPicture a = painted({256, 160}, 4);
  const TestPicture b = painted({256, 160}, 11);
  CHECK_FALSE(read(mixed_pictures(a, b, 0.5), StripEdge::top));
  CHECK_FALSE(read(random_picture({256, 160}, 3), StripEdge::top));
  TestPicture black({256, 160});
  paint_black({}, black.view());
  CHECK_FALSE(read(black, StripEdge::bottom));
  const TestPicture damaged = painted({256, 160}, 5);
  std::fill_n(damaged.view().row(0), 256 * 4 * 6, std::uint8_t{0});  // half of the top strip
  CHECK_FALSE(read(damaged, StripEdge::top));
  CHECK(read(damaged, StripEdge::bottom) == SyncStripReading{5, 5});
}

TEST_CASE("a strip is read in dim light and through a colour cast", "[render]") {
  const TestPicture picture = painted({256, 160}, 12345);
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 256; ++x) {
      std::uint8_t* pixel = picture.view().pixel(x, y);
      pixel[0] = static_cast<std::uint8_t>(pixel[0] / 4 + 60);
      pixel[1] = static_cast<std::uint8_t>(pixel[1] / 3 + 30);
      pixel[2] = static_cast<std::uint8_t>(pixel[2] / 2 + 10);
    }
  CHECK(read(picture, StripEdge::top) == SyncStripReading{12345, 12345});
}

TEST_CASE("the sync pattern's bars go on from panel to panel", "[render]") {
  const SizePx size = {256, 160};
  PatternInfo info;
  info.canvas_px = {768, 320};
  info.frame = 30;  // a quarter of the sweep: canvas column 192, canvas row 80
  const auto column_is_lit = [&](double panel_x, double panel_y, int x) {
    info.panel_on_canvas_px = {panel_x, panel_y, 256, 160};
    TestPicture picture(size);
    paint_sync(info, picture.view());
    return pixel_at(picture.view(), {x, 30}) == Bgrx{40, 160, 255, 255};
  };
  CHECK(column_is_lit(0, 0, 192));
  CHECK(column_is_lit(0, 160, 192));
  CHECK_FALSE(column_is_lit(0, 0, 100));
  CHECK_FALSE(column_is_lit(256, 0, 192));
}

TEST_CASE("the alignment pattern has its outermost pixels red and its patches one to one",
          "[render]") {
  PatternInfo info;
  info.canvas_px = {512, 320};
  info.panel_on_canvas_px = {256, 160, 256, 160};
  info.lit_width_mm = 512;
  info.lit_height_mm = 320;
  TestPicture picture({256, 160});
  paint_align(info, picture.view());
  for (const PointPx corner :
       {PointPx{0, 0}, {255, 0}, {0, 159}, {255, 159}, {100, 0}, {255, 80}, {100, 159}, {0, 80}})
    CHECK(pixel_at(picture.view(), corner) == Bgrx{80, 80, 255, 255});
  CHECK(pixel_at(picture.view(), {1, 50}) == Bgrx{0, 0, 0, 255});
  CHECK(pixel_at(picture.view(), {2, 50}) == Bgrx{255, 255, 255, 255});
  const auto lit = [&](int x, int y) { return pixel_at(picture.view(), {x, y})[0] == 255; };
  const PointPx patch = {256 * 62 / 100, 16};
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x)
      if (lit(patch.x + x, patch.y + y) != ((patch.x + x + patch.y + y) % 2 == 0))
        FAIL("no checkerboard");
}

TEST_CASE("the alignment pattern's stairs lead into all corners, and its ruler has millimetres",
          "[render]") {
  PatternInfo info;
  info.canvas_px = {256, 160};
  info.panel_on_canvas_px = {0, 0, 256, 160};
  info.lit_width_mm = 512;  // two millimetres a pixel
  info.lit_height_mm = 320;
  TestPicture picture({256, 160});
  paint_align(info, picture.view());
  const auto is_white = [&](int x, int y) {
    return pixel_at(picture.view(), {x, y}) == Bgrx{255, 255, 255, 255};
  };
  for (int step = 0; step < 10; ++step) {
    CAPTURE(step);
    CHECK(is_white(4 + step, 4 + step));
    CHECK(is_white(251 - step, 4 + step));
    CHECK(is_white(4 + step, 155 - step));
    CHECK(is_white(251 - step, 155 - step));
  }
  CHECK_FALSE(is_white(14, 14));
  // A green circle, a quarter of the canvas's height from its middle.
  for (const PointPx at :
       {PointPx{167, 79}, {88, 79}, {127, 39}, {127, 120}, {156, 51}, {99, 51}}) {
    const Bgrx pixel = pixel_at(picture.view(), at);
    CAPTURE(at.x, at.y, pixel[1], pixel[2]);
    CHECK((pixel[1] > 180 && pixel[2] < 130));
  }
  // Marks hang from row 99: 6 pixels at each 100 mm, 4 at each 10 mm, none nearer together.
  const auto mark_px = [&](int x) {
    int length = 0;
    while (is_white(x, 99 + length)) ++length;
    return length;
  };
  CHECK(mark_px(128) == 6);  // the panel's middle
  CHECK(mark_px(128 + 50) == 6);
  CHECK(mark_px(128 - 50) == 6);
  CHECK(mark_px(128 + 5) == 4);
  CHECK(mark_px(128 - 5) == 4);
  CHECK(mark_px(128 + 2) == 0);
}

TEST_CASE("the identifying pattern has an arrow, bars and a ramp in their places", "[render]") {
  PatternInfo info;
  info.canvas_px = {400, 200};
  info.panel_on_canvas_px = {0, 0, 400, 200};
  info.panel = "c0r0";
  TestPicture picture({400, 200});
  paint_identify(info, picture.view());
  const auto level = [&](int x, int y) {
    const Bgrx pixel = pixel_at(picture.view(), {x, y});
    CHECK(pixel[0] == pixel[1]);
    CHECK(pixel[1] == pixel[2]);
    return static_cast<int>(pixel[0]);
  };
  const auto is_white = [&](int x, int y) {
    return pixel_at(picture.view(), {x, y}) == Bgrx{255, 255, 255, 255};
  };
  for (const PointPx corner : {PointPx{0, 0}, {399, 0}, {0, 199}, {399, 199}, {50, 199}, {399, 90}})
    CHECK(is_white(corner.x, corner.y));
  CHECK(is_white(200, 22));  // the arrow's tip
  CHECK_FALSE(is_white(200, 21));
  for (const int side : {-1, 1}) {
    CHECK(is_white(200 + side * 14, 36));
    CHECK_FALSE(is_white(200 + side * 15, 36));
    CHECK(is_white(200 + side * 6, 51));
    CHECK_FALSE(is_white(200 + side * 7, 51));
  }
  CHECK_FALSE(is_white(200, 52));
  // Eight bars of 35 pixels, and below them a ramp from black to white, as wide as all of them.
  CHECK(level(60, 152) == 191);
  CHECK(pixel_at(picture.view(), {95, 152}) == Bgrx{0, 191, 191, 255});
  CHECK(pixel_at(picture.view(), {304, 163}) == Bgrx{191, 0, 0, 255});
  CHECK(level(305, 152) == 0);
  CHECK(level(60, 164) == 0);
  CHECK(level(60 + 140, 175) == 127);
  CHECK(level(339, 164) == 255);
}

TEST_CASE("neighbours have different grounds in the identifying pattern", "[render]") {
  const auto has = [](int column, int row, const Bgrx& ground) {
    PatternInfo info;
    info.canvas_px = {800, 400};
    info.panel_on_canvas_px = {400.0 * column, 200.0 * row, 400, 200};
    info.column = column;
    info.row = row;
    TestPicture picture({400, 200});
    paint_identify(info, picture.view());
    int count = 0;
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 400; ++x) count += pixel_at(picture.view(), {x, y}) == ground ? 1 : 0;
    return count > 1000;
  };
  const Bgrx even = {52, 30, 16, 255};
  const Bgrx odd = {56, 24, 40, 255};
  CHECK((has(0, 0, even) && !has(0, 0, odd)));
  CHECK((has(1, 0, odd) && !has(1, 0, even)));
  CHECK((has(0, 1, odd) && !has(0, 1, even)));
  CHECK((has(1, 1, even) && !has(1, 1, odd)));
}

TEST_CASE("neighbours show the same colour on both sides of their common edge", "[render]") {
  TestPicture picture({300, 180});
  paint_colour({}, picture.view());
  const ImageView view = picture.view();
  for (int y = 0; y < 180; ++y)
    if (pixel_at(view, {0, y}) != pixel_at(view, {299, y})) FAIL("left and right differ");
  for (int x = 0; x < 300; ++x)
    if (pixel_at(view, {x, 0}) != pixel_at(view, {x, 179})) {
      CAPTURE(x);
      CHECK((x < 20 || x >= 280));  // the corners belong to the columns
    }
  CHECK(pixel_at(view, {35, 0}) == Bgrx{255, 255, 255, 255});
}
