#include "player/movie/frames/plane_format.hpp"

namespace tilewall::movie {
namespace {

int round_up(int side, int log2) noexcept {
  const int step = 1 << log2;
  return (side + step - 1) / step * step;
}

zimg_pixel_type_e pixel_type(const PlaneFormat& format) noexcept {
  switch (format.bytes_per_sample()) {
    case 1:
      return ZIMG_PIXEL_BYTE;
    case 2:
      return ZIMG_PIXEL_WORD;
    default:
      return ZIMG_PIXEL_FLOAT;
  }
}

}  // namespace

PlaneFormat stored_format(Chroma chroma) noexcept {
  PlaneFormat format;
  if (chroma == Chroma::gray) format.family = ZIMG_COLOR_GREY;
  if (chroma == Chroma::rgb) format.family = ZIMG_COLOR_RGB;
  if (chroma == Chroma::gray) format.matrix = ZIMG_MATRIX_UNSPECIFIED;
  if (chroma == Chroma::rgb) format.matrix = ZIMG_MATRIX_RGB;
  if (chroma == Chroma::yuv420) format.subsample_w_log2 = format.subsample_h_log2 = 1;
  return format;
}

SizePx padded_size_px(SizePx picture_px, const PlaneFormat& format) noexcept {
  return {round_up(picture_px.width, format.subsample_w_log2),
          round_up(picture_px.height, format.subsample_h_log2)};
}

SizePx plane_size_px(SizePx padded_px, const PlaneFormat& format, int plane) noexcept {
  if (plane == 0) return padded_px;
  return {padded_px.width >> format.subsample_w_log2, padded_px.height >> format.subsample_h_log2};
}

zimg_image_format zimg_format_of(SizePx padded_px, const PlaneFormat& format) noexcept {
  zimg_image_format out;
  zimg_image_format_default(&out, ZIMG_API_VERSION);
  out.width = static_cast<unsigned>(padded_px.width);
  out.height = static_cast<unsigned>(padded_px.height);
  out.pixel_type = pixel_type(format);
  out.depth = static_cast<unsigned>(format.depth_bits);
  out.subsample_w = static_cast<unsigned>(format.subsample_w_log2);
  out.subsample_h = static_cast<unsigned>(format.subsample_h_log2);
  out.color_family = format.family;
  out.matrix_coefficients = format.matrix;
  out.transfer_characteristics = format.transfer;
  out.color_primaries = format.primaries;
  out.pixel_range = format.full_range ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
  out.chroma_location = format.chroma_location;
  return out;
}

PlanesView::PlanesView(const PlanarPicture& picture) noexcept {
  for (std::size_t i = 0; i < picture.planes.size(); ++i) {
    samples[i] = picture.planes[i].samples.data();
    stride_bytes[i] = picture.planes[i].stride_bytes;
  }
}

}  // namespace tilewall::movie
