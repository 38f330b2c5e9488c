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
