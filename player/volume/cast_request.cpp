#include "player/volume/cast_request.hpp"

#include <algorithm>
#include <cmath>

#include "render/volume/coarse_cast.hpp"

namespace tilewall::volume {
namespace {

constexpr double pixel_tolerance = 1e-6;

bool is_whole(double px) { return std::abs(px - std::round(px)) <= pixel_tolerance; }

/// The place of a region's whole picture, in pixels of the panel, from the corner of its part.
struct RegionPicture {
  PointF first;  ///< upper left corner
  double width = 0;
  double height = 0;
  double across = 1;  ///< panel pixels per canvas pixel, horizontally
  double down = 1;    ///< panel pixels per canvas pixel, vertically
};

RegionPicture picture_of(const picture::Placement& placement) {
  const double scale = placement.picture_px.height / placement.movie_px.height;
  return {{placement.picture_px.x - placement.movie_px.x * scale,
           placement.picture_px.y - placement.movie_px.y * scale},
          placement.movie_px.width * scale,
          placement.movie_px.height * scale,
          placement.picture_px.width / placement.movie_px.width,
          scale};
}

/// Sets the part of the flat picture that all screens together see, in canvas pixels. It is the
/// same on every panel, so that all hosts choose the same detail.
void set_seen(CastMessage& message, const scene::VolumeShot& shot, const RegionPicture& region) {
  const auto whole = [](double px) { return static_cast<int>(std::lround(px)); };
  const render::CastView flat{
      shot.camera, {whole(region.width / region.down), whole(region.height / region.down)}, {}};
  const auto& seen = shot.tilt->seen_px;
  if (!seen || std::max(seen->width, seen->height) >= max_picture_side_px - 1) {
    message.sees_around = 1;
    set_region(message, shot.camera, flat.picture_px);
    return;
  }
  const PointF first{std::floor(seen->x), std::floor(seen->y)};
  const render::CastView all =
      render::sub_view(flat, first, 1,
                       {static_cast<int>(std::ceil(seen->right() - first.x)),
                        static_cast<int>(std::ceil(seen->bottom() - first.y))});
  set_region(message, all.camera, all.picture_px);
}

/// The map from pixels of the message's whole picture to pixels of the region's flat picture.
/// `first_px`: the region's upper left corner in the message's whole picture.
wall::PanelMap tilt_of(const scene::ScreenTilt& tilt, const RegionPicture& region,
                       PointF first_px) {
  const wall::PanelMap to_region({1 / region.across, 0, -first_px.x / region.across, 0,
                                  1 / region.down, -first_px.y / region.down, 0, 0, 1});
  // Pixels of the flat picture are square, with the height of the panel's pixels.
  return tilt.onto_plane.after(to_region).scaled(region.down, region.down).moved(first_px);
}

}  // namespace

CastMessage cast_request(const scene::VolumeShot& shot, const picture::Placement& placement,
                         SizePx part_px) {
  const RegionPicture region = picture_of(placement);
  const render::VolumeCamera& camera = shot.camera;
  CastMessage message;
  message.width = part_px.width;
  message.height = part_px.height;
  const int left = static_cast<int>(std::floor(region.first.x + pixel_tolerance));
  const int top = static_cast<int>(std::floor(region.first.y + pixel_tolerance));
  const SizePx whole{
      std::max(static_cast<int>(std::ceil(region.width - pixel_tolerance)), part_px.width - left),
      std::max(static_cast<int>(std::ceil(region.height - pixel_tolerance)), part_px.height - top)};
  message.x = std::max(-left, 0);
  message.y = std::max(-top, 0);
  message.picture_width = whole.width;
  message.picture_height = whole.height;
  render::CastView view{
      camera,
      {static_cast<int>(std::lround(region.width)), static_cast<int>(std::lround(region.height))},
      {}};
  set_region(message, camera, view.picture_px);
  const bool exact = is_whole(region.first.x) && is_whole(region.first.y) &&
                     is_whole(region.width) && is_whole(region.height) && view.picture_px == whole;
  if (!exact) {
    // The region's height is not a whole number of pixels, so scale the camera from the rounded
    // height to the true one, and shift its centre to the region's true corner.
    const double share = view.picture_px.height / region.height;
    view.camera.fov_rad = 2 * std::atan(std::tan(view.camera.fov_rad / 2) * share);
    view.camera.view_height *= share;
    view.camera.centre_offset_px.x += (region.width - view.picture_px.width) / 2;
    view.camera.centre_offset_px.y += (region.height - view.picture_px.height) / 2;
    view = render::sub_view(view, {left - region.first.x, top - region.first.y}, 1, whole);
  }
  set_camera(message, view.camera);
  if (!shot.tilt) return message;
  set_tilt(message, tilt_of(*shot.tilt, region, {region.first.x - left, region.first.y - top}));
  set_seen(message, shot, region);
  return message;
}

}  // namespace tilewall::volume
