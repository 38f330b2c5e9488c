#include "render/pattern.hpp"

#include <turbojpeg.h>

#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "render/paint.hpp"
#include "render/sync_strip.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace {

PatternInfo info_of(SizePx canvas_px, const RectF& panel_px, std::int64_t frame = 0) {
  PatternInfo info;
  info.canvas_px = canvas_px;
  info.panel_on_canvas_px = panel_px;
  info.panel = "c1r2";
  info.host = "wall-07";
  info.frame = frame;
  info.fps = 24;
  return info;
}

TestPicture count_picture(SizePx size, std::int64_t frame) {
  TestPicture picture(size);
  paint_count(info_of(size, {0, 0, double(size.width), double(size.height)}, frame),
              picture.view());
  return picture;
}

/// By averaging, as a scaler does.
TestPicture scaled_down(const TestPicture& picture, SizePx size) {
  const ImageView in = picture.view();
  TestPicture out(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int left = x * in.size_px.width / size.width;
      const int right = std::max(left + 1, (x + 1) * in.size_px.width / size.width);
      const int top = y * in.size_px.height / size.height;
      const int bottom = std::max(top + 1, (y + 1) * in.size_px.height / size.height);
      for (int channel = 0; channel < 4; ++channel) {
        int sum = 0;
        for (int v = top; v < bottom; ++v)
          for (int u = left; u < right; ++u) sum += in.row(v)[u * 4 + channel];
        out.view().row(y)[x * 4 + channel] =
            static_cast<std::uint8_t>(sum / ((right - left) * (bottom - top)));
      }
    }
  }
  return out;
}

/// Through a JPEG of low quality with subsampled chroma, and back.
TestPicture through_jpeg(const TestPicture& picture, int quality) {
  const ImageView in = picture.view();
  const SizePx size = in.size_px;
  unsigned char* jpeg = nullptr;
  unsigned long jpeg_bytes = 0;
  const tjhandle encoder = tjInitCompress();
  REQUIRE(tjCompress2(encoder, in.pixels, size.width, static_cast<int>(in.stride_bytes),
                      size.height, TJPF_BGRX, &jpeg, &jpeg_bytes, TJSAMP_420, quality, 0) == 0);
  tjDestroy(encoder);
  TestPicture out(size);
  const tjhandle decoder = tjInitDecompress();
  REQUIRE(tjDecompress2(decoder, jpeg, jpeg_bytes, out.view().pixels, size.width,
                        static_cast<int>(out.view().stride_bytes), size.height, TJPF_BGRX, 0) == 0);
  tjDestroy(decoder);
  tjFree(jpeg);
  return out;
}

void add_noise(const ImageView& picture, int amplitude) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> noise(-amplitude, amplitude);
  for (int y = 0; y < picture.size_px.height; ++y)
    for (int i = 0; i < picture.size_px.width * 4; ++i)
      picture.row(y)[i] =
          static_cast<std::uint8_t>(std::clamp(picture.row(y)[i] + noise(random), 0, 255));
}

}  // namespace

TEST_CASE("the frame number is read back from the counting picture", "[render]") {
  for (const SizePx size : {SizePx{160, 100}, {256, 160}, {160, 256}, {1280, 720}, {641, 333}}) {
    for (const std::int64_t frame : {0LL, 1LL, 23LL, 4711LL, 65535LL, 0xfffffffeLL}) {
      CAPTURE(size.width, size.height, frame);
      CHECK(read_count_code(count_picture(size, frame).view()) == frame);
    }
  }
}

TEST_CASE("the frame number survives scaling, JPEG and noise", "[render]") {
  for (const std::int64_t frame : {0LL, 99LL, 123456LL}) {
    CAPTURE(frame);
    const TestPicture picture = count_picture({256, 160}, frame);
    for (const SizePx size : {SizePx{128, 80}, {179, 131}, {255, 81}})
      CHECK(read_count_code(scaled_down(picture, size).view()) == frame);
    CHECK(read_count_code(through_jpeg(picture, 20).view()) == frame);
    const TestPicture small = through_jpeg(scaled_down(picture, {128, 80}), 30);
    add_noise(small.view(), 60);
    CHECK(read_count_code(small.view()) == frame);
  }
}

TEST_CASE("a picture without a code, or with a damaged one, has no frame number", "[render]") {
  const SizePx size = {256, 160};
  for (const char* name :
       {"identify", "grid", "ramp", "sync", "align", "card", "colour", "black", "white"}) {
    TestPicture picture(size);
    find_pattern(name).paint(info_of(size, {0, 0, 256, 160}), picture.view());
    CAPTURE(name);
    CHECK_FALSE(read_count_code(picture.view()));
  }
  const TestPicture damaged = count_picture(size, 5);
  fill(damaged.view(), {60, 90, 12, 16}, white);  // some block of the number
  CHECK_FALSE(read_count_code(damaged.view()));
  CHECK_FALSE(read_count_code(random_picture(size, 1).view()));
}

