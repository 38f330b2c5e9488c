// Converts decoded pictures of any pixel format to the planes that a wall movie stores: cropped,
// scaled, turned upright, and in JPEG's colour (BT.601 matrix, full range, centred chroma, 8 bits),
// in one pass of zimg.
//
// The source's tags of matrix, range, transfer and primaries are followed. Untagged YUV has BT.709
// from 720 lines up, BT.601 below, and limited range. HDR (PQ, HLG) is tone-mapped first
// (tone_mapper), unless it is to be clipped. Clipped HDR, wide-gamut and linear-light sources are
// converted to BT.709 primaries and an SDR transfer. Depths over 8 bits are rounded.
//
// Threads: one owner. A converter keeps its zimg graph and buffers from picture to picture.
#pragma once

#include <memory>
#include <string>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/orientation.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/tone_curve.hpp"

namespace tilewall::movie {

/// Part, size and format of the converted pictures.
struct ConversionTarget {
  SizePx displayed_px;      ///< displayed size of the whole source (MovieInfo::size_px)
  RectF crop_px;            ///< the part that is kept, in displayed pixels
  Orientation orientation;  ///< orientation in which the source stores its pictures
  SizePx size_px;           ///< size of the result, upright
  Chroma chroma = Chroma::yuv420;
  HdrMode hdr = HdrMode::map;
  bool is_portable = false;  ///< gives the same bytes on every processor, which takes longer
};

class PictureConverter {
 public:
  /// `name` is the source's name in error messages.
  PictureConverter(const ConversionTarget& target, std::string name);
  ~PictureConverter();
  PictureConverter(const PictureConverter&) = delete;
  PictureConverter& operator=(const PictureConverter&) = delete;

  /// Converts one picture. Throws InputError naming the source for a pixel format that is none of
  /// colours in memory, or that zimg cannot convert.
  [[nodiscard]] PlanarPicture convert(const AVFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The stored chroma that loses least of the pixel format's own; yuv444 for RGB. Throws InputError
/// naming `file` for formats that sample_format() refuses.
[[nodiscard]] Chroma native_chroma(AVPixelFormat format, const char* file);

/// Whether a pixel format or its palette holds R, G and B. Throws as native_chroma() does.
[[nodiscard]] bool is_rgb(AVPixelFormat format, const char* file);

}  // namespace tilewall::movie
