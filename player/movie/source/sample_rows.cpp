#include "player/movie/source/sample_rows.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uintptr_t zimg_alignment_bytes = 32;

const AVPixFmtDescriptor& descriptor(const AVFrame& frame) {
  return *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
}

bool is_palette(const AVPixFmtDescriptor& pixel) {
  return (pixel.flags & AV_PIX_FMT_FLAG_PAL) != 0;
}

// Index of the alpha component. @pre the format has one
int alpha_component(const AVPixFmtDescriptor& pixel) { return pixel.nb_components - 1; }

// A palette entry is 0xAARRGGBB in the machine's order; components are R, G, B, A.
std::uint8_t palette_sample(const AVFrame& frame, std::uint8_t index, int component) {
  constexpr int shifts[] = {16, 8, 0, 24};
  std::uint32_t entry = 0;
  std::memcpy(&entry, frame.data[1] + 4 * index, sizeof entry);
  return static_cast<std::uint8_t>(entry >> shifts[component]);
}

// Whether the component fills single bytes at a fixed distance, as in all common packed formats.
bool is_byte_component(const AVPixFmtDescriptor& pixel, int component) {
  const AVComponentDescriptor& comp = pixel.comp[component];
  return comp.depth == 8 && comp.shift == 0 &&
         (pixel.flags & (AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE)) ==
             0;
}

// Whether the component lies at the upper or lower end of 16-bit words in the machine's byte order,
// as in P010, to which GPUs decode ten bits.
bool is_word_component(const AVPixFmtDescriptor& pixel, int component) {
  const AVComponentDescriptor& comp = pixel.comp[component];
  return comp.depth > 8 && comp.depth + comp.shift <= 16 && comp.step % 2 == 0 &&
         comp.offset % 2 == 0 &&
         (pixel.flags & (AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE |
                         AV_PIX_FMT_FLAG_FLOAT)) == 0;
}

void read_words(const AVFrame& frame, const AVComponentDescriptor& comp, int row, int left,
                int right, std::uint8_t* out) {
  const std::uint8_t* from =
      frame.data[comp.plane] + std::ptrdiff_t{row} * frame.linesize[comp.plane] + comp.offset;
  const auto mask = static_cast<std::uint16_t>((1U << comp.depth) - 1);
  auto* samples = reinterpret_cast<std::uint16_t*>(out);
  for (int x = left; x < right; ++x) {
    std::uint16_t word = 0;
    std::memcpy(&word, from + std::ptrdiff_t{x} * comp.step, sizeof word);
    samples[x] = static_cast<std::uint16_t>((word >> comp.shift) & mask);
  }
}

template <int Step>
void gather_bytes(const std::uint8_t* from, int left, int right, std::uint8_t* out) {
  for (int x = left; x < right; ++x) out[x] = from[static_cast<std::ptrdiff_t>(x) * Step];
}

void read_bytes(const AVFrame& frame, const AVComponentDescriptor& comp, int row, int left,
                int right, std::uint8_t* out) {
  const std::uint8_t* from =
      frame.data[comp.plane] + std::ptrdiff_t{row} * frame.linesize[comp.plane] + comp.offset;
  switch (comp.step) {
    case 1:
      return gather_bytes<1>(from, left, right, out);
    case 2:
      return gather_bytes<2>(from, left, right, out);
    case 3:
      return gather_bytes<3>(from, left, right, out);
    case 4:
      return gather_bytes<4>(from, left, right, out);
    default:
      for (int x = left; x < right; ++x) out[x] = from[std::ptrdiff_t{x} * comp.step];
  }
}

// Reads any format by FFmpeg's description of it, sample by sample: bit streams, big endian, three
// components of ten bits in one word. Slower than the readers above.
template <typename Sample>
void read_described(const AVFrame& frame, const AVPixFmtDescriptor& pixel, int component, int row,
                    int left, int right, std::uint8_t* out) {
  thread_local std::vector<std::uint32_t> line;
  line.resize(static_cast<std::size_t>(right - left));
  const std::uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
  av_read_image_line2(line.data(), data, frame.linesize, &pixel, left, row, component, right - left,
                      0, sizeof(std::uint32_t));
  const int depth = pixel.comp[component].depth;
  const std::uint32_t max_value = depth < 32 ? (1U << depth) - 1 : ~0U;
  const bool inverted = std::strcmp(pixel.name, "monow") == 0;
  auto* samples = reinterpret_cast<Sample*>(out) + left;
  for (std::uint32_t value : line) {
    if (inverted) value = max_value - value;
    if (depth < 8) value = (value * 255 + max_value / 2) / max_value;
    *samples++ = static_cast<Sample>(value);
  }
}

