// Reads rows of pictures in any FFmpeg pixel format into the separate planes that zimg needs.
//
// Packed, palette, big-endian and odd-depth formats are unpacked without loss, and alpha is laid
// over black. Float formats (EXR) hold colour multiplied by alpha already, so their alpha is
// dropped.
//
// Threads: any; several may read one frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

enum class SampleFamily { gray, yuv, rgb };
enum class SampleType { u8, u16, f32 };

/// Format of the samples that read_sample_row() gives for a pixel format.
struct SampleFormat {
  SampleFamily family = SampleFamily::yuv;
  SampleType type = SampleType::u8;
  int depth_bits = 8;        ///< used bits of a sample: 8 for u8, 9..16 for u16, 32 for f32
  int planes = 3;            ///< 1 (gray) or 3 (Y, Cb, Cr or R, G, B)
  int subsample_w_log2 = 0;  ///< chroma planes are narrower by 2^this; 0 for RGB
  int subsample_h_log2 = 0;  ///< chroma planes are lower by 2^this; 0 for RGB
  bool alpha = false;        ///< the source has straight alpha, laid over black on reading

  [[nodiscard]] std::size_t bytes_per_sample() const noexcept {
    return type == SampleType::u8 ? 1 : type == SampleType::u16 ? 2 : 4;
  }
};

/// The samples of a pixel format. Throws InputError naming `file` and the format for Bayer
/// patterns, XYZ, pictures in a device's memory, and integers over 16 bits.
[[nodiscard]] SampleFormat sample_format(AVPixelFormat format, const char* file);

/// A plane of a frame where it lies in memory.
struct PlaneInPlace {
  const std::uint8_t* samples = nullptr;  ///< null: zimg needs the rows of read_sample_row()
  std::ptrdiff_t stride_bytes = 0;
};

/// The plane, if zimg can read it without a copy. Valid as long as the frame.
[[nodiscard]] PlaneInPlace plane_in_place(const AVFrame& frame, const SampleFormat& format,
                                          int plane);

/// The code of black in a plane; for chroma planes the neutral code.
[[nodiscard]] int black_level(const SampleFormat& format, int plane, bool full_range) noexcept;

/// Reads samples [left, right) of row `row` of plane `plane`, counted in that plane's samples, to
/// the same places in `out`, where sample 0 of the row is the first. Beyond the picture, its last
/// sample or row is repeated.
void read_sample_row(const AVFrame& frame, const SampleFormat& format, bool full_range, int plane,
                     int row, int left, int right, std::uint8_t* out);

}  // namespace tilewall::movie
