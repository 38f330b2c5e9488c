// Tone mapping against the formulas of ITU-R BT.2390, BT.2100 and SMPTE ST 2084, which stand here
// once more in the reports' own form and share no line with the program's.
extern "C" {
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
}

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "player/movie/source/movie_file.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "player/movie/source/tone_mapper.hpp"
#include "player/movie/source/tone_table.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;

namespace {

struct Light {
  double r = 0;
  double g = 0;
  double b = 0;
};

double luminance_2020(const Light& c) { return 0.2627 * c.r + 0.678 * c.g + 0.0593 * c.b; }

/// ST 2084, equations 4.1 and 5.1 with L in [0, 1] of 10,000 cd/m2.
double pq_eotf(double n) {
  const double p = std::pow(n, 32.0 / 2523);
  return 10000 * std::pow(std::max(p - 107.0 / 128, 0.0) / (2413.0 / 128 - 2392.0 / 128 * p),
                          8192.0 / 1305);
}
double pq_inverse(double nits) {
  const double p = std::pow(nits / 10000, 1305.0 / 8192);
  return std::pow((107.0 / 128 + 2413.0 / 128 * p) / (1 + 2392.0 / 128 * p), 2523.0 / 32);
}

/// BT.2390-8, 5.4.1, black of the source `lb` and peak `lw`, of the display 0 and 203 cd/m2.
double eetf(double nits, double lb, double lw) {
  const double b = pq_inverse(lb);
  const double range = pq_inverse(lw) - b;
  const double min_lum = (pq_inverse(0) - b) / range;
  const double max_lum = (pq_inverse(203) - b) / range;
  const double ks = 1.5 * max_lum - 0.5;
  const double e1 = std::min(1.0, std::max(0.0, (pq_inverse(nits) - b) / range));
  double e2 = e1;
  if (e1 > ks && max_lum < 1) {
    const double t = (e1 - ks) / (1 - ks);
    e2 = (2 * t * t * t - 3 * t * t + 1) * ks + (t * t * t - 2 * t * t + t) * (1 - ks) +
         (-2 * t * t * t + 3 * t * t) * max_lum;
  }
  return pq_eotf((e2 + min_lum * std::pow(1 - e2, 4)) * range + b);
}

/// Display light of 10-bit limited-range BT.2020 codes.
Light display_light(double y_code, double cb_code, double cr_code, bool hlg) {
  const auto unit = [](double v) { return std::min(1.0, std::max(0.0, v)); };
  const double y = (y_code - 64) / 876;
  const double cb = (cb_code - 512) / 896;
  const double cr = (cr_code - 512) / 896;
  const Light e = {unit(y + 1.4746 * cr), unit(y - 0.164553 * cb - 0.571353 * cr),
                   unit(y + 1.8814 * cb)};
  if (!hlg) return {pq_eotf(e.r), pq_eotf(e.g), pq_eotf(e.b)};
  const auto scene = [](double v) {
    return v <= 0.5 ? v * v / 3 : (std::exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  };
  const Light s = {scene(e.r), scene(e.g), scene(e.b)};
  const double ys = luminance_2020(s);
  const double gain = ys > 0 ? 1000 * std::pow(ys, 0.2) : 0;
  return {gain * s.r, gain * s.g, gain * s.b};
}

/// R'G'B' of BT.709 in 0..255.
Light reference(double y_code, double cb_code, double cr_code, bool hlg, double black,
                double peak) {
  const Light in = display_light(y_code, cb_code, cr_code, hlg);
  const double y1 = luminance_2020(in);
  if (y1 <= 0) return {};
  const double y2 = eetf(y1, black, peak) / 203;
  const double k = y2 / y1;
  Light out = {k * (1.660491 * in.r - 0.587641 * in.g - 0.072850 * in.b),
               k * (-0.124550 * in.r + 1.132900 * in.g - 0.008350 * in.b),
               k * (-0.018151 * in.r - 0.100579 * in.g + 1.118730 * in.b)};
  double keep = 1;  // of the colour: the rest is gray of the same luminance
  for (const double c : {out.r, out.g, out.b}) {
    if (c > 1) keep = std::min(keep, (1 - y2) / (c - y2));
    if (c < 0) keep = std::min(keep, y2 / (y2 - c));
  }
  const auto encoded = [&](double c) {
    return 255 * std::pow(std::min(1.0, std::max(0.0, y2 + keep * (c - y2))), 1 / 2.4);
  };
  return {encoded(out.r), encoded(out.g), encoded(out.b)};
}

double luma_709(const Light& c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; }

AvFrame hdr_frame(const char* format, SizePx size, AVColorTransferCharacteristic transfer) {
  AvFrame frame = new_frame();
  frame.get()->format = av_get_pix_fmt(format);
  frame.get()->width = size.width;
  frame.get()->height = size.height;
  frame.get()->color_trc = transfer;
  frame.get()->color_primaries = AVCOL_PRI_BT2020;
  frame.get()->colorspace = AVCOL_SPC_BT2020_NCL;
  frame.get()->color_range = AVCOL_RANGE_MPEG;
  REQUIRE(av_frame_get_buffer(frame.get(), 0) == 0);
  return frame;
}

void tag_mastering(AVFrame& frame, int peak_nits, int black_ten_thousandths) {
  AVMasteringDisplayMetadata* tag = av_mastering_display_metadata_create_side_data(&frame);
  tag->has_luminance = 1;
  tag->max_luminance = {peak_nits, 1};
  tag->min_luminance = {black_ten_thousandths, 10000};
}

std::uint16_t* codes(AVFrame& frame, int plane, int y) {
  return reinterpret_cast<std::uint16_t*>(frame.data[plane] +
                                          std::ptrdiff_t{y} * frame.linesize[plane]);
}

/// BT.2020 codes of smooth, colourful content up to `top`: hue along x, luma along y, saturation in
/// waves, no code outside of what R'G'B' in [0, 1] gives.
void paint(AVFrame& frame, double top) {
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const double hue = 2 * M_PI * x / frame.width;
      const double level = top * (y + 0.5) / frame.height;
      const double saturation = 0.5 + 0.5 * std::sin(0.11 * x + 0.07 * y);
      const auto channel = [&](double phase) {
        return level * (1 - saturation * (0.5 + 0.5 * std::cos(hue + phase)));
      };
      const double r = channel(0);
      const double g = channel(2.1);
      const double b = channel(4.2);
      const double luma = 0.2627 * r + 0.678 * g + 0.0593 * b;
      codes(frame, 0, y)[x] = static_cast<std::uint16_t>(std::lround(64 + 876 * luma));
      codes(frame, 1, y)[x] =
          static_cast<std::uint16_t>(std::lround(512 + 896 * (b - luma) / 1.8814));
      codes(frame, 2, y)[x] =
          static_cast<std::uint16_t>(std::lround(512 + 896 * (r - luma) / 1.4746));
    }
}

/// A pixel of a mapped 4:4:4 picture.
Light pixel_of(const AVFrame& frame, int x, int y) {
  const auto sample = [&](int plane) {
    return static_cast<double>(frame.data[plane][std::ptrdiff_t{y} * frame.linesize[plane] + x]);
  };
  const double luma = sample(0);
  const double cb = sample(1) - 128;
  const double cr = sample(2) - 128;
  return {luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb};
}

struct Difference {
  double luma_psnr_db = 0;
  double worst_luma = 0;
};

Difference against_reference(const AVFrame& source, bool hlg, double black, double peak) {
  ToneMapper mapper(HdrMode::map, 2);
  const AVFrame& mapped = mapper.mapped(source);
  REQUIRE(mapped.format == AV_PIX_FMT_YUV444P);
  auto& frame = const_cast<AVFrame&>(source);
  double squares = 0;
  Difference difference;
  for (int y = 0; y < source.height; ++y)
    for (int x = 0; x < source.width; ++x) {
      const Light expected = reference(codes(frame, 0, y)[x], codes(frame, 1, y)[x],
                                       codes(frame, 2, y)[x], hlg, black, peak);
      const double off = luma_709(pixel_of(mapped, x, y)) - luma_709(expected);
      squares += off * off;
      difference.worst_luma = std::max(difference.worst_luma, std::abs(off));
    }
  const double mean = squares / (static_cast<double>(source.width) * source.height);
  difference.luma_psnr_db = 10 * std::log10(255.0 * 255.0 / mean);
  return difference;
}

}  // namespace

