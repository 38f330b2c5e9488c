// Pictures by casters, for the tests of the volume renderers.
#pragma once

#include <cstdint>
#include <vector>

#include "render/volume/picture_caster.hpp"
#include "render/volume/scalar_caster.hpp"
#include "tests/unit/render/volume/volume_fields.hpp"

namespace tilewall {

/// Rows of BGRX.
struct CastPixels {
  explicit CastPixels(RectPx part)
      : size_px{part.width, part.height},
        bytes(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) * 4) {}
  ImageView view() { return {bytes.data(), size_px, static_cast<std::size_t>(size_px.width) * 4}; }
  SizePx size_px;
  std::vector<std::uint8_t> bytes;
};

/// All of the view, by the scalar caster.
inline CastPixels reference(const render::Volume& volume, const render::TransferFunction& function,
                            const render::CastStyle& style, const render::CastView& view) {
  CastPixels pixels(whole(view));
  render::write_pixels(render::cast_scalar(volume, function, style, view, whole(view), 2),
                       style.background, pixels.view());
  return pixels;
}

inline CastPixels cast_part(render::PictureCaster& caster, const render::CastView& view,
                            RectPx part, int threads = 1) {
  CastPixels pixels(part);
  caster.cast(view, part, pixels.view(), threads);
  return pixels;
}

}  // namespace tilewall
