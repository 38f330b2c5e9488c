#include "render/volume/sub_view.hpp"

#include <cmath>

namespace tilewall {

CastView sub_view(const CastView& view, PointF first, double side, SizePx size_px) {
  CastView sub = view;
  sub.picture_px = size_px;
  VolumeCamera& camera = sub.camera;
  const double share = size_px.height * side / view.picture_px.height;
  camera.fov_rad = 2 * std::atan(std::tan(camera.fov_rad / 2) * share);
  camera.view_height *= share;
  const auto offset = [&](int whole, double offset_px, double at, int length) {
    return (whole / 2.0 + offset_px - at) / side - length / 2.0;
  };
  camera.centre_offset_px = {
      offset(view.picture_px.width, view.camera.centre_offset_px.x, first.x, size_px.width),
      offset(view.picture_px.height, view.camera.centre_offset_px.y, first.y, size_px.height)};
  if (view.tilt)
    sub.tilt = view.tilt->after(PanelMap({side, 0, first.x, 0, side, first.y, 0, 0, 1}))
                   .moved({-first.x, -first.y})
                   .scaled(1 / side, 1 / side);
  return sub;
}

}  // namespace tilewall
