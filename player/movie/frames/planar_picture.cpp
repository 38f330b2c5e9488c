#include "player/movie/frames/planar_picture.hpp"

#include "sync/base/check.hpp"

namespace tilewall {

int plane_count(Chroma chroma) noexcept { return chroma == Chroma::gray ? 1 : 3; }

SizePx plane_size_px(SizePx picture_px, Chroma chroma, int plane) noexcept {
  if (chroma != Chroma::yuv420 || plane == 0) return picture_px;
  return {(picture_px.width + 1) / 2, (picture_px.height + 1) / 2};
}

Plane::Plane(SizePx size) : size_px(size) {
  TW_CHECK(size.width > 0 && size.height > 0, "{}x{}", size.width, size.height);
  stride_bytes = (static_cast<std::size_t>(size.width) + plane_alignment_bytes - 1) /
                 plane_alignment_bytes * plane_alignment_bytes;
  samples.resize(stride_bytes * static_cast<std::size_t>(size.height));
}

PlanarPicture::PlanarPicture(SizePx size, Chroma chroma_) : size_px(size), chroma(chroma_) {
  for (int plane = 0; plane < plane_count(chroma); ++plane)
    planes.emplace_back(plane_size_px(size, chroma, plane));
}

}  // namespace tilewall