TEST_CASE("half of a new frame over half of an old one is not taken for either", "[render]") {
  const TestPicture torn = count_picture({256, 160}, 0x01020304);
  const TestPicture next = count_picture({256, 160}, 0x05060708);
  for (int y = 80; y < 160; ++y) std::copy_n(next.view().row(y), 256 * 4, torn.view().row(y));
  CHECK_FALSE(read_count_code(torn.view()));
}

TEST_CASE("every pattern writes every pixel and no other, at any size", "[render]") {
  for (const Pattern& pattern : patterns()) {
    for (const SizePx size : {SizePx{1, 1}, {2, 300}, {300, 2}, {64, 40}, {257, 161}}) {
      CAPTURE(pattern.name, size.width, size.height);
      TestPicture picture(size);
      pattern.paint(info_of({1280, 480}, {256, 160, 256, 160}, 7), picture.view());
      CHECK(picture.padding_untouched());
      CHECK(picture.all_painted());
    }
  }
}

TEST_CASE("what lies on the canvas goes on from panel to panel", "[render]") {
  const SizePx canvas = {512, 320};
  TestPicture whole(canvas);
  paint_ramp(info_of(canvas, {0, 0, 512, 320}), whole.view());
  TestPicture panels(canvas);
  for (const int x : {0, 256}) {
    for (const int y : {0, 160}) {
      const ImageView part = {panels.view().row(y) + x * 4, {256, 160}, panels.view().stride_bytes};
      paint_ramp(info_of(canvas, {double(x), double(y), 256, 160}), part);
    }
  }
  CHECK(same_pixels(whole.view(), panels.view()));
}

TEST_CASE("the sweeping bar stands at the frame's place on the canvas, on one panel", "[render]") {
  const SizePx canvas = {1000, 160};
  const auto orange = [&](double panel_x, int x) {
    TestPicture picture({250, 160});
    paint_count(info_of(canvas, {panel_x, 0, 250, 160}, 174), picture.view());
    return pixel_at(picture.view(), {x, 0}) == Bgrx{40, 160, 255, 255};
  };
  CHECK(orange(500, 240));  // frame 174: 74 hundredths of 1000
  CHECK_FALSE(orange(500, 200));
  CHECK_FALSE(orange(750, 240));
}

TEST_CASE("a mistyped pattern gets the nearest name", "[render]") {
  CHECK(find_pattern("count").moves);
  CHECK_THROWS_WITH(find_pattern("idntify"),
                    "pattern:idntify: name: expected one of identify, count, grid, ramp, sync, "
                    "align, card, colour, black, white, found \"idntify\" (nearest: identify)");
  CHECK_THROWS_AS(find_pattern(""), InputError);
}

TEST_CASE("the count is white on dark gray, with an orange bar that goes round in 100 frames",
          "[pattern]") {
  const SizePx size{400, 200};
  const auto color_at = [&](std::int64_t frame, PointPx at) {
    const TestPicture picture = count_picture(size, frame);
    const Bgrx pixel = pixel_at(picture.view(), at);
    return std::array<int, 3>{pixel[2], pixel[1], pixel[0]};
  };
  const std::array<int, 3> ground = {24, 28, 34};
  const std::array<int, 3> orange = {255, 160, 40};
  // After 80 frames the bar's middle is at four fifths of the width, 2 pixels to both sides.
  const int low = 195;
  CHECK(color_at(80, {320, low}) == orange);
  CHECK(color_at(180, {320, low}) == orange);
  CHECK(color_at(80, {318, low}) == orange);
  CHECK(color_at(80, {321, low}) == orange);
  CHECK(color_at(80, {317, low}) == ground);
  CHECK(color_at(80, {322, low}) == ground);
  CHECK(color_at(81, {324, low}) == orange);
}

