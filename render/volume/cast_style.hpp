// What a picture of a volume is made of, for every caster; the formulas are those of
// scalar_caster.cpp.
#pragma once

#include "render/volume/camera.hpp"
#include "render/volume/clip.hpp"
#include "render/volume/transfer_function.hpp"

namespace tilewall::render {

enum class CastMode {
  composite,   ///< emission and absorption, front to back
  maximum,     ///< the colour of the greatest sample
  average,     ///< the colour of the samples' mean
  isosurface,  ///< the first place where the value crosses iso_value
};

enum class Shading { none, headlight };

/// A light at the eye. n is the gradient's direction, v the ray's:
/// colour * (ambient + diffuse |n v|) + specular |n v|^16, as VTK has it where its light has an
/// ambient colour.
struct Lighting {
  float ambient = 0.3F;
  float diffuse = 0.7F;
  float specular = 0.2F;
  bool operator==(const Lighting&) const = default;
};

/// A ray ends after the sample that makes it this opaque: what lies behind could add half a level
/// of an 8-bit channel.
inline constexpr float opaque_enough = 1.0F - 1.0F / 512.0F;

/// Halvings of the step in which an isosurface was crossed; then a straight line.
inline constexpr int iso_halvings = 5;

/// A gradient of this share of the volume's value range per voxel is lit at half its strength.
inline constexpr float flat_gradient_share = 1e-3F;

struct CastStyle {
  CastMode mode = CastMode::composite;
  Shading shading = Shading::none;  ///< of composite; isosurfaces are always lit
  double step = 1;                  ///< world units between samples
  Lighting lighting;
  double iso_value = 0.5;
  Rgba iso_colour = {1, 1, 1, 1};
  Rgba background;  ///< its opacity does not count
};

/// One picture to be made. Parts of it have the same view and differ in their rectangle only.
struct CastView {
  VolumeCamera camera;
  SizePx picture_px;  ///< the whole
  VolumeClip clip;
  /// Of a screen that the camera does not look at squarely: from the picture's pixels to those of
  /// the camera's own flat picture, which their rays go through; the third row is above 0 for what
  /// lies ahead. Perspective only.
  std::optional<wall::PanelMap> tilt = std::nullopt;
  /// Of something that moves: a caster may take every rough_stride()th sample only.
  bool rough = false;
};

inline constexpr int most_rough_stride = 4;

/// How many of a style's steps fit into two pixels of the picture where the camera looks at, at
/// least 1: rays miss as much between them. The same for all parts, tilts and hosts.
[[nodiscard]] int rough_stride(const CastView& view, double step);

/// The step that opacities are corrected for: of a maximum or mean, the function's own unit.
[[nodiscard]] inline double opacity_step(const CastStyle& style, const TransferFunction& function) {
  return style.mode == CastMode::composite ? style.step : function.unit();
}

}  // namespace tilewall::render