TEST_CASE("mapped pictures follow the formulas of BT.2390", "[source][hdr]") {
  struct Case {
    AVColorTransferCharacteristic transfer;
    int mastering_nits;  // 0 = untagged
    int black_ten_thousandths;
    double peak_nits;
  };
  for (const Case& c :
       {Case{AVCOL_TRC_SMPTE2084, 0, 0, 1000}, Case{AVCOL_TRC_SMPTE2084, 1000, 50, 1000},
        Case{AVCOL_TRC_SMPTE2084, 4000, 1, 4000},
        Case{AVCOL_TRC_SMPTE2084, 150, 1, 150},  // darker than SDR white
        Case{AVCOL_TRC_ARIB_STD_B67, 0, 0, 1000}}) {
    const bool hlg = c.transfer == AVCOL_TRC_ARIB_STD_B67;
    const AvFrame frame = hdr_frame("yuv444p10le", {256, 128}, c.transfer);
    if (c.mastering_nits > 0)
      tag_mastering(*frame.get(), c.mastering_nits, c.black_ten_thousandths);
    paint(*frame.get(), hlg ? 1 : 0.75);
    const Difference difference =
        against_reference(*frame.get(), hlg, c.black_ten_thousandths / 10000.0, c.peak_nits);
    CAPTURE(c.transfer, c.mastering_nits, difference.worst_luma);
    CHECK(difference.luma_psnr_db >= 45);
  }
}