void read_component(const AVFrame& frame, const SampleFormat& format, int component, int row,
                    int left, int right, std::uint8_t* out) {
  const AVPixFmtDescriptor& pixel = descriptor(frame);
  if (is_palette(pixel)) {
    const std::uint8_t* indexes = frame.data[0] + std::ptrdiff_t{row} * frame.linesize[0];
    for (int x = left; x < right; ++x) out[x] = palette_sample(frame, indexes[x], component);
  } else if (is_byte_component(pixel, component)) {
    read_bytes(frame, pixel.comp[component], row, left, right, out);
  } else if (format.type == SampleType::u16 && is_word_component(pixel, component)) {
    read_words(frame, pixel.comp[component], row, left, right, out);
  } else if (format.type == SampleType::u8) {
    read_described<std::uint8_t>(frame, pixel, component, row, left, right, out);
  } else if (format.type == SampleType::u16) {
    read_described<std::uint16_t>(frame, pixel, component, row, left, right, out);
  } else {
    read_described<std::uint32_t>(frame, pixel, component, row, left, right, out);
  }
}

// out = black + (out - black) * alpha, rounded. A chroma sample takes the alpha of the first pixel
// that it covers.
template <typename Sample>
void lay_over_black(std::uint8_t* out_bytes, const std::uint8_t* alpha_bytes, int left, int right,
                    int alpha_shift, int alpha_width, int black, int max_alpha) {
  auto* out = reinterpret_cast<Sample*>(out_bytes);
  const auto* alpha = reinterpret_cast<const Sample*>(alpha_bytes);
  for (int x = left; x < right; ++x) {
    const std::int64_t share = alpha[std::min(x << alpha_shift, alpha_width - 1)];
    const std::int64_t above = std::int64_t{out[x]} - black;
    const std::int64_t rounding = above >= 0 ? max_alpha / 2 : -max_alpha / 2;
    out[x] = static_cast<Sample>(black + (above * share + rounding) / max_alpha);
  }
}

void apply_alpha(const AVFrame& frame, const SampleFormat& format, bool full_range, int plane,
                 int row, int left, int right, std::uint8_t* out) {
  thread_local std::vector<std::uint8_t> alpha;
  alpha.resize(static_cast<std::size_t>(frame.width) * format.bytes_per_sample());
  const AVPixFmtDescriptor& pixel = descriptor(frame);
  const int component = is_palette(pixel) ? 3 : alpha_component(pixel);
  const bool chroma = format.family == SampleFamily::yuv && plane > 0;
  const int shift_w = chroma ? format.subsample_w_log2 : 0;
  const int alpha_row = std::min(row << (chroma ? format.subsample_h_log2 : 0), frame.height - 1);
  read_component(frame, format, component, alpha_row, 0, frame.width, alpha.data());
  const int black = black_level(format, plane, full_range);
  const int max_alpha = (1 << format.depth_bits) - 1;
  if (format.type == SampleType::u8)
    lay_over_black<std::uint8_t>(out, alpha.data(), left, right, shift_w, frame.width, black,
                                 max_alpha);
  else
    lay_over_black<std::uint16_t>(out, alpha.data(), left, right, shift_w, frame.width, black,
                                  max_alpha);
}

void repeat_last(const SampleFormat& format, int width, int right, std::uint8_t* out) {
  const std::size_t bytes = format.bytes_per_sample();
  const std::uint8_t* last = out + static_cast<std::size_t>(width - 1) * bytes;
  for (int x = width; x < right; ++x)
    std::memcpy(out + static_cast<std::size_t>(x) * bytes, last, bytes);
}

