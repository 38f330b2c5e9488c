#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "player/movie/source/picture_converter.hpp"
#include "player/movie/source/sample_rows.hpp"
#include "player/movie/source/source_colour.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

using namespace tilewall;
using namespace tilewall::movie;

namespace {

struct Rgb {
  int red = 0;
  int green = 0;
  int blue = 0;
};

AvFrame blank_frame(AVPixelFormat format, SizePx size) {
  AvFrame frame = new_frame();
  frame.get()->format = format;
  frame.get()->width = size.width;
  frame.get()->height = size.height;
  REQUIRE(av_frame_get_buffer(frame.get(), 0) == 0);
  for (const AVBufferRef* buffer : frame.get()->buf)  // samples are written by or-ing them in
    if (buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
  return frame;
}

// Component `c` of every pixel to `value`, through FFmpeg's own description of the format.
void fill_component(AVFrame& frame, int component, std::uint32_t value) {
  const AVPixFmtDescriptor* pixel = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const bool chroma = component > 0 && component < 3 && (pixel->flags & AV_PIX_FMT_FLAG_RGB) == 0 &&
                      pixel->nb_components >= 3;
  const int width = chroma ? AV_CEIL_RSHIFT(frame.width, pixel->log2_chroma_w) : frame.width;
  const int height = chroma ? AV_CEIL_RSHIFT(frame.height, pixel->log2_chroma_h) : frame.height;
  const std::vector<std::uint32_t> line(static_cast<std::size_t>(width), value);
  for (int y = 0; y < height; ++y)
    av_write_image_line2(line.data(), frame.data, frame.linesize, pixel, 0, y, component, width, 4);
}

std::array<int, 3> jpeg_ycc(Rgb c) {
  return {
      static_cast<int>(std::lround(0.299 * c.red + 0.587 * c.green + 0.114 * c.blue)),
      static_cast<int>(std::lround(128 - 0.168736 * c.red - 0.331264 * c.green + 0.5 * c.blue)),
      static_cast<int>(std::lround(128 + 0.5 * c.red - 0.418688 * c.green - 0.081312 * c.blue))};
}

PlanarPicture convert(const AVFrame& frame, SizePx size, Chroma chroma) {
  const SizePx source{frame.width, frame.height};
  PictureConverter converter(
      {source,
       {0, 0, static_cast<double>(source.width), static_cast<double>(source.height)},
       {},
       size,
       chroma},
      "test");
  return converter.convert(frame);
}

void check_uniform(const PlanarPicture& picture, const std::array<int, 3>& expected,
                   int tolerance) {
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane)
    for (int y = 0; y < picture.planes[plane].size_px.height; ++y)
      for (int x = 0; x < picture.planes[plane].size_px.width; ++x) {
        const int sample = picture.planes[plane].row(y)[x];
        if (std::abs(sample - expected[plane]) <= tolerance) continue;
        CAPTURE(plane, x, y, tolerance);
        REQUIRE(sample == expected[plane]);
      }
}

}  // namespace

TEST_CASE("every RGB layout becomes the JPEG colour of its pixels", "[source]") {
  const Rgb colour{200, 40, 90};
  for (const char* name :
       {"rgb24", "bgr24", "rgba", "bgra", "argb", "0rgb", "gbrp", "rgb48le", "rgb48be", "gbrp10le",
        "gbrp16be", "rgba64be", "x2rgb10le", "gbrap12le"}) {
    CAPTURE(name);
    const AVPixelFormat format = av_get_pix_fmt(name);
    REQUIRE(format != AV_PIX_FMT_NONE);
    const AVPixFmtDescriptor* pixel = av_pix_fmt_desc_get(format);
    for (const SizePx size : {SizePx{64, 16}, SizePx{33, 7}, SizePx{1, 1}}) {
      const AvFrame frame = blank_frame(format, size);
      const int values[] = {colour.red, colour.green, colour.blue, 255};
      for (int c = 0; c < pixel->nb_components; ++c)
        fill_component(*frame.get(), c,
                       static_cast<std::uint32_t>(
                           std::lround(values[c] / 255.0 * ((1 << pixel->comp[c].depth) - 1))));
      check_uniform(convert(*frame.get(), size, Chroma::yuv444), jpeg_ycc(colour), 1);
      check_uniform(convert(*frame.get(), size, Chroma::yuv420), jpeg_ycc(colour), 1);
    }
  }
}