TEST_CASE("the colour pattern's edges, levels and patches have their colours and places",
          "[pattern]") {
  const SizePx size{1600, 1000};
  const TestPicture picture(size);
  PatternInfo info = info_of(size, {0, 0, 1600, 1000});
  info.panel = "c1r2";
  paint_colour(info, picture.view());
  const auto colour_at = [&](PointPx at) {
    const Bgrx pixel = pixel_at(picture.view(), at);
    return std::array<int, 3>{pixel[2], pixel[1], pixel[0]};
  };
  const auto is_gray = [&](PointPx at, int level) {
    return colour_at(at) == std::array<int, 3>{level, level, level};
  };
  // The edges are 1000 / 9 = 111 pixels deep, in 11 parts: of 145 pixels across, 91 down.
  CHECK(colour_at({800, 0}) == std::array<int, 3>{0, 255, 255});
  CHECK(colour_at({800, 999}) == std::array<int, 3>{0, 255, 255});
  CHECK(colour_at({1236, 110}) == std::array<int, 3>{190, 140, 110});
  CHECK(is_gray({800, 111}, 64));
  CHECK(is_gray({800, 888}, 64));
  CHECK(colour_at({0, 318}) == std::array<int, 3>{0, 255, 0});
  CHECK(colour_at({1599, 318}) == std::array<int, 3>{0, 255, 0});
  CHECK(is_gray({110, 955}, 192));
  CHECK(is_gray({111, 500}, 64));
  // The rest is 1268 x 668 pixels from (166, 166) on. Above: 160 rows of colours and their halves.
  CHECK(colour_at({256, 200}) == std::array<int, 3>{255, 0, 0});
  CHECK(colour_at({256, 245}) == std::array<int, 3>{255, 0, 0});
  const int half = colour_at({256, 246})[0];
  CHECK((half == 127 || half == 128));
  CHECK(colour_at({256, 246}) == std::array<int, 3>{half, 0, 0});
  CHECK(colour_at({618, 200}) == std::array<int, 3>{0, 0, 255});
  // The ramp: 86 rows from y = 346 on.
  CHECK(is_gray({166, 346}, 0));
  CHECK(is_gray({166 + 634, 400}, 127));  // 634 * 255 / 1267 = 127.6
  CHECK(is_gray({1433, 431}, 255));
  CHECK(is_gray({800, 345}, 64));
  CHECK(is_gray({800, 432}, 64));
  // Levels 2, 4, ... 20 on black, and 253, 251, ... 235 on white, 16 pixels apart from the edges.
  CHECK(is_gray({166 + 63, 493}, 2));
  CHECK(is_gray({1433 - 63, 493}, 20));
  CHECK(is_gray({166 + 15, 493}, 0));
  CHECK(is_gray({166 + 63, 453}, 0));
  CHECK(is_gray({166 + 63, 573}, 253));
  CHECK(is_gray({1433 - 63, 573}, 235));
  CHECK(is_gray({166 + 15, 573}, 255));
  // Patches of 126 x 66 pixels from (229, 666) on, each 253 or 254 further: 255 * 0.5^(1 / gamma).
  CHECK(is_gray({166, 634}, 255));  // rows of white and black around them
  CHECK(is_gray({166, 635}, 0));
  CHECK(is_gray({483, 667}, 180));   // 2.0
  CHECK(is_gray({737, 667}, 186));   // 2.2
  CHECK(is_gray({990, 667}, 191));   // 2.4
  CHECK(is_gray({1244, 667}, 195));  // 2.6
  // Below, the panel's name in the middle gray.
  int brightest = 0;
  for (int y = 787; y < 830; ++y)
    for (int x = 600; x < 1000; ++x) brightest = std::max(brightest, colour_at({x, y})[1]);
  CHECK(brightest == 128);
}

// The bytes of the number from the greatest down, and their CRC with the polynomial x^8 + x^2 + x
// + 1 that begins at 0xff, computed by another program.
TEST_CASE("the code of a frame's number is its bytes and their checksum", "[render]") {
  const SizePx size = {1280, 800};
  const auto code = [&](std::int64_t number) {
    TestPicture picture(size);
    paint_black({}, picture.view());
    paint_count_code(number, picture.view());
    std::string bits;
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 8; ++column) {
        // 8 x 6 blocks between 8 % and 48 % of the width, 22 % and 82 % of the height
        const PointPx middle = {static_cast<int>(1280 * (0.08 + 0.40 * (column + 0.5) / 8)),
                                static_cast<int>(800 * (0.22 + 0.60 * (row + 0.5) / 6))};
        bits += pixel_at(picture.view(), middle)[0] > 127 ? '1' : '0';
      }
    return bits;
  };
  const auto bits_of = [](std::uint64_t value) {
    std::string bits;
    for (int bit = 47; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
    return bits;
  };
  CHECK(code(0) == bits_of(0xaa'0000'0000'd1));
  CHECK(code(1) == bits_of(0xaa'0000'0001'd6));
  CHECK(code(0x12345678) == bits_of(0xaa'1234'5678'cd));
  CHECK(code(0xffffffff) == bits_of(0xaa'ffff'ffff'0f));
}

TEST_CASE("the code of a frame's number stands on white, half a block wide", "[render]") {
  const SizePx size = {1280, 800};
  TestPicture picture(size);
  paint_black({}, picture.view());
  paint_count_code(0, picture.view());
  // The code covers 102.4..614.4 by 176..656, and a rim of 512 / 32 = 16 px lies around it.
  const auto is_white = [&](int x, int y) {
    return pixel_at(picture.view(), {x, y}) == Bgrx{255, 255, 255, 255};
  };
  for (const int y : {162, 400, 670}) {
    CHECK(is_white(88, y));
    CHECK(is_white(628, y));
    CHECK_FALSE(is_white(84, y));
    CHECK_FALSE(is_white(634, y));
  }
  for (const int x : {88, 300, 628}) {
    CHECK(is_white(x, 162));
    CHECK(is_white(x, 670));
    CHECK_FALSE(is_white(x, 157));
    CHECK_FALSE(is_white(x, 675));
  }
}