TEST_CASE("gray stays gray, and highlights over SDR white differ", "[source][hdr]") {
  const AvFrame frame = hdr_frame("yuv420p10le", {1024, 2}, AVCOL_TRC_SMPTE2084);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 1024; ++x) codes(*frame.get(), 0, y)[x] = static_cast<std::uint16_t>(x);
  for (int plane = 1; plane < 3; ++plane) std::fill_n(codes(*frame.get(), plane, 0), 512, 512);
  ToneMapper mapper(HdrMode::map, 1);
  const AVFrame& mapped = mapper.mapped(*frame.get());
  REQUIRE(mapped.format == AV_PIX_FMT_YUV420P);
  for (int x = 0; x < 512; ++x) {
    REQUIRE(mapped.data[1][x] == 128);
    REQUIRE(mapped.data[2][x] == 128);
  }
  for (int x = 1; x < 1024; ++x) REQUIRE(mapped.data[0][x] >= mapped.data[0][x - 1]);
  const auto code_of = [](double nits) { return std::lround(64 + 876 * pq_inverse(nits)); };
  CHECK(mapped.data[0][64] == 0);
  CHECK(mapped.data[0][code_of(50)] > 120);
  CHECK(mapped.data[0][code_of(203)] < 240);
  CHECK(mapped.data[0][code_of(600)] > mapped.data[0][code_of(300)] + 5);
  CHECK(mapped.data[0][code_of(1000)] == 255);
}