TEST_CASE("planes are read where they lie if a sample is a whole number of its own", "[source]") {
  struct Format {
    const char* name;
    std::array<bool, 3> in_place;  // planes
  };
  const auto in_place = [](const char* name, SizePx size, int plane) {
    const AVPixelFormat pixel = av_get_pix_fmt(name);
    const AvFrame frame = blank_frame(pixel, size);
    const SampleFormat format = sample_format(pixel, "test");
    const PlaneInPlace place = plane_in_place(*frame.get(), format, plane);
    if (place.samples == nullptr) return false;
    const int source = format.family == SampleFamily::rgb ? (plane + 2) % 3 : plane;
    CHECK(place.samples == frame.get()->data[source]);  // planar R'G'B' lies as G, B, R
    CHECK(place.stride_bytes == frame.get()->linesize[source]);
    return true;
  };
  for (const Format& format : std::initializer_list<Format>{
           {"yuv420p", {true, true, true}},
           {"yuv420p10le", {true, true, true}},
           {"yuv422p16le", {true, true, true}},
           {"gbrp", {true, true, true}},
           {"gbrp12le", {true, true, true}},
           {"yuv420p10be", {false, false, false}},  // another byte order
           {"p010le", {false, false, false}},       // ten bits above six of nothing
           {"nv12", {true, false, false}},          // chroma by turns
           {"yuyv422", {false, false, false}},
           {"rgb24", {false, false, false}},
           {"yuva420p", {false, false, false}}})  // alpha is laid over black
    for (int plane = 0; plane < 3; ++plane) {
      CAPTURE(format.name, plane);
      CHECK(in_place(format.name, {64, 32}, plane) ==
            format.in_place[static_cast<std::size_t>(plane)]);
    }
  CHECK(in_place("gray", {64, 32}, 0));
  CHECK(in_place("gray", {63, 31}, 0));
  CHECK_FALSE(in_place("pal8", {64, 32}, 0));
  CHECK_FALSE(in_place("monow", {64, 32}, 0));
  // Sides that are no multiple of the chroma's step.
  CHECK_FALSE(in_place("yuv420p", {63, 32}, 0));
  CHECK_FALSE(in_place("yuv420p", {64, 31}, 0));
  CHECK(in_place("yuv422p", {64, 31}, 0));
  CHECK(in_place("yuv444p", {63, 31}, 0));
}

TEST_CASE("alpha lies over black", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_RGBA, {40, 8});
  const int values[] = {200, 100, 50, 51};  // a fifth
  for (int c = 0; c < 4; ++c)
    fill_component(*frame.get(), c, static_cast<std::uint32_t>(values[c]));
  check_uniform(convert(*frame.get(), {40, 8}, Chroma::yuv444), jpeg_ycc({40, 20, 10}), 1);
  const AvFrame gray = blank_frame(AV_PIX_FMT_YA8, {40, 8});
  fill_component(*gray.get(), 0, 100);
  fill_component(*gray.get(), 1, 51);
  check_uniform(convert(*gray.get(), {40, 8}, Chroma::gray), {20, 128, 128}, 1);
}

TEST_CASE("a palette shows the colours of its entries", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_PAL8, {20, 6});
  const std::uint32_t entry = 0xff000000U | 200U << 16 | 40U << 8 | 90U;
  std::memcpy(frame.get()->data[1] + 4 * 7, &entry, sizeof entry);
  for (int y = 0; y < 6; ++y)
    std::memset(frame.get()->data[0] + y * frame.get()->linesize[0], 7, 20);
  check_uniform(convert(*frame.get(), {20, 6}, Chroma::yuv444), jpeg_ycc({200, 40, 90}), 1);
}

TEST_CASE("matrix and range of YUV sources are respected, untagged ones told by height",
          "[source]") {
  // pure red of each matrix, limited range
  struct Case {
    AVColorSpace matrix;
    int height;
    std::array<int, 3> yuv;
  };
  const std::array<int, 3> red709 = {63, 102, 240};
  const std::array<int, 3> red601 = {81, 90, 240};
  for (const Case& test :
       {Case{AVCOL_SPC_BT709, 16, red709}, Case{AVCOL_SPC_SMPTE170M, 16, red601},
        Case{AVCOL_SPC_UNSPECIFIED, 16, red601}, Case{AVCOL_SPC_UNSPECIFIED, 720, red709}}) {
    CAPTURE(int{test.matrix}, test.height);
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV444P10LE,
                                       AV_PIX_FMT_YUV422P, AV_PIX_FMT_P010LE, AV_PIX_FMT_YUYV422}) {
      const AvFrame frame = blank_frame(format, {48, test.height});
      const AVPixFmtDescriptor* pixel = av_pix_fmt_desc_get(format);
      CAPTURE(pixel->name);
      frame.get()->colorspace = test.matrix;
      for (int c = 0; c < 3; ++c)
        fill_component(*frame.get(), c,
                       static_cast<std::uint32_t>(test.yuv[static_cast<std::size_t>(c)])
                           << (pixel->comp[c].depth - 8));
      check_uniform(convert(*frame.get(), {48, test.height}, Chroma::yuv420), jpeg_ycc({255, 0, 0}),
                    2);
    }
  }
}