SampleFamily family_of(const AVPixFmtDescriptor& pixel) {
  if (is_palette(pixel) || (pixel.flags & AV_PIX_FMT_FLAG_RGB) != 0) return SampleFamily::rgb;
  return pixel.nb_components <= 2 ? SampleFamily::gray : SampleFamily::yuv;
}

}  // namespace

SampleFormat sample_format(AVPixelFormat pixel_format, const char* file) {
  const AVPixFmtDescriptor* pixel = av_pix_fmt_desc_get(pixel_format);
  constexpr std::uint64_t foreign = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER;
  const bool xyz = pixel_format == AV_PIX_FMT_XYZ12LE || pixel_format == AV_PIX_FMT_XYZ12BE;
  if (pixel == nullptr || xyz || (pixel->flags & foreign) != 0)
    throw InputError({file}, "pixel format", "gray, YUV or RGB", pixel ? pixel->name : "none");
  SampleFormat format;
  format.family = family_of(*pixel);
  format.planes = format.family == SampleFamily::gray ? 1 : 3;
  const bool is_float = (pixel->flags & AV_PIX_FMT_FLAG_FLOAT) != 0;
  const int depth = is_palette(*pixel) ? 8 : pixel->comp[0].depth;
  format.type = is_float ? SampleType::f32 : depth <= 8 ? SampleType::u8 : SampleType::u16;
  format.depth_bits = std::max(8, depth);
  if (format.depth_bits > 16 && format.depth_bits != (is_float ? 32 : 0))
    throw InputError({file}, "pixel format", "at most 16 bits a sample", pixel->name);
  format.alpha = (pixel->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 && !is_float;
  if (format.family == SampleFamily::yuv) {
    format.subsample_w_log2 = pixel->log2_chroma_w;
    format.subsample_h_log2 = pixel->log2_chroma_h;
  }
  return format;
}

PlaneInPlace plane_in_place(const AVFrame& frame, const SampleFormat& format, int plane) {
  const AVPixFmtDescriptor& pixel = descriptor(frame);
  constexpr std::uint64_t unreadable = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_PAL;
  const AVComponentDescriptor& comp = pixel.comp[std::min<int>(plane, pixel.nb_components - 1)];
  const int stride = frame.linesize[comp.plane];
  const std::uint8_t* samples = frame.data[comp.plane];
  const bool foreign_order =
      (pixel.flags & AV_PIX_FMT_FLAG_BE) != 0 && format.type != SampleType::u8;
  if (format.alpha || (pixel.flags & unreadable) != 0 || foreign_order || comp.offset != 0 ||
      comp.shift != 0 || comp.depth < 8 ||
      comp.step != static_cast<int>(format.bytes_per_sample()) ||
      std::bit_cast<std::uintptr_t>(samples) % zimg_alignment_bytes != 0 ||
      stride % static_cast<int>(zimg_alignment_bytes) != 0 ||
      frame.width % (1 << format.subsample_w_log2) != 0 ||
      frame.height % (1 << format.subsample_h_log2) != 0)
    return {};
  return {samples, stride};
}

int black_level(const SampleFormat& format, int plane, bool full_range) noexcept {
  if (format.type == SampleType::f32) return 0;
  if (format.family == SampleFamily::yuv && plane > 0) return 1 << (format.depth_bits - 1);
  return full_range ? 0 : 16 << (format.depth_bits - 8);
}

void read_sample_row(const AVFrame& frame, const SampleFormat& format, bool full_range, int plane,
                     int row, int left, int right, std::uint8_t* out) {
  const bool chroma = format.family == SampleFamily::yuv && plane > 0;
  const int width = chroma ? AV_CEIL_RSHIFT(frame.width, format.subsample_w_log2) : frame.width;
  const int height = chroma ? AV_CEIL_RSHIFT(frame.height, format.subsample_h_log2) : frame.height;
  const int inside = std::min(right, width);
  const int from = std::min(left, width - 1);
  const int component = format.family == SampleFamily::gray ? 0 : plane;
  row = std::min(row, height - 1);
  read_component(frame, format, component, row, from, inside, out);
  if (format.alpha) apply_alpha(frame, format, full_range, plane, row, from, inside, out);
  repeat_last(format, width, right, out);
}

}  // namespace tilewall::movie
