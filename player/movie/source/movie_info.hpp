// What a movie file or image says about itself; plain data, no FFmpeg.
#pragma once

#include <cstdint>
#include <string>

#include "player/movie/frames/orientation.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

struct MovieInfo {
  std::string container;     ///< "mov,mp4,m4a,3gp,3g2,mj2"
  std::string codec;         ///< "h264"
  std::string pixel_format;  ///< "yuv420p"
  std::string matrix;        ///< "bt709", "unknown" where untagged; so are the next three
  std::string range;         ///< "tv" (limited), "pc" (full)
  std::string primaries;
  std::string transfer;
  SizePx stored_px;  ///< as decoded
  SizePx size_px;    ///< as displayed: turned upright, square pixels
  Rational pixel_aspect{1, 1};
  Orientation orientation;
  Rational fps{24, 1};      ///< constant rate that fits the source best
  double duration_s = 0;    ///< 0 = unknown
  std::int64_t frames = 0;  ///< estimate from the container; 0 = unknown
  bool interlaced = false;  ///< noted only; fields are not separated
  std::string audio_codec;  ///< of the best audio stream; "" = none

  /// Tagged as HDR10 (PQ) or HLG.
  [[nodiscard]] bool hdr() const noexcept {
    return transfer == "smpte2084" || transfer == "arib-std-b67";
  }
};

}  // namespace tilewall
