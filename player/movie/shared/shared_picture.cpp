#include "player/movie/shared/shared_picture.hpp"

#include <algorithm>

namespace tilewall::movie {
namespace {

constexpr int max_side_px = 1 << 16;
constexpr int max_colour_code = 63;  // ITU-T H.273 has fewer; zimg refuses codes unknown to it

bool within(std::int32_t value, std::int32_t first, std::int32_t last) {
  return value >= first && value <= last;
}

bool sound_format(const SharedPicture& picture) {
  const bool family = picture.family == ZIMG_COLOR_GREY || picture.family == ZIMG_COLOR_RGB ||
                      picture.family == ZIMG_COLOR_YUV;
  const bool depth = within(picture.depth_bits, 8, 16) || picture.depth_bits == 32;
  const int most = picture.family == ZIMG_COLOR_YUV ? 2 : 0;
  return family && depth && within(picture.subsample_w_log2, 0, most) &&
         within(picture.subsample_h_log2, 0, most) && within(picture.matrix, 0, max_colour_code) &&
         within(picture.transfer, 0, max_colour_code) &&
         within(picture.primaries, 0, max_colour_code) &&
         within(picture.chroma_location, ZIMG_CHROMA_LEFT, ZIMG_CHROMA_BOTTOM) &&
         within(picture.orientation, 0, 7);
}

PlaneFormat format_of(const SharedPicture& picture) {
  PlaneFormat format;
  format.family = static_cast<zimg_color_family_e>(picture.family);
  format.depth_bits = picture.depth_bits;
  format.subsample_w_log2 = picture.subsample_w_log2;
  format.subsample_h_log2 = picture.subsample_h_log2;
  format.full_range = picture.full_range != 0;
  format.matrix = static_cast<zimg_matrix_coefficients_e>(picture.matrix);
  format.transfer = static_cast<zimg_transfer_characteristics_e>(picture.transfer);
  format.primaries = static_cast<zimg_color_primaries_e>(picture.primaries);
  format.chroma_location = static_cast<zimg_chroma_location_e>(picture.chroma_location);
  return format;
}

std::size_t row_bytes(SizePx plane_px, const PlaneFormat& format) {
  return static_cast<std::size_t>(plane_px.width) * format.bytes_per_sample();
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + plane_alignment_bytes - 1) / plane_alignment_bytes * plane_alignment_bytes;
}

bool sound_plane(const SharedPlane& plane, SizePx plane_px, const PlaneFormat& format,
                 std::size_t slot_bytes) {
  const auto rows = static_cast<std::uint64_t>(plane_px.height);
  return plane.offset_bytes % plane_alignment_bytes == 0 &&
         plane.stride_bytes % plane_alignment_bytes == 0 && plane.offset_bytes <= slot_bytes &&
         plane.stride_bytes >= row_bytes(plane_px, format) && plane.stride_bytes <= slot_bytes &&
         rows * plane.stride_bytes <= slot_bytes - plane.offset_bytes;
}

}  // namespace

SharedPicture lay_out_picture(SizePx size_px, const PlaneFormat& format,
                              const Orientation& orientation) noexcept {
  SharedPicture picture;
  picture.width_px = size_px.width;
  picture.height_px = size_px.height;
  picture.family = format.family;
  picture.depth_bits = format.depth_bits;
  picture.subsample_w_log2 = format.subsample_w_log2;
  picture.subsample_h_log2 = format.subsample_h_log2;
  picture.full_range = format.full_range ? 1 : 0;
  picture.matrix = format.matrix;
  picture.transfer = format.transfer;
  picture.primaries = format.primaries;
  picture.chroma_location = format.chroma_location;
  picture.orientation = (orientation.transpose ? 1 : 0) | (orientation.mirror_x ? 2 : 0) |
                        (orientation.mirror_y ? 4 : 0);
  const SizePx padded = padded_size_px(size_px, format);
  std::size_t end = 0;
  for (int i = 0; i < format.planes(); ++i) {
    const SizePx plane_px = plane_size_px(padded, format, i);
    const std::size_t stride = aligned(row_bytes(plane_px, format));
    picture.planes[i] = {end, stride};
    end += stride * static_cast<std::size_t>(plane_px.height);
  }
  return picture;
}

std::size_t picture_bytes(const SharedPicture& picture) noexcept {
  const PlaneFormat format = format_of(picture);
  const int last = format.planes() - 1;
  const SizePx padded = padded_size_px({picture.width_px, picture.height_px}, format);
  return picture.planes[last].offset_bytes +
         picture.planes[last].stride_bytes *
             static_cast<std::size_t>(plane_size_px(padded, format, last).height);
}

std::optional<PictureView> checked_picture(const SharedPicture& picture,
                                           std::span<const std::uint8_t> slot) {
  if (!within(picture.width_px, 1, max_side_px) || !within(picture.height_px, 1, max_side_px) ||
      !sound_format(picture))
    return std::nullopt;
  PictureView view;
  view.size_px = {picture.width_px, picture.height_px};
  view.damaged = picture.damaged != 0;
  view.repeats_lost = picture.repeats_lost != 0;
  view.format = format_of(picture);
  view.orientation = {(picture.orientation & 1) != 0, (picture.orientation & 2) != 0,
                      (picture.orientation & 4) != 0};
  const SizePx padded = padded_size_px(view.size_px, view.format);
  for (int i = 0; i < view.format.planes(); ++i) {
    const SharedPlane& plane = picture.planes[i];
    if (!sound_plane(plane, plane_size_px(padded, view.format, i), view.format, slot.size()))
      return std::nullopt;
    view.planes.samples[static_cast<std::size_t>(i)] = slot.data() + plane.offset_bytes;
    view.planes.stride_bytes[static_cast<std::size_t>(i)] = plane.stride_bytes;
  }
  return view;
}

}  // namespace tilewall::movie