TEST_CASE("tags that a picture lacks have defaults", "[source]") {
  const auto colour_of = [](AVPixelFormat format, int height, AVColorTransferCharacteristic light,
                            AVColorPrimaries primaries) {
    AvFrame frame = new_frame();
    frame.get()->format = format;
    frame.get()->width = 64;
    frame.get()->height = height;
    frame.get()->color_trc = light;
    frame.get()->color_primaries = primaries;
    return source_colour(*frame.get(), sample_format(format, "test"));
  };
  const auto untagged = [&](AVPixelFormat format, int height) {
    return colour_of(format, height, AVCOL_TRC_UNSPECIFIED, AVCOL_PRI_UNSPECIFIED);
  };
  CHECK(untagged(AV_PIX_FMT_YUV420P, 719).matrix == ZIMG_MATRIX_BT470_BG);
  CHECK(untagged(AV_PIX_FMT_YUV420P, 720).matrix == ZIMG_MATRIX_BT709);
  CHECK(untagged(AV_PIX_FMT_RGB24, 720).matrix == ZIMG_MATRIX_RGB);
  CHECK_FALSE(untagged(AV_PIX_FMT_YUV420P, 16).full_range);
  CHECK(untagged(AV_PIX_FMT_YUVJ420P, 16).full_range);
  CHECK(untagged(AV_PIX_FMT_RGB24, 16).full_range);
  CHECK(untagged(AV_PIX_FMT_YUV420P, 16).chroma_location == ZIMG_CHROMA_LEFT);
  CHECK(untagged(AV_PIX_FMT_YUVJ420P, 16).chroma_location == ZIMG_CHROMA_CENTER);
  CHECK_FALSE(untagged(AV_PIX_FMT_YUV420P, 16).needs_linear_light());

  const auto light_of = [&](AVColorTransferCharacteristic light, AVColorPrimaries primaries) {
    const SourceColour colour = colour_of(AV_PIX_FMT_YUV420P10LE, 16, light, primaries);
    return std::pair(colour.transfer, colour.primaries);
  };
  CHECK(light_of(AVCOL_TRC_SMPTE2084, AVCOL_PRI_UNSPECIFIED) ==
        std::pair(ZIMG_TRANSFER_ST2084, ZIMG_PRIMARIES_BT2020));
  CHECK(light_of(AVCOL_TRC_ARIB_STD_B67, AVCOL_PRI_BT709) ==
        std::pair(ZIMG_TRANSFER_ARIB_B67, ZIMG_PRIMARIES_BT2020));
  CHECK(light_of(AVCOL_TRC_SMPTE2084, AVCOL_PRI_SMPTE432) ==
        std::pair(ZIMG_TRANSFER_ST2084, ZIMG_PRIMARIES_ST432_1));
  CHECK(light_of(AVCOL_TRC_BT709, AVCOL_PRI_BT2020) ==
        std::pair(ZIMG_TRANSFER_BT709, ZIMG_PRIMARIES_BT2020));
  CHECK(light_of(AVCOL_TRC_LINEAR, AVCOL_PRI_UNSPECIFIED) ==
        std::pair(ZIMG_TRANSFER_LINEAR, ZIMG_PRIMARIES_BT709));
  CHECK(light_of(AVCOL_TRC_BT709, AVCOL_PRI_BT709) ==
        std::pair(ZIMG_TRANSFER_UNSPECIFIED, ZIMG_PRIMARIES_UNSPECIFIED));
}

TEST_CASE("full-range planes in JPEG's colour are stored untouched", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_YUVJ420P, {64, 32});
  frame.get()->colorspace = AVCOL_SPC_BT470BG;
  frame.get()->chroma_location = AVCHROMA_LOC_CENTER;
  for (int plane = 0; plane < 3; ++plane)
    for (int i = 0; i < frame.get()->linesize[plane] * (plane == 0 ? 32 : 16); ++i)
      frame.get()->data[plane][i] = static_cast<std::uint8_t>(i * 31 + plane);
  const PlanarPicture picture = convert(*frame.get(), {64, 32}, Chroma::yuv420);
  for (int plane = 0; plane < 3; ++plane)
    for (int y = 0; y < picture.planes[static_cast<std::size_t>(plane)].size_px.height; ++y)
      CHECK(std::memcmp(picture.planes[static_cast<std::size_t>(plane)].row(y),
                        frame.get()->data[plane] + y * frame.get()->linesize[plane],
                        static_cast<std::size_t>(plane == 0 ? 64 : 32)) == 0);
}

