// Movies for tests: every picture carries its own number, in blocks large enough to survive codecs
// and scaling, laid out so that a turned or mirrored picture reads as no number at all.
//
// 4 x 4 cells, row by row: cells 0..11 are the number's bits, lowest first, white = 1; cells 12..15
// are a check nibble.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::test {

inline constexpr int max_counted_frames = 4096;
inline constexpr int audio_rate_hz = 48000;

struct CountingMovieOptions {
  SizePx size_px{320, 240};
  Rational fps{24, 1};
  int frames = 48;
  std::string codec = "libx264";
  std::string pixel_format = "yuv420p";
  int key_interval = 250;
  int b_frames = 2;
  /// Presentation time of the first picture in frames; an edit list cuts off negative ones (MP4).
  std::int64_t first_pts = 0;
  /// Presentation time of each frame in milliseconds; empty = constant rate.
  std::vector<std::int64_t> pts_ticks = {};
  int turn_clockwise_deg = 0;  ///< Turn in the display matrix; pixels are turned back
  Rational pixel_aspect{1, 1};
  /// Cb and Cr of the left half of stored pictures, for 8-bit planar YUV; the right half is gray.
  std::array<std::uint8_t, 2> left_chroma{128, 128};
  int first_number = 0;          ///< Number in the first picture
  std::string audio_codec = {};  ///< "" = none; a codec for floats, such as "aac" or "pcm_f32le"
  /// Sound at audio_rate_hz; none: a 440 Hz tone.
  std::function<float(std::int64_t sample)> sound = {};
};

/// The container follows from the file's name. Throws std::runtime_error.
void make_counting_movie(const std::filesystem::path& file, const CountingMovieOptions& options);

/// One such picture as gray samples, row by row.
[[nodiscard]] std::vector<std::uint8_t> counting_picture(SizePx size, int number);

/// The number in a gray plane or in a BGRX picture (green decides); -1 when it is none.
[[nodiscard]] int read_frame_number(const movie::Plane& luma);
[[nodiscard]] int read_frame_number(const ImageView& bgrx);

}  // namespace tilewall::test
