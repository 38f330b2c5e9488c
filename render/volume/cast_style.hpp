// The style of a volume's picture, for every caster. scalar_caster.cpp has the formulas.
#pragma once

#include "render/volume/camera.hpp"
#include "render/volume/clip.hpp"
#include "render/volume/transfer_function.hpp"

namespace tilewall::render {

enum class CastMode {
  composite,   ///< Emission and absorption, front to back
  maximum,     ///< The colour of the greatest sample
  average,     ///< The colour of the samples' mean
  isosurface,  ///< The first place where the value crosses iso_value
};

enum class Shading { none, headlight };

/// A light at the eye. With n the gradient's direction and v the ray's: colour * (ambient + diffuse
/// |n v|) + specular |n v|^16, like VTK's light with an ambient colour.
struct Lighting {
  float ambient = 0.3F;
  float diffuse = 0.7F;
  float specular = 0.2F;
  bool operator==(const Lighting&) const = default;
};

/// A ray ends after the sample that makes it this opaque, because the rest could add at most half a
/// level of an 8-bit channel.
inline constexpr float opaque_enough = 1.0F - 1.0F / 512.0F;

/// Number of bisections of the step in which an isosurface was crossed; a straight line finds the
/// rest.
inline constexpr int iso_halvings = 5;

/// Where the value differs by this share of the volume's range over two voxels, light is weakened
/// to 1 / sqrt 2. Flatter places get less, where noise decides the gradient's direction.
inline constexpr float flat_gradient_share = 1e-3F;

/// The same share under a curve: the difference of two values that are this share of the range
/// apart on the scale, where that is least. Else a logarithm's low values would all be flat.
[[nodiscard]] double flat_difference(const TransferFunction& function) noexcept;

struct CastStyle {
  CastMode mode = CastMode::composite;
  Shading shading = Shading::none;  ///< Shading of mode composite; isosurfaces are always lit
  double step = 1;                  ///< World units between samples
  /// Takes more samples of composites where the opacity changes much between two (refinement.hpp).
  /// Casters leave this out of rough pictures.
  bool refine = false;
  Lighting lighting;
  double iso_value = 0.5;
  Rgba iso_colour = {1, 1, 1, 1};
  Rgba background;  ///< Its opacity is ignored
  bool operator==(const CastStyle&) const = default;
};

/// The view of a picture. Parts of one picture share a view, and differ in their rectangle only.
struct CastView {
  VolumeCamera camera;
  SizePx picture_px;  ///< Size of the whole picture
  VolumeClip clip;
  /// For a screen that the camera does not look at squarely: maps the picture's pixels to those of
  /// the camera's own flat picture, through which their rays go. The third row is above 0 for
  /// places ahead of the camera. Perspective only.
  std::optional<wall::PanelMap> tilt = std::nullopt;
  /// For moving pictures: a caster may take only every rough_stride()th sample.
  bool rough = false;
};

inline constexpr int most_rough_stride = 4;

/// Number of a style's steps in two pixels of the picture at look_at, at least 1. Neighbouring rays
/// are as far apart, so rougher samples lose no more than they do. The same for all parts, tilts
/// and hosts.
[[nodiscard]] int rough_stride(const CastView& view, double step);

/// The step that opacities are corrected for; of a maximum or mean, the function's own unit.
[[nodiscard]] inline double opacity_step(const CastStyle& style, const TransferFunction& function) {
  return style.mode == CastMode::composite ? style.step : function.unit();
}

}  // namespace tilewall::render
