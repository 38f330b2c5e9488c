// Volumes made from formulas, and views of them, for the tests of the volume renderer.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "render/volume/cast_style.hpp"
#include "render/volume/volume.hpp"

namespace tilewall {

/// The field in voxel coordinates, stored as it is (f32) or rounded.
template <typename Field>
render::VoxelArray voxels_of(render::VoxelType type, render::VolumeSize size, Field&& field) {
  render::VoxelArray array(type, size);
  std::size_t i = 0;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x, ++i) {
        const double value = field(Vec3d{double(x), double(y), double(z)});
        if (type == render::VoxelType::u8)
          array.voxels<std::uint8_t>()[i] = static_cast<std::uint8_t>(std::lround(value));
        else if (type == render::VoxelType::u16)
          array.voxels<std::uint16_t>()[i] = static_cast<std::uint16_t>(std::lround(value));
        else
          array.voxels<float>()[i] = static_cast<float>(value);
      }
  return array;
}

/// Along +z through the volume's middle, orthographic, `height` world units over the picture.
inline render::CastView view_along_z(const render::Volume& volume, SizePx picture_px,
                                     double height) {
  render::CastView view;
  view.camera.lens = render::Lens::orthographic;
  view.camera.look_at = volume.centre_world();
  view.camera.eye = volume.centre_world() - Vec3d{0, 0, 100};
  view.camera.view_height = height;
  view.picture_px = picture_px;
  return view;
}

/// From outside, at an angle to all axes.
inline render::CastView view_aslant(const render::Volume& volume, SizePx picture_px,
                                    double distance) {
  render::CastView view;
  view.camera.look_at = volume.centre_world();
  view.camera.eye = volume.centre_world() + distance * normalized({0.6, 0.4, -0.8});
  view.camera.fov_rad = std::numbers::pi / 6;
  view.picture_px = picture_px;
  return view;
}

/// A screen that is turned and leans, its pixels wider than high, for CastView::tilt of pictures of
/// some 50 pixels.
inline const wall::PanelMap askew({1.3, 0.2, -8, -0.1, 0.9, 3, 0.004, -0.003, 0.95});

inline RectPx whole(const render::CastView& view) {
  return {0, 0, view.picture_px.width, view.picture_px.height};
}

}  // namespace tilewall