TEST_CASE("tone kernels round halves up along each axis, and at the end", "[source][hdr]") {
  std::vector<ToneRowFn> kernels = {tone_row_scalar, pick_tone_row()};
  constexpr int count = 16;
  // Two nodes along each axis, 256 codes apart; values of 64 and more are a code of 1.
  const auto shown = [&](ToneRowFn kernel, std::array<std::uint16_t, 8> nodes,
                         std::array<std::uint16_t, 3> codes) {
    std::vector<std::uint16_t> values(nodes.begin(), nodes.end());
    values.resize(values.size() + 16);  // the next nodes, which weigh nothing
    const ToneGrid grid{values.data(), 2, 2, 8, 8};
    std::array<std::vector<std::uint16_t>, 3> in;
    for (std::size_t i = 0; i < 3; ++i) in[i].assign(count, codes[i]);
    std::vector<std::uint8_t> out(count, 9);
    kernel(grid, in[0].data(), in[1].data(), in[2].data(), out.data(), count);
    CHECK(std::ranges::count(out, out[0]) == count);
    return int{out[0]};
  };
  for (const ToneRowFn kernel : kernels) {
    CAPTURE(kernel == tone_row_scalar);
    CHECK(shown(kernel, {63, 63, 63, 63, 63, 63, 63, 63}, {0, 0, 0}) == 0);
    CHECK(shown(kernel, {64, 64, 64, 64, 64, 64, 64, 64}, {0, 0, 0}) == 1);
    CHECK(shown(kernel, {63, 64, 63, 64, 63, 64, 63, 64}, {128, 0, 0}) == 1);
    CHECK(shown(kernel, {63, 64, 63, 64, 63, 64, 63, 64}, {127, 0, 0}) == 0);
    CHECK(shown(kernel, {63, 63, 64, 64, 63, 63, 64, 64}, {0, 128, 0}) == 1);
    CHECK(shown(kernel, {63, 63, 64, 64, 63, 63, 64, 64}, {0, 127, 0}) == 0);
    CHECK(shown(kernel, {63, 63, 63, 63, 64, 64, 64, 64}, {0, 0, 128}) == 1);
    CHECK(shown(kernel, {63, 63, 63, 63, 64, 64, 64, 64}, {0, 0, 127}) == 0);
    CHECK(shown(kernel, {64, 64, 63, 63, 64, 64, 63, 63}, {0, 128, 0}) == 1);  // 63.5, as upwards
    CHECK(shown(kernel, {64, 64, 63, 63, 64, 64, 63, 63}, {0, 129, 0}) == 0);
  }
}

TEST_CASE("black and white of R'G'B' are black and white, in either range", "[source][hdr]") {
  struct Codes {
    bool full_range;
    std::uint16_t black, white;
  };
  for (const Codes codes : {Codes{false, 64, 940}, {true, 0, 1023}}) {
    CAPTURE(codes.full_range);
    const ToneTable table(ToneCurve(HdrLight{}), {10, codes.full_range, true, 0.2627, 0.0593});
    const auto mapped = [&](std::uint16_t code) {
      std::uint8_t out = 9;
      tone_row_scalar(table.grid(1), &code, &code, &code, &out, 1);
      return int{out};
    };
    CHECK(mapped(codes.black) == 0);
    CHECK(mapped(codes.white) == 255);
    const double grey_code = codes.black + (codes.white - codes.black) * pq_inverse(20);
    const Light grey = reference(64 + 876 * pq_inverse(20), 512, 512, false, 0, 1000);
    CHECK(mapped(static_cast<std::uint16_t>(std::lround(grey_code))) == Approx(grey.g).margin(2));
  }
}

TEST_CASE("both tone kernels give the same bytes", "[source][hdr]") {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) {
    WARN("skipped: this processor has no AVX2");
    return;
  }
  std::mt19937 random(5);
  for (const bool rgb : {false, true}) {
    const int depth = rgb ? 12 : 10;
    const ToneTable table(ToneCurve(HdrLight{}), {depth, rgb, rgb, 0.2627, 0.0593});
    std::array<std::vector<std::uint16_t>, 3> in;
    for (auto& row : in) {
      row.resize(200);
      for (auto& code : row) code = static_cast<std::uint16_t>(random() & ((1U << depth) - 1));
    }
    in[0][3] = in[1][3] = in[2][3] = static_cast<std::uint16_t>((1U << depth) - 1);
    for (int length = 0; length <= 130; ++length) {
      const auto at = static_cast<std::size_t>(length % 7);
      std::vector<std::uint8_t> scalar(160, 9);
      std::vector<std::uint8_t> wide(160, 9);
      tone_row_scalar(table.grid(length % 3), &in[0][at], &in[1][at], &in[2][at], &scalar[8],
                      length);
      tone_row_avx2(table.grid(length % 3), &in[0][at], &in[1][at], &in[2][at], &wide[8], length);
      CAPTURE(length, rgb);
      REQUIRE(scalar == wide);
    }
  }
