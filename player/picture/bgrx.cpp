#include "player/picture/bgrx.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tilewall::picture {
namespace {

constexpr std::uint32_t black_pixel = 0xff000000;  // X is the last byte
static_assert(std::endian::native == std::endian::little);

void pack_from(int x, const std::uint8_t* red, const std::uint8_t* green, const std::uint8_t* blue,
               std::uint8_t* dst, int width) noexcept {
  for (; x < width; ++x) {
    dst[4 * x] = blue[x];
    dst[4 * x + 1] = green[x];
    dst[4 * x + 2] = red[x];
    dst[4 * x + 3] = 255;
  }
}

}  // namespace

void pack_bgrx_row(const std::uint8_t* red, const std::uint8_t* green, const std::uint8_t* blue,
                   std::uint8_t* dst, int width) noexcept {
  int x = 0;
#ifdef __SSE2__
  const auto load = [&](const std::uint8_t* row) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + x));
  };
  for (; x + 16 <= width; x += 16) {
    const __m128i r = load(red);
    const __m128i g = load(green);
    const __m128i b = load(blue);
    const __m128i full = _mm_set1_epi8(-1);
    const __m128i bg[] = {_mm_unpacklo_epi8(b, g), _mm_unpackhi_epi8(b, g)};
    const __m128i rx[] = {_mm_unpacklo_epi8(r, full), _mm_unpackhi_epi8(r, full)};
    auto* out = reinterpret_cast<__m128i*>(dst + 4 * x);
    for (int half = 0; half < 2; ++half) {
      _mm_storeu_si128(out + 2 * half, _mm_unpacklo_epi16(bg[half], rx[half]));
      _mm_storeu_si128(out + 2 * half + 1, _mm_unpackhi_epi16(bg[half], rx[half]));
    }
  }
#endif
  pack_from(x, red, green, blue, dst, width);
}

void pack_bgrx_row_reference(const std::uint8_t* red, const std::uint8_t* green,
                             const std::uint8_t* blue, std::uint8_t* dst, int width) noexcept {
  pack_from(0, red, green, blue, dst, width);
}

void unpack_bgrx_row(const std::uint8_t* src, std::uint8_t* red, std::uint8_t* green,
                     std::uint8_t* blue, int width) noexcept {
  int x = 0;
#ifdef __SSE2__
  for (; x + 16 <= width; x += 16) {
    const auto* in = reinterpret_cast<const __m128i*>(src + 4 * x);
    const __m128i pixels[] = {_mm_loadu_si128(in), _mm_loadu_si128(in + 1), _mm_loadu_si128(in + 2),
                              _mm_loadu_si128(in + 3)};
    const auto gather = [&](int shift, std::uint8_t* plane) {  // one byte of each pixel
      const auto byte_of = [&](const __m128i& four) {
        return _mm_and_si128(_mm_srli_epi32(four, shift), _mm_set1_epi32(0xff));
      };
      const __m128i low = _mm_packs_epi32(byte_of(pixels[0]), byte_of(pixels[1]));
      const __m128i high = _mm_packs_epi32(byte_of(pixels[2]), byte_of(pixels[3]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(plane + x), _mm_packus_epi16(low, high));
    };
    gather(0, blue);
    gather(8, green);
    gather(16, red);
  }
#endif
  for (; x < width; ++x) {
    blue[x] = src[4 * x];
    green[x] = src[4 * x + 1];
    red[x] = src[4 * x + 2];
  }
}

void fill_black(const ImageView& picture, const RectPx& rect) noexcept {
  if (rect.empty()) return;
  for (int y = rect.y; y < rect.bottom(); ++y) {
    std::uint8_t* row = picture.row(y) + static_cast<std::size_t>(rect.x) * 4;
    for (int x = 0; x < rect.width; ++x)
      std::memcpy(row + static_cast<std::size_t>(x) * 4, &black_pixel, 4);
  }
}

void fill_black_around(const ImageView& picture, const RectPx& rect) noexcept {
  const SizePx size = picture.size_px;
  if (rect.empty()) return fill_black(picture, {0, 0, size.width, size.height});
  fill_black(picture, {0, 0, size.width, rect.y});
  fill_black(picture, {0, rect.y, rect.x, rect.height});
  fill_black(picture, {rect.right(), rect.y, size.width - rect.right(), rect.height});
  fill_black(picture, {0, rect.bottom(), size.width, size.height - rect.bottom()});
}

void copy_or_blacken(const ImageView* from, const ImageView& picture, const RectPx& rect) noexcept {
  if (rect.empty()) return;
  if (from == nullptr || from->size_px != picture.size_px) return fill_black(picture, rect);
  for (int y = rect.y; y < rect.bottom(); ++y)
    std::memcpy(picture.row(y) + static_cast<std::size_t>(rect.x) * 4,
                from->row(y) + static_cast<std::size_t>(rect.x) * 4,
                static_cast<std::size_t>(rect.width) * 4);
}

}  // namespace tilewall::picture
