#include "player/movie/decoder/frame_store.hpp"

#include <cstring>

#include "player/movie/source/sample_rows.hpp"
#include "player/movie/source/source_colour.hpp"

namespace tilewall::movie {
namespace {

SampleFormat samples_of(const AVFrame& frame, const std::string& file) {
  return sample_format(static_cast<AVPixelFormat>(frame.format), file.c_str());
}

PlaneFormat plane_format(const AVFrame& frame, const SampleFormat& samples) {
  const SourceColour colour = source_colour(frame, samples);
  PlaneFormat format;
  // Gray in linear light becomes three equal planes, because zimg converts light only in RGB.
  const bool rgb = samples.family == SampleFamily::rgb ||
                   (samples.family == SampleFamily::gray && colour.needs_linear_light());
  format.family = rgb                                    ? ZIMG_COLOR_RGB
                  : samples.family == SampleFamily::gray ? ZIMG_COLOR_GREY
                                                         : ZIMG_COLOR_YUV;
  format.depth_bits = samples.depth_bits;
  format.subsample_w_log2 = samples.subsample_w_log2;
  format.subsample_h_log2 = samples.subsample_h_log2;
  format.full_range = colour.full_range;
  format.matrix = rgb ? ZIMG_MATRIX_RGB : colour.matrix;
  format.transfer = colour.transfer;
  format.primaries = colour.primaries;
  format.chroma_location = colour.chroma_location;
  return format;
}

/// Copies a plane row by row. The rows include the padding to whole chroma samples.
void copy_plane(const PlaneInPlace& from, std::size_t row_bytes, int rows, std::uint8_t* to,
                std::size_t stride_bytes) {
  for (int y = 0; y < rows; ++y)
    std::memcpy(to + static_cast<std::size_t>(y) * stride_bytes,
                from.samples + std::ptrdiff_t{y} * from.stride_bytes, row_bytes);
}

}  // namespace

SharedPicture shared_layout(const AVFrame& frame, const Orientation& orientation,
                            const std::string& file) {
  SharedPicture picture = lay_out_picture(
      {frame.width, frame.height}, plane_format(frame, samples_of(frame, file)), orientation);
  const bool damaged = frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
  picture.damaged = damaged ? 1 : 0;
  return picture;
}

void store_frame(const AVFrame& frame, const SharedPicture& picture, const std::string& file,
                 std::span<std::uint8_t> slot) {
  const SampleFormat samples = samples_of(frame, file);
  const PlaneFormat format = plane_format(frame, samples);
  const SizePx padded = padded_size_px({frame.width, frame.height}, format);
  for (int plane = 0; plane < format.planes(); ++plane) {
    const SizePx size = plane_size_px(padded, format, plane);
    std::uint8_t* const to = slot.data() + picture.planes[plane].offset_bytes;
    const std::size_t stride = picture.planes[plane].stride_bytes;
    const int source_plane = samples.planes == 1 ? 0 : plane;
    const PlaneInPlace place = plane_in_place(frame, samples, source_plane);
    if (place.samples != nullptr) {
      copy_plane(place, static_cast<std::size_t>(size.width) * format.bytes_per_sample(),
                 size.height, to, stride);
      continue;
    }
    for (int y = 0; y < size.height; ++y)
      read_sample_row(frame, samples, format.full_range, source_plane, y, 0, size.width,
                      to + static_cast<std::size_t>(y) * stride);
  }
}

}  // namespace tilewall::movie