#endif
}

namespace {

/// A picture of 67 x 45 pixels in one colour, which is given in codes of 10 bits.
AvFrame flat_frame(const char* format, AVChromaLocation location,
                   const std::array<double, 3>& codes) {
  AvFrame frame = hdr_frame(format, {67, 45}, AVCOL_TRC_SMPTE2084);
  for (const AVBufferRef* buffer : frame.get()->buf)
    if (buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
  frame.get()->chroma_location = location;
  const AVPixFmtDescriptor& pixel =
      *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.get()->format));
  const int scale = 1 << (pixel.comp[0].depth - 10);
  for (int c = 0; c < pixel.nb_components; ++c) {
    const double value = c < 3 ? codes[static_cast<std::size_t>(c)] : 1023.999;
    const int shift_w = c == 1 || c == 2 ? pixel.log2_chroma_w : 0;
    const int shift_h = c == 1 || c == 2 ? pixel.log2_chroma_h : 0;
    const std::vector<std::uint32_t> line(67, static_cast<std::uint32_t>(value * scale));
    for (int y = 0; y < AV_CEIL_RSHIFT(45, shift_h); ++y)
      av_write_image_line2(line.data(), frame.get()->data, frame.get()->linesize, &pixel, 0, y, c,
                           AV_CEIL_RSHIFT(67, shift_w), 4);
  }
  return frame;
}

}  // namespace

TEST_CASE("every sample format maps a flat colour alike, at odd sizes too", "[source][hdr]") {
  const double luma = 500;
  const double cb = 560;
  const double cr = 470;
  const Light expected = reference(luma, cb, cr, false, 0, 1000);
  ToneMapper mapper(HdrMode::map,
                    1);  // its table, which takes long to make, serves several formats
  for (const char* format : {"yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv440p10le", "p010le",
                             "yuv420p10be", "yuva420p10le", "yuv420p12le", "yuv444p16le"})
    for (const AVChromaLocation location :
         {AVCHROMA_LOC_LEFT, AVCHROMA_LOC_TOPLEFT, AVCHROMA_LOC_CENTER, AVCHROMA_LOC_BOTTOM}) {
      // Another picture first, so that nothing which the mapper leaves as it was goes unnoticed.
      const AvFrame black = flat_frame(format, location, {64, 512, 512});
      static_cast<void>(mapper.mapped(*black.get()));
      const AvFrame frame = flat_frame(format, location, {luma, cb, cr});
      const AVFrame& mapped = mapper.mapped(*frame.get());
      CAPTURE(format, location);
      REQUIRE(&mapped != frame.get());
      int others = 0;
      for (int y = 0; y < 45; ++y)
        for (int x = 0; x < 67; ++x)
          others += mapped.data[0][std::ptrdiff_t{y} * mapped.linesize[0] + x] != mapped.data[0][0];
      REQUIRE(others == 0);
      const double jpeg_luma = 0.299 * expected.r + 0.587 * expected.g + 0.114 * expected.b;
      CHECK(int{mapped.data[0][0]} == Approx(jpeg_luma).margin(1));
      CHECK(int{mapped.data[1][0]} == Approx(128 + (expected.b - jpeg_luma) / 1.772).margin(1));
      CHECK(int{mapped.data[2][0]} == Approx(128 + (expected.r - jpeg_luma) / 1.402).margin(1));
    }
}

