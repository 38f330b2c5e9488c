#include "player/movie/source/source_colour.hpp"

#include <algorithm>
#include <iterator>

namespace tilewall::movie {
namespace {

template <typename Enum, typename Value>
bool is_one_of(Value value, std::initializer_list<Enum> set) {
  return std::find(set.begin(), set.end(), static_cast<Enum>(value)) != set.end();
}

zimg_matrix_coefficients_e matrix_of(const AVFrame& frame, SampleFamily family) {
  if (family == SampleFamily::rgb) return ZIMG_MATRIX_RGB;
  const auto tagged = static_cast<zimg_matrix_coefficients_e>(frame.colorspace);
  if (is_one_of(tagged,
                {ZIMG_MATRIX_BT709, ZIMG_MATRIX_FCC, ZIMG_MATRIX_BT470_BG, ZIMG_MATRIX_ST170_M,
                 ZIMG_MATRIX_ST240_M, ZIMG_MATRIX_YCGCO, ZIMG_MATRIX_BT2020_NCL}))
    return tagged;
  if (frame.colorspace == AVCOL_SPC_BT2020_CL)
    return ZIMG_MATRIX_BT2020_NCL;  // the nearest matrix that needs no linear light
  return frame.height >= hd_from_lines ? ZIMG_MATRIX_BT709 : ZIMG_MATRIX_BT470_BG;
}

bool is_yuvj(int format) {
  return is_one_of<AVPixelFormat>(
      format, {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
               AV_PIX_FMT_YUVJ411P});
}

bool full_range_of(const AVFrame& frame, SampleFamily family) {
  if (frame.color_range == AVCOL_RANGE_JPEG || is_yuvj(frame.format)) return true;
  if (frame.color_range == AVCOL_RANGE_MPEG) return false;
  return family != SampleFamily::yuv;
}

zimg_chroma_location_e chroma_location_of(const AVFrame& frame, bool full_range) {
  switch (frame.chroma_location) {
    case AVCHROMA_LOC_LEFT:
      return ZIMG_CHROMA_LEFT;
    case AVCHROMA_LOC_CENTER:
      return ZIMG_CHROMA_CENTER;
    case AVCHROMA_LOC_TOPLEFT:
      return ZIMG_CHROMA_TOP_LEFT;
    case AVCHROMA_LOC_TOP:
      return ZIMG_CHROMA_TOP;
    case AVCHROMA_LOC_BOTTOMLEFT:
      return ZIMG_CHROMA_BOTTOM_LEFT;
    case AVCHROMA_LOC_BOTTOM:
      return ZIMG_CHROMA_BOTTOM;
    default:
      return full_range ? ZIMG_CHROMA_CENTER : ZIMG_CHROMA_LEFT;
  }
}

// Sets transfer and primaries only for HDR, linear light and wide gamut. Others look right without
// the conversion to linear light and back.
void set_light(const AVFrame& frame, const SampleFormat& format, SourceColour& colour) {
  const bool hdr =
      frame.color_trc == AVCOL_TRC_SMPTE2084 || frame.color_trc == AVCOL_TRC_ARIB_STD_B67;
  const bool linear = frame.color_trc == AVCOL_TRC_LINEAR ||
                      (format.type == SampleType::f32 && frame.color_trc == AVCOL_TRC_UNSPECIFIED);
  const bool wide =
      is_one_of(frame.color_primaries, {AVCOL_PRI_BT2020, AVCOL_PRI_SMPTE431, AVCOL_PRI_SMPTE432});
  if (!hdr && !linear && !wide) return;
  colour.transfer = hdr      ? static_cast<zimg_transfer_characteristics_e>(frame.color_trc)
                    : linear ? ZIMG_TRANSFER_LINEAR
                             : ZIMG_TRANSFER_BT709;
  colour.primaries = wide  ? static_cast<zimg_color_primaries_e>(frame.color_primaries)
                     : hdr ? ZIMG_PRIMARIES_BT2020
                           : ZIMG_PRIMARIES_BT709;
}

zimg_pixel_type_e pixel_type(SampleType type) {
  switch (type) {
    case SampleType::u8:
      return ZIMG_PIXEL_BYTE;
    case SampleType::u16:
      return ZIMG_PIXEL_WORD;
    default:
      return ZIMG_PIXEL_FLOAT;
  }
}

unsigned round_up(int value, int log2) {
  const unsigned step = 1U << log2;
  return (static_cast<unsigned>(value) + step - 1) / step * step;
}

}  // namespace

SourceColour source_colour(const AVFrame& frame, const SampleFormat& format) {
  SourceColour colour;
  colour.full_range = full_range_of(frame, format.family);
  colour.matrix = matrix_of(frame, format.family);
  colour.chroma_location = chroma_location_of(frame, colour.full_range);
  set_light(frame, format, colour);
  return colour;
}

zimg_image_format zimg_source_format(const AVFrame& frame, const SampleFormat& format,
                                     const SourceColour& colour, bool as_rgb) {
  zimg_image_format out;
  zimg_image_format_default(&out, ZIMG_API_VERSION);
  out.width = round_up(frame.width, format.subsample_w_log2);
  out.height = round_up(frame.height, format.subsample_h_log2);
  out.pixel_type = pixel_type(format.type);
  out.subsample_w = static_cast<unsigned>(format.subsample_w_log2);
  out.subsample_h = static_cast<unsigned>(format.subsample_h_log2);
  const bool rgb = as_rgb || format.family == SampleFamily::rgb;
  out.color_family = rgb                                   ? ZIMG_COLOR_RGB
                     : format.family == SampleFamily::gray ? ZIMG_COLOR_GREY
                                                           : ZIMG_COLOR_YUV;
  out.matrix_coefficients = rgb ? ZIMG_MATRIX_RGB : colour.matrix;
  out.transfer_characteristics = colour.transfer;
  out.color_primaries = colour.primaries;
  out.depth = static_cast<unsigned>(format.depth_bits);
  out.pixel_range = colour.full_range ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
  out.chroma_location = colour.chroma_location;
  return out;
}

zimg_image_format zimg_stored_format(SizePx size, Chroma chroma, const SourceColour& colour) {
  zimg_image_format out;
  zimg_image_format_default(&out, ZIMG_API_VERSION);
  const int subsampled = chroma == Chroma::yuv420 ? 1 : 0;
  out.width = round_up(size.width, subsampled);
  out.height = round_up(size.height, subsampled);
  out.pixel_type = ZIMG_PIXEL_BYTE;
  out.subsample_w = out.subsample_h = static_cast<unsigned>(subsampled);
  out.color_family = chroma == Chroma::gray  ? ZIMG_COLOR_GREY
                     : chroma == Chroma::rgb ? ZIMG_COLOR_RGB
                                             : ZIMG_COLOR_YUV;
  out.matrix_coefficients = chroma == Chroma::rgb ? ZIMG_MATRIX_RGB : ZIMG_MATRIX_BT470_BG;
  if (colour.needs_linear_light()) {
    out.transfer_characteristics =
        colour.transfer == ZIMG_TRANSFER_LINEAR ? ZIMG_TRANSFER_IEC_61966_2_1 : ZIMG_TRANSFER_BT709;
    out.color_primaries = ZIMG_PRIMARIES_BT709;
  }
  out.depth = 8;
  out.pixel_range = ZIMG_RANGE_FULL;
  out.chroma_location = ZIMG_CHROMA_CENTER;
  return out;
}

}  // namespace tilewall::movie
