// SceneChange's commands about volumes: camera and style.

#include <fmt/format.h>

#include <cmath>

#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr double nearest = 1.0 / 64;  // least distance in radii of the volume
constexpr double farthest = 64;       // greatest distance in radii of the volume

/// `camera`, or `before` where `camera` is too close to the volume's centre or too far away.
render::VolumeCamera held(const render::VolumeCamera& camera, const render::VolumeCamera& before,
                          double radius) {
  const double distance = camera.lens == render::Lens::orthographic
                              ? camera.view_height
                              : length(camera.look_at - camera.eye);
  return distance >= nearest * radius && distance <= farthest * radius ? camera : before;
}

}  // namespace

template <typename Change>
void SceneChange::move_cameras(const std::string& name, Nanos glide, Change&& change) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    const scene::SourcePtr source = shown_source(region);
    if (source->kind != scene::SourceKind::volume) continue;
    if (!region.look) region.look = scene::usual_look(*source, region.canvas_px);
    scene::CameraPath& path = region.look->camera;
    path = scene::CameraPath{path.at(at_), change(region, *source, path.to), at_, glide};
    note_look(at_ + glide);
  }
}

void SceneChange::note_look(GlobalInstant settles_at) {
  look_settles_at_ = std::max(look_settles_at_.value_or(settles_at), settles_at);
}

bool SceneChange::shows_volume(const std::string& name) const {
  return shown_source(region(name))->kind == scene::SourceKind::volume;
}

void SceneChange::check_volume(const std::string& name) const {
  if (!shows_volume(name))
    throw InputError({"region " + region(name).name}, "", "a volume", "another source");
}

void SceneChange::set_camera(
    const std::string& name,
    const std::function<render::VolumeCamera(const render::VolumeCamera& before)>& camera,
    Nanos glide) {
  check_volume(name);
  move_cameras(name, glide,
               [&](const scene::Region&, const scene::SourceSpec& source,
                   const render::VolumeCamera& before) {
                 const render::VolumeCamera after = camera(before);
                 scene::check_reach(after, source);
                 return after;
               });
}

void SceneChange::orbit_by(const std::string& name, const OrbitAngles& by, Nanos glide) {
  check_volume(name);
  move_cameras(
      name, glide,
      [&](const scene::Region&, const scene::SourceSpec&, const render::VolumeCamera& camera) {
        return render::rolled(render::orbited(camera, by.right_rad, by.down_rad), by.roll_rad);
      });
}

void SceneChange::whole_cameras(const std::string& name, Nanos glide) {
  move_cameras(name, glide,
               [](const scene::Region& region, const scene::SourceSpec& source,
                  const render::VolumeCamera& before) {
                 render::VolumeCamera camera = scene::whole_volume(source, region.canvas_px);
                 camera.lens = before.lens;
                 if (camera.fov_rad == before.fov_rad)
                   return camera;  // bit for bit the usual camera
                 camera.fov_rad = before.fov_rad;
                 return render::seeing_all(camera, source.box,
                                           region.canvas_px.width / region.canvas_px.height);
               });
}

void SceneChange::zoom_cameras(const std::string& name, double factor, Nanos glide) {
  move_cameras(name, glide,
               [&](const scene::Region&, const scene::SourceSpec& source,
                   const render::VolumeCamera& camera) {
                 return held(render::zoomed(camera, factor), camera, source.box.radius());
               });
}

void SceneChange::pan_cameras(const std::string& name, double dx, double dy, Nanos glide) {
  move_cameras(name, glide,
               [&](const scene::Region& region, const scene::SourceSpec&,
                   const render::VolumeCamera& camera) {
                 return render::panned(camera, dx / region.canvas_px.height,
                                       dy / region.canvas_px.height);
               });
}

void SceneChange::change_style(const std::string& name,
                               const std::function<void(scene::VolumeStyle& style)>& change,
                               Nanos glide) {
  check_volume(name);
  for (scene::Region* region : group_of(name)) {
    const scene::SourcePtr source = shown_source(*region);
    if (source->kind != scene::SourceKind::volume) continue;
    if (!region->look) region->look = scene::usual_look(*source, region->canvas_px);
    scene::StylePath& path = region->look->style;
    auto style = std::make_shared<scene::VolumeStyle>(*path.to);
    change(*style);
    path = scene::StylePath{path.at(at_), std::move(style), at_, glide};
    note_look(at_ + glide);
  }
}

void SceneChange::adjust_style(const std::string& name, scene::StyleAdjustment what, double by,
                               Nanos glide) {
  change_style(
      name, [&](scene::VolumeStyle& style) { style = scene::adjusted(std::move(style), what, by); },
      glide);
}

}  // namespace tilewall::director