TEST_CASE("a mapped picture's tags say what it is, and where its chroma lies", "[source][hdr]") {
  for (const AVChromaLocation location :
       {AVCHROMA_LOC_UNSPECIFIED, AVCHROMA_LOC_LEFT, AVCHROMA_LOC_CENTER, AVCHROMA_LOC_TOPLEFT,
        AVCHROMA_LOC_TOP, AVCHROMA_LOC_BOTTOMLEFT, AVCHROMA_LOC_BOTTOM}) {
    CAPTURE(location);
    const AvFrame frame = hdr_frame("yuv420p10le", {16, 8}, AVCOL_TRC_SMPTE2084);
    frame.get()->chroma_location = location;
    frame.get()->sample_aspect_ratio = {4, 3};
    ToneMapper mapper(HdrMode::map, 1);
    const AVFrame& mapped = mapper.mapped(*frame.get());
    // Video of limited range has its chroma to the left where nothing says otherwise.
    CHECK(mapped.chroma_location ==
          (location == AVCHROMA_LOC_UNSPECIFIED ? AVCHROMA_LOC_LEFT : location));
    CHECK(mapped.color_range == AVCOL_RANGE_JPEG);
    CHECK(mapped.color_primaries == AVCOL_PRI_BT709);
    CHECK(mapped.color_trc == AVCOL_TRC_BT709);
    CHECK(mapped.colorspace == AVCOL_SPC_BT470BG);
    CHECK(mapped.sample_aspect_ratio.num == 4);
    CHECK(mapped.sample_aspect_ratio.den == 3);
  }
}

