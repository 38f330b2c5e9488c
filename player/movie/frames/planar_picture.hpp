// A decoded frame on its way into a wall movie: planes as JPEG stores them.
#pragma once

#include <cstdint>
#include <vector>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// yuv420 and yuv444: BT.601 matrix, full range, chroma centred (JFIF). gray: one plane.
enum class Chroma { gray, yuv420, yuv444 };

[[nodiscard]] int plane_count(Chroma chroma) noexcept;

/// Size of plane `plane` of a picture: chroma of yuv420 is halved, rounded up.
[[nodiscard]] SizePx plane_size_px(SizePx picture_px, Chroma chroma, int plane) noexcept;

/// One 8-bit plane, owned. Rows are padded to a multiple of 64 bytes for SIMD.
struct Plane {
  SizePx size_px;
  std::size_t stride_bytes = 0;
  std::vector<std::uint8_t> samples;

  Plane() = default;
  explicit Plane(SizePx size);
  [[nodiscard]] std::uint8_t* row(int y) noexcept {
    return samples.data() + static_cast<std::size_t>(y) * stride_bytes;
  }
  [[nodiscard]] const std::uint8_t* row(int y) const noexcept {
    return samples.data() + static_cast<std::size_t>(y) * stride_bytes;
  }
};

struct PlanarPicture {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  std::vector<Plane> planes;  ///< plane_count(chroma) of them

  PlanarPicture() = default;
  PlanarPicture(SizePx size, Chroma chroma_);
};

}  // namespace tilewall
