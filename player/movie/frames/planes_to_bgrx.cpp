#include "player/movie/frames/planes_to_bgrx.hpp"

#include <algorithm>

#include "player/picture/bgrx.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tilewall::movie {

namespace {

constexpr int piece_px =
    512;  // a row's pixels at a time, so that the kernels' buffers stay in cache
static_assert(piece_px / 2 + 1 <= max_upsampled_columns);

struct Rows {
  const std::uint8_t* luma;
  const std::uint8_t* cb;
  const std::uint8_t* cr;
};

void write_pixels(const Rows& from, std::uint8_t* dst, int width) noexcept {
  std::uint8_t red[piece_px];
  std::uint8_t green[piece_px];
  std::uint8_t blue[piece_px];
  ycc_to_rgb(from.luma, from.cb, from.cr, red, green, blue, width);
  picture::pack_bgrx_row(red, green, blue, dst, width);
}

// Writes pixels [x, x + width) of row y. @pre width <= piece_px
void write_halved_chroma(const PlanarPicture& planes, int x, int y, int width,
                         std::uint8_t* dst) noexcept {
  std::uint8_t chroma[2][piece_px + 2];
  const int first = x / 2;
  const int count = (x + width - 1) / 2 - first + 1;
  for (std::size_t p = 0; p < 2; ++p) {
    const Plane& plane = planes.planes[p + 1];
    const int other = std::clamp(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1, 0, plane.size_px.height - 1);
    upsample_chroma(plane.row(y / 2), plane.row(other), plane.size_px.width, first, count,
                    chroma[p]);
  }
  const int skipped = x - 2 * first;
  write_pixels({planes.planes[0].row(y) + x, chroma[0] + skipped, chroma[1] + skipped}, dst, width);
}

void write_piece(const PlanarPicture& planes, int x, int y, int width, std::uint8_t* dst) noexcept {
  if (planes.chroma == Chroma::yuv420) return write_halved_chroma(planes, x, y, width, dst);
  const auto row = [&](std::size_t p) { return planes.planes[p].row(y) + x; };
  if (planes.chroma == Chroma::yuv444) return write_pixels({row(0), row(1), row(2)}, dst, width);
  const bool gray = planes.chroma == Chroma::gray;
  picture::pack_bgrx_row(row(0), row(gray ? 0 : 1), row(gray ? 0 : 2), dst, width);
}

}  // namespace

void planes_to_bgrx(const PlanarPicture& planes, const RectPx& part,
                    const ImageView& dst) noexcept {
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; x += piece_px)
      write_piece(planes, part.x + x, part.y + y, std::min(piece_px, part.width - x),
                  dst.row(y) + std::ptrdiff_t{4} * x);
}

namespace {

// Factors of chroma in red, green and blue, times 65536: libjpeg's FIX() of BT.601's factors.
constexpr int red_of_cr = 91881;     // 1.40200
constexpr int green_of_cb = -22554;  // 0.34414
constexpr int green_of_cr = -46802;  // 0.71414
constexpr int blue_of_cb = 116130;   // 1.77200
constexpr int half = 1 << 15;

std::uint8_t clamped(int sample) noexcept {
  return static_cast<std::uint8_t>(std::clamp(sample, 0, 255));
}

void ycc_to_rgb_from(int x, const std::uint8_t* luma, const std::uint8_t* cb,
                     const std::uint8_t* cr, std::uint8_t* red, std::uint8_t* green,
                     std::uint8_t* blue, int width) noexcept {
  for (; x < width; ++x) {
    const int b = cb[x] - 128;
    const int r = cr[x] - 128;
    red[x] = clamped(luma[x] + ((red_of_cr * r + half) >> 16));
    green[x] = clamped(luma[x] + ((green_of_cb * b + green_of_cr * r + half) >> 16));
    blue[x] = clamped(luma[x] + ((blue_of_cb * b + half) >> 16));
  }
}

#ifdef __SSE2__
__m128i load(const std::uint8_t* bytes) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}
__m128i load(const std::uint16_t* words) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
}
void store(std::uint8_t* bytes, __m128i value) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), value);
}

// (factor * sample + half) >> 16 for 8 samples in [-128, 127] and a factor in [-2^15, 2^15).
__m128i scaled(__m128i samples, int factor) noexcept {
  const __m128i doubled = _mm_add_epi16(samples, samples);
  const __m128i floor = _mm_mulhi_epi16(doubled, _mm_set1_epi16(static_cast<short>(factor)));
  return _mm_srai_epi16(_mm_add_epi16(floor, _mm_set1_epi16(1)), 1);
}

struct Rgb8 {
  __m128i red, green, blue;  // 8 words each, not clamped
};

