// Rows of any FFmpeg pixel format as plain planes that zimg takes.
//
// Packed, palette, big-endian and odd-depth formats are taken apart without loss; alpha is laid
// over black. Float formats (EXR) carry premultiplied colour, so their alpha is dropped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

enum class SampleFamily { gray, yuv, rgb };
enum class SampleType { u8, u16, f32 };

/// What read_sample_row() makes of a pixel format.
struct SampleFormat {
  SampleFamily family = SampleFamily::yuv;
  SampleType type = SampleType::u8;
  int depth_bits = 8;        ///< used bits of a sample: 8 for u8, 9..16 for u16, 32 for f32
  int planes = 3;            ///< 1 (gray) or 3 (Y, Cb, Cr or R, G, B)
  int subsample_w_log2 = 0;  ///< of planes 1 and 2
  int subsample_h_log2 = 0;
  bool alpha = false;  ///< the source has straight alpha, laid over black on reading

  [[nodiscard]] std::size_t bytes_per_sample() const noexcept {
    return type == SampleType::u8 ? 1 : type == SampleType::u16 ? 2 : 4;
  }
};

/// Throws InputError naming the format where it is none of colours in memory (Bayer, hardware,
/// XYZ).
[[nodiscard]] SampleFormat sample_format(AVPixelFormat format, const char* file);

/// One plane of `frame` as zimg could read it in place; null where rows must be read out instead.
struct PlaneInPlace {
  const std::uint8_t* samples = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};
[[nodiscard]] PlaneInPlace plane_in_place(const AVFrame& frame, const SampleFormat& format,
                                          int plane);

/// Level that a plane's samples have where the picture is black.
[[nodiscard]] int black_level(const SampleFormat& format, int plane, bool full_range) noexcept;

/// Reads samples [left, right) of row `row` of plane `plane` (in that plane's own pixels) to `out`,
/// where out[0] is sample 0 of the row. Beyond the picture the last sample or row repeats.
void read_sample_row(const AVFrame& frame, const SampleFormat& format, bool full_range, int plane,
                     int row, int left, int right, std::uint8_t* out);

}  // namespace tilewall
