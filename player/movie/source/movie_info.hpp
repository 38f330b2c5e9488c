// Size, rate, colour and length of a movie or image by its own tags; plain data without FFmpeg
// types.
#pragma once

#include <cstdint>
#include <string>

#include "player/movie/frames/orientation.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

struct MovieInfo {
  std::string container;     ///< "mov,mp4,m4a,3gp,3g2,mj2"
  std::string codec;         ///< "h264"
  std::string pixel_format;  ///< "yuv420p"
  std::string matrix;        ///< FFmpeg's name, such as "bt709"; "unknown" if untagged
  std::string range;         ///< "tv" (limited), "pc" (full); "unknown" if untagged
  std::string primaries;     ///< FFmpeg's name; "unknown" if untagged
  std::string transfer;      ///< FFmpeg's name; "unknown" if untagged
  SizePx stored_px;          ///< size of the decoded pictures
  SizePx size_px;            ///< displayed size: turned upright, with square pixels
  Rational pixel_aspect{1, 1};
  Orientation orientation;
  Rational fps{24, 1};      ///< the constant rate that fits the source best, frames/s
  double duration_s = 0;    ///< 0 = unknown
  std::int64_t frames = 0;  ///< estimate from the container; 0 = unknown
  bool interlaced = false;  ///< for information only; fields are not separated
  std::string audio_codec;  ///< codec of the best audio stream; "" = no sound

  /// Whether the pictures are tagged as HDR10 (PQ) or HLG.
  [[nodiscard]] bool hdr() const noexcept {
    return transfer == "smpte2084" || transfer == "arib-std-b67";
  }
};

}  // namespace tilewall::movie