TEST_CASE("gray stays gray, is widened where the movie has colour, and odd depths are scaled",
          "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_GRAY16BE, {50, 10});
  fill_component(*frame.get(), 0, 100 * 257);
  check_uniform(convert(*frame.get(), {50, 10}, Chroma::gray), {100, 128, 128}, 0);
  check_uniform(convert(*frame.get(), {50, 10}, Chroma::yuv444), {100, 128, 128}, 1);
  const AvFrame mono = blank_frame(AV_PIX_FMT_MONOWHITE, {50, 10});
  std::memset(mono.get()->data[0], 0, static_cast<std::size_t>(mono.get()->linesize[0]) * 10);
  check_uniform(convert(*mono.get(), {50, 10}, Chroma::gray), {255, 128, 128}, 0);
}

TEST_CASE("linear light becomes sRGB", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_GBRPF32LE, {64, 16});
  for (int plane = 0; plane < 3; ++plane)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 64; ++x) {
        const float value = 0.5F;
        std::memcpy(frame.get()->data[plane] + y * frame.get()->linesize[plane] + 4 * x, &value, 4);
      }
  check_uniform(convert(*frame.get(), {64, 16}, Chroma::yuv444), {188, 128, 128}, 2);
}

TEST_CASE("scaling keeps flat colours flat at odd sizes, up and down", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_YUV420P, {641, 479});
  frame.get()->colorspace = AVCOL_SPC_SMPTE170M;
  const int values[] = {81, 90, 240};
  for (int c = 0; c < 3; ++c)
    fill_component(*frame.get(), c, static_cast<std::uint32_t>(values[c]));
  for (const SizePx size :
       {SizePx{853, 481}, SizePx{101, 77}, SizePx{1, 1}, SizePx{3, 2}, SizePx{1281, 1}}) {
    CAPTURE(size.width, size.height);
    check_uniform(convert(*frame.get(), size, Chroma::yuv420), jpeg_ycc({255, 0, 0}), 2);
    check_uniform(convert(*frame.get(), size, Chroma::yuv444), jpeg_ycc({255, 0, 0}), 2);
  }
}

TEST_CASE("a portable conversion differs from the fast one by rounding", "[source]") {
  const AvFrame frame = blank_frame(AV_PIX_FMT_RGB24, {256, 64});
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 256; ++x) {
      std::uint8_t* const pixel = frame.get()->data[0] +
                                  std::ptrdiff_t{y} * frame.get()->linesize[0] +
                                  std::ptrdiff_t{3} * x;
      pixel[0] = static_cast<std::uint8_t>(x);
      pixel[1] = static_cast<std::uint8_t>(3 * x + 5 * y);
      pixel[2] = static_cast<std::uint8_t>(4 * y);
    }
  int worst = 0;
  for (const Chroma chroma : {Chroma::yuv420, Chroma::yuv444}) {
    PictureConverter portable(
        {{256, 64}, {0, 0, 256, 64}, {}, {256, 64}, chroma, HdrMode::map, true}, "test");
    const PlanarPicture found = portable.convert(*frame.get());
    const PlanarPicture expected = convert(*frame.get(), {256, 64}, chroma);
    for (std::size_t p = 0; p < 3; ++p)
      for (int y = 0; y < found.planes[p].size_px.height; ++y)
        for (int x = 0; x < found.planes[p].size_px.width; ++x)
          worst =
              std::max(worst, std::abs(found.planes[p].row(y)[x] - expected.planes[p].row(y)[x]));
  }
  CHECK(worst <= 1);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) CHECK(worst == 1);  // other instructions round otherwise
#endif
}

TEST_CASE("a crop takes its own pixels, turned ones too", "[source]") {
  // four quarters: 10, 60, 110, 160
  const AvFrame frame = blank_frame(AV_PIX_FMT_GRAY8, {64, 32});
  frame.get()->color_range = AVCOL_RANGE_JPEG;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x)
      frame.get()->data[0][y * frame.get()->linesize[0] + x] =
          static_cast<std::uint8_t>(10 + 50 * (x / 32) + 100 * (y / 16));
  PictureConverter upright({{64, 32}, {40, 20, 16, 8}, {}, {16, 8}, Chroma::gray}, "test");
  check_uniform(upright.convert(*frame.get()), {160, 0, 0}, 0);
  // turned clockwise, the upper right quarter shows the stored upper left one
  PictureConverter turned({{32, 64}, {18, 4, 8, 16}, {true, true, false}, {8, 16}, Chroma::gray},
                          "test");
  check_uniform(turned.convert(*frame.get()), {10, 0, 0}, 0);
}
