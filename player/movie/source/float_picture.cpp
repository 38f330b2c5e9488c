#include "player/movie/source/float_picture.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

enum FloatPlane { green_plane, blue_plane, red_plane, opacity_plane };  // the order of GBRAPF32

template <typename Float>
FloatRowOf<Float> row_of(const AVFrame& picture, int y) noexcept {
  const auto width = static_cast<std::size_t>(picture.width);
  const auto plane = [&](FloatPlane number) {
    std::uint8_t* const row =
        picture.data[number] + static_cast<std::ptrdiff_t>(y) * picture.linesize[number];
    return std::span<Float>(reinterpret_cast<Float*>(row), width);
  };
  Float* const depths = reinterpret_cast<Float*>(picture.opaque_ref->data);
  return {plane(red_plane),
          plane(green_plane),
          plane(blue_plane),
          plane(opacity_plane),
          {depths + static_cast<std::size_t>(y) * width, width}};
}

}  // namespace

AvFrame new_float_picture(SizePx size_px) {
  AvFrame picture = new_packed_picture(AV_PIX_FMT_GBRAPF32, size_px);
  picture.get()->opaque_ref =
      av_buffer_alloc(static_cast<std::size_t>(size_px.width) *
                      static_cast<std::size_t>(size_px.height) * sizeof(float));
  if (picture.get()->opaque_ref == nullptr) throw JobError("out of memory for a picture");
  for (int y = 0; y < size_px.height; ++y) {
    const FloatRow row = float_row(picture, y);
    for (const std::span<float> plane : {row.red, row.green, row.blue, row.opacity})
      std::ranges::fill(plane, 0.0F);
    std::ranges::fill(row.depth, std::numeric_limits<float>::infinity());
  }
  return picture;
}

FloatRow float_row(AvFrame& picture, int y) noexcept { return row_of<float>(*picture.get(), y); }

ConstFloatRow float_row(const AVFrame& picture, int y) noexcept {
  return row_of<const float>(picture, y);
}

}  // namespace tilewall::movie
