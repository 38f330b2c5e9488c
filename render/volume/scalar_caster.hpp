// The reference ray caster: one ray and one sample at a time, nothing skipped. All others are
// compared with it.
#pragma once

#include <vector>

#include "render/volume/cast_style.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// The value at a place in voxel coordinates, trilinear between the eight voxels around it; NaN
/// where one of these is empty. @pre inside of the box
[[nodiscard]] float sample_volume(const Volume& volume, Vec3d at) noexcept;

/// Colours multiplied by their opacity, without background; rows from above, no padding.
struct FloatPicture {
  SizePx size_px;
  std::vector<Rgba> pixels;
  /// How far ahead of the eye each pixel's first hit is, along the camera's line of sight, in world
  /// units: where a composite has become half opaque, the greatest sample of a maximum, or the
  /// isosurface. Infinite where there is none, and for a mean.
  std::vector<float> depths = {};
};

/// Casts the rectangle `part` of the picture on `threads` threads. Throws InputError where the view
/// or the style has no meaning.
[[nodiscard]] FloatPicture cast_scalar(const Volume& volume, const TransferFunction& function,
                                       const CastStyle& style, const CastView& view, RectPx part,
                                       int threads = 1);

/// Blends the picture over the background, and writes it as 8 bits a channel. @pre equal sizes
void write_pixels(const FloatPicture& picture, const Rgba& background,
                  const ImageView& to) noexcept;

}  // namespace tilewall::render
