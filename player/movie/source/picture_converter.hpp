// Any decoded picture -> the planes a wall movie stores: cropped, scaled, turned upright, and in
// JPEG's colour (BT.601 matrix, full range, centred chroma, 8 bits), in one pass of zimg.
//
// What a source says of its matrix, range, transfer and primaries is respected. Untagged: BT.709
// from 720 lines up, BT.601 below; limited range for YUV. HDR (PQ, HLG) is tone-mapped first
// (tone_mapper) unless it is to be clipped. Clipped HDR, wide-gamut and linear-light sources are
// brought to BT.709 primaries and an SDR transfer. Depths over 8 bits are rounded.
//
// Threads: one converter per thread; it keeps its zimg graph and buffers from picture to picture.
#pragma once

#include <memory>
#include <string>

#include "player/movie/frames/orientation.hpp"
#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/tone_curve.hpp"

namespace tilewall {

/// What the pictures are to become.
struct ConversionTarget {
  SizePx displayed_px;      ///< the whole source as displayed (MovieInfo::size_px)
  RectF crop_px;            ///< the part of it that is stored
  Orientation orientation;  ///< of the stored picture
  SizePx size_px;           ///< of the result
  Chroma chroma = Chroma::yuv420;
  HdrMode hdr = HdrMode::map;
};

class PictureConverter {
 public:
  /// `name`: the source, for messages.
  PictureConverter(const ConversionTarget& target, std::string name);
  ~PictureConverter();
  PictureConverter(const PictureConverter&) = delete;
  PictureConverter& operator=(const PictureConverter&) = delete;

  /// Throws InputError for a pixel format that cannot be shown.
  [[nodiscard]] PlanarPicture convert(const AVFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The chroma that the source's own pixel format asks for; RGB gives yuv444.
[[nodiscard]] Chroma native_chroma(AVPixelFormat format, const char* file);
[[nodiscard]] bool is_rgb(AVPixelFormat format, const char* file);

}  // namespace tilewall
