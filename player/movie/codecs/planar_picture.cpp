#include "player/movie/codecs/planar_picture.hpp"

#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::movie {

int plane_count(Chroma chroma) noexcept { return chroma == Chroma::gray ? 1 : 3; }

SizePx plane_size_px(SizePx picture_px, Chroma chroma, int plane) noexcept {
  if (chroma != Chroma::yuv420 || plane == 0) return picture_px;
  return {(picture_px.width + 1) / 2, (picture_px.height + 1) / 2};
}

namespace {

std::size_t padded_row_bytes(int width) noexcept {
  return (static_cast<std::size_t>(width) + plane_alignment_bytes - 1) / plane_alignment_bytes *
         plane_alignment_bytes;
}

}  // namespace

std::size_t plane_bytes(SizePx size) noexcept {
  return padded_row_bytes(size.width) * static_cast<std::size_t>(size.height);
}

void Plane::reshape(SizePx size) {
  TW_CHECK(size.width > 0 && size.height > 0, "{}x{}", size.width, size.height);
  size_px = size;
  stride_bytes = padded_row_bytes(size.width);
  const std::size_t bytes = plane_bytes(size);
  if (samples.capacity() < bytes) samples.clear();  // else resize() would copy the old samples
  samples.resize(bytes);
}

void PlanarPicture::reshape(SizePx size, Chroma chroma_) {
  size_px = size;
  chroma = chroma_;
  planes.resize(static_cast<std::size_t>(plane_count(chroma)));
  for (int plane = 0; plane < plane_count(chroma); ++plane)
    planes[static_cast<std::size_t>(plane)].reshape(plane_size_px(size, chroma, plane));
}

void copy_planes(const PlanarPicture& from, PlanarPicture& to, PointPx at) noexcept {
  for (std::size_t p = 0; p < from.planes.size(); ++p) {
    const Plane& plane = from.planes[p];
    const int step = from.chroma == Chroma::yuv420 && p > 0 ? 2 : 1;
    for (int y = 0; y < plane.size_px.height; ++y)
      std::memcpy(to.planes[p].row(at.y / step + y) + at.x / step, plane.row(y),
                  static_cast<std::size_t>(plane.size_px.width));
  }
}

}  // namespace tilewall::movie