// Multiplication takes 16-bit factors. The whole part of a larger one is added as whole samples,
// which is exact.
Rgb8 rgb_of_8(__m128i luma, __m128i cb, __m128i cr) noexcept {
  constexpr int one = 1 << 16;
  const __m128i red = _mm_add_epi16(cr, scaled(cr, red_of_cr - one));
  const __m128i blue = _mm_add_epi16(_mm_add_epi16(cb, cb), scaled(cb, blue_of_cb - 2 * one));
  const __m128i factors = _mm_set1_epi32((green_of_cb & 0xffff) | (green_of_cr + one) << 16);
  const auto green_of = [&](__m128i pairs) {
    return _mm_srai_epi32(_mm_add_epi32(_mm_madd_epi16(pairs, factors), _mm_set1_epi32(half)), 16);
  };
  const __m128i green =
      _mm_packs_epi32(green_of(_mm_unpacklo_epi16(cb, cr)), green_of(_mm_unpackhi_epi16(cb, cr)));
  return {_mm_add_epi16(luma, red), _mm_add_epi16(luma, _mm_sub_epi16(green, cr)),
          _mm_add_epi16(luma, blue)};
}
#endif

// Weights the own row by 3 and the other one by 1, in one column. Beyond the plane, its edge
// samples are repeated.
int column_sum(const std::uint8_t* own, const std::uint8_t* other, int width, int column) noexcept {
  const int x = std::clamp(column, 0, width - 1);
  return 3 * own[x] + other[x];
}

#ifdef __SSE2__
// column_sum() of `count` columns, and of one more on each side.
struct ColumnSums {
  std::uint16_t at[max_upsampled_columns + 2];

  ColumnSums(const std::uint8_t* own, const std::uint8_t* other, int width, int first,
             int count) noexcept {
    const auto widened = [](const std::uint8_t* row) {
      return _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row)),
                               _mm_setzero_si128());
    };
    at[0] = static_cast<std::uint16_t>(column_sum(own, other, width, first - 1));
    int i = 0;
    for (; i + 8 <= count; i += 8) {
      const __m128i thrice = _mm_mullo_epi16(widened(own + first + i), _mm_set1_epi16(3));
      const __m128i sum = _mm_add_epi16(thrice, widened(other + first + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at + 1 + i), sum);
    }
    for (; i <= count; ++i)
      at[1 + i] = static_cast<std::uint16_t>(column_sum(own, other, width, first + i));
  }
};
#endif

}  // namespace

void upsample_chroma(const std::uint8_t* own, const std::uint8_t* other, int width, int first,
                     int count, std::uint8_t* out) noexcept {
  int i = 0;
#ifdef __SSE2__
  const ColumnSums sums(own, other, width, first, count);
  for (; i + 8 <= count; i += 8) {
    const __m128i thrice = _mm_mullo_epi16(load(sums.at + 1 + i), _mm_set1_epi16(3));
    const __m128i left = _mm_add_epi16(thrice, load(sums.at + i));
    const __m128i right = _mm_add_epi16(thrice, load(sums.at + 2 + i));
    const __m128i even = _mm_srli_epi16(_mm_add_epi16(left, _mm_set1_epi16(8)), 4);
    const __m128i odd = _mm_srli_epi16(_mm_add_epi16(right, _mm_set1_epi16(7)), 4);
    store(out + 2 * i, _mm_or_si128(even, _mm_slli_epi16(odd, 8)));
  }
#endif
  upsample_chroma_reference(own, other, width, first + i, count - i, out + 2 * i);
}

void upsample_chroma_reference(const std::uint8_t* own, const std::uint8_t* other, int width,
                               int first, int count, std::uint8_t* out) noexcept {
  for (int i = 0; i < count; ++i) {
    const auto sum = [&](int beside) { return column_sum(own, other, width, first + i + beside); };
    out[2 * i] = static_cast<std::uint8_t>((3 * sum(0) + sum(-1) + 8) >> 4);
    out[2 * i + 1] = static_cast<std::uint8_t>((3 * sum(0) + sum(1) + 7) >> 4);
  }
}

void ycc_to_rgb(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue, int width) noexcept {
  int x = 0;
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128();
  const __m128i middle = _mm_set1_epi16(128);
  for (; x + 16 <= width; x += 16) {
    const __m128i y = load(luma + x);
    const __m128i b = load(cb + x);
    const __m128i r = load(cr + x);
    const auto chroma_low = [&](__m128i c) {
      return _mm_sub_epi16(_mm_unpacklo_epi8(c, zero), middle);
    };
    const auto chroma_high = [&](__m128i c) {
      return _mm_sub_epi16(_mm_unpackhi_epi8(c, zero), middle);
    };
    const Rgb8 low = rgb_of_8(_mm_unpacklo_epi8(y, zero), chroma_low(b), chroma_low(r));
    const Rgb8 high = rgb_of_8(_mm_unpackhi_epi8(y, zero), chroma_high(b), chroma_high(r));
    store(red + x, _mm_packus_epi16(low.red, high.red));
    store(green + x, _mm_packus_epi16(low.green, high.green));
    store(blue + x, _mm_packus_epi16(low.blue, high.blue));
  }
#endif
  ycc_to_rgb_from(x, luma, cb, cr, red, green, blue, width);
}

void ycc_to_rgb_reference(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                          std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue,
                          int width) noexcept {
  ycc_to_rgb_from(0, luma, cb, cr, red, green, blue, width);
}

}  // namespace tilewall::movie
