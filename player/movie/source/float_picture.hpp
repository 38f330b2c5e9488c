// Pictures in linear light with opacity and depth, as EXR images store them.
//
// Such a picture is an AVFrame of GBRAPF32, whose colours are multiplied by their opacity, with the
// depths in its opaque_ref.
#pragma once

#include <span>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

/// A row of such a picture. Each span has the picture's width.
template <typename Float>
struct FloatRowOf {
  std::span<Float> red;
  std::span<Float> green;
  std::span<Float> blue;
  std::span<Float> opacity;
  std::span<Float> depth;  ///< Infinite where there is nothing
};
using FloatRow = FloatRowOf<float>;
using ConstFloatRow = FloatRowOf<const float>;

/// Allocates a picture that shows nothing. Throws JobError when memory runs out.
[[nodiscard]] AvFrame new_float_picture(SizePx size_px);

/// Row `y` from above. @pre new_float_picture() made it
[[nodiscard]] FloatRow float_row(AvFrame& picture, int y) noexcept;
[[nodiscard]] ConstFloatRow float_row(const AVFrame& picture, int y) noexcept;

}  // namespace tilewall::movie