TEST_CASE("codes beyond the depth and tags that make no sense do no harm", "[source][hdr]") {
  const AvFrame frame = hdr_frame("yuv420p10le", {64, 64}, AVCOL_TRC_SMPTE2084);
  for (const AVBufferRef* buffer : frame.get()->buf)
    if (buffer != nullptr) std::memset(buffer->data, 0xff, buffer->size);
  tag_mastering(*frame.get(), 0, 2'000'000'000);
  ToneMapper mapper(HdrMode::map, 1);
  CHECK(mapper.mapped(*frame.get()).data[0][0] == 255);
  CHECK(hdr_light_of(*frame.get())->peak_nits == 1000);
  CHECK(hdr_light_of(*frame.get())->black_nits == 0);
}

TEST_CASE("the peak is that of the tags", "[source][hdr]") {
  const AvFrame frame = hdr_frame("yuv420p10le", {64, 64}, AVCOL_TRC_SMPTE2084);
  CHECK(to_string(*hdr_light_of(*frame.get())) ==
        "HDR10 (PQ), peak 1000 cd/m2 (assumed: not tagged)");
  tag_mastering(*frame.get(), 4000, 50);
  CHECK(hdr_light_of(*frame.get())->peak_nits == 4000);
  CHECK(hdr_light_of(*frame.get())->black_nits == Approx(0.005));
  AVContentLightMetadata* const light = av_content_light_metadata_create_side_data(frame.get());
  light->MaxCLL = 9000;  // brighter than the display that the movie was made for
  CHECK(hdr_light_of(*frame.get())->peak_nits == 4000);
  light->MaxCLL = 1600;
  CHECK(hdr_light_of(*frame.get())->peak_nits == 1600);
  CHECK(to_string(*hdr_light_of(*frame.get())) == "HDR10 (PQ), peak 1600 cd/m2");
  CHECK(ignored_metadata(*hdr_light_of(*frame.get())).empty());
  av_frame_new_side_data(frame.get(), AV_FRAME_DATA_DYNAMIC_HDR_PLUS, 64);
  CHECK(to_string(*hdr_light_of(*frame.get())) ==
        "HDR10 (PQ), peak 1600 cd/m2; its HDR10+ metadata is not used");
  av_frame_new_side_data(frame.get(), AV_FRAME_DATA_DOVI_RPU_BUFFER, 64);
  CHECK(ignored_metadata(*hdr_light_of(*frame.get())) == "HDR10+ and Dolby Vision");
  frame.get()->color_trc = AVCOL_TRC_BT709;
  CHECK_FALSE(hdr_light_of(*frame.get()));
}

TEST_CASE("imported pictures are mapped, and clipped where that is asked for", "[source][hdr]") {
  const AvFrame frame = hdr_frame("yuv420p10le", {64, 32}, AVCOL_TRC_SMPTE2084);
  const auto code = static_cast<std::uint16_t>(std::lround(64 + 876 * pq_inverse(400)));
  for (int y = 0; y < 32; ++y) std::fill_n(codes(*frame.get(), 0, y), 64, code);
  for (int plane = 1; plane < 3; ++plane)
    for (int y = 0; y < 16; ++y) std::fill_n(codes(*frame.get(), plane, y), 32, std::uint16_t{512});
  const auto luma_of = [&](HdrMode hdr) {
    PictureConverter converter({{64, 32}, {0, 0, 64, 32}, {}, {64, 32}, Chroma::yuv420, hdr},
                               "test");
    return static_cast<int>(converter.convert(*frame.get()).planes[0].row(16)[32]);
  };
  CHECK(luma_of(HdrMode::clip) == 255);
  CHECK(luma_of(HdrMode::map) == Approx(reference(code, 512, 512, false, 0, 1000).g).margin(1));
}

namespace {

/// A lossless movie of that frame, `count` times, whose container alone says what the mastering
/// display was.
void write_tagged_movie(const std::filesystem::path& file, AVFrame& frame, int count) {
  quiet_ffmpeg();
  AVFormatContext* container = nullptr;
  REQUIRE(avformat_alloc_output_context2(&container, nullptr, nullptr, file.c_str()) >= 0);
  AVStream* const stream = avformat_new_stream(container, nullptr);
  const AvCodec encoder(avcodec_alloc_context3(avcodec_find_encoder_by_name("ffv1")));
  AVCodecContext& context = *encoder.get();
  context.width = frame.width;
  context.height = frame.height;
  context.pix_fmt = static_cast<AVPixelFormat>(frame.format);
  context.time_base = {1, 24};
  context.color_trc = frame.color_trc;
  context.color_primaries = frame.color_primaries;
  context.colorspace = frame.colorspace;
  context.color_range = frame.color_range;
  REQUIRE(avcodec_open2(&context, nullptr, nullptr) >= 0);
  REQUIRE(avcodec_parameters_from_context(stream->codecpar, &context) >= 0);
  std::size_t size = 0;
  AVMasteringDisplayMetadata* const made = av_mastering_display_metadata_alloc();
  size = sizeof *made;
  auto* const tag = reinterpret_cast<AVMasteringDisplayMetadata*>(
      av_stream_new_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, size));
  *tag = *made;
  av_free(made);
  tag->has_luminance = 1;
  tag->max_luminance = {4000, 1};
  tag->min_luminance = {1, 100};
  REQUIRE(avio_open(&container->pb, file.c_str(), AVIO_FLAG_WRITE) >= 0);
  REQUIRE(avformat_write_header(container, nullptr) >= 0);
  const AvPacket packet = new_packet();
  for (int i = 0; i <= count; ++i) {
    frame.pts = i;
    REQUIRE(avcodec_send_frame(&context, i < count ? &frame : nullptr) >= 0);
    while (avcodec_receive_packet(&context, packet.get()) >= 0) {
      av_packet_rescale_ts(packet.get(), context.time_base, stream->time_base);
      REQUIRE(av_interleaved_write_frame(container, packet.get()) >= 0);
    }
  }
  av_write_trailer(container);
  avio_closep(&container->pb);
  avformat_free_context(container);
}

}  // namespace

TEST_CASE("a container's mastering tags reach every picture, after a seek too", "[source][hdr]") {
  const test::TemporaryFolder folder;
  const AvFrame frame = hdr_frame("yuv420p10le", {64, 64}, AVCOL_TRC_SMPTE2084);
  for (const AVBufferRef* buffer : frame.get()->buf)
    if (buffer != nullptr) std::memset(buffer->data, 0, buffer->size);
  write_tagged_movie(folder / "hdr.mkv", *frame.get(), 5);
  MovieFile movie(folder / "hdr.mkv", 1);
  CHECK(movie.info().hdr());
  for (const bool after_seek : {false, true}) {
    if (after_seek) REQUIRE(movie.seek(3.0 / 24));
    while (const auto picture = movie.next()) {
      CAPTURE(after_seek, picture->pts.value_or(-1));
      const auto light = hdr_light_of(*picture->frame);
      REQUIRE(light);
      CHECK(light->peak_nits == 4000);
      CHECK(light->black_nits == Approx(0.01));
    }
  }
}
