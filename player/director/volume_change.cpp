// SceneChange: from where and in which style a region shows its volume.

#include <fmt/format.h>

#include <cmath>

#include "player/director/scene_change.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr double nearest = 1.0 / 64;  // of the volume's radius
constexpr double farthest = 64;

/// Neither in the volume's core nor so far away that it vanishes.
VolumeCamera held(const VolumeCamera& camera, const VolumeCamera& before, double radius) {
  const double distance =
      camera.lens == Lens::orthographic ? camera.view_height : length(camera.look_at - camera.eye);
  return distance >= nearest * radius && distance <= farthest * radius ? camera : before;
}

}  // namespace

template <typename Change>
void SceneChange::move_cameras(const std::string& name, Nanos glide, Change&& change) {
  for (Region* one : group_of(name)) {
    Region& region = *one;
    const SourcePtr source = shown_source(region);
    if (source->kind != SourceKind::volume) continue;
    if (!region.look) region.look = usual_look(*source, region.canvas_px);
    CameraPath& path = region.look->camera;
    path = CameraPath{path.at(at_), change(region, *source, path.to), at_, glide};
    note_look(at_ + glide);
  }
}

void SceneChange::note_look(GlobalInstant settles_at) {
  look_settles_at_ = std::max(look_settles_at_.value_or(settles_at), settles_at);
}

bool SceneChange::shows_volume(const std::string& name) const {
  return shown_source(region(name))->kind == SourceKind::volume;
}

void SceneChange::check_volume(const std::string& name) const {
  if (!shows_volume(name))
    throw InputError({"region " + region(name).name}, "", "a volume", "another source");
}

void SceneChange::set_camera(const std::string& name,
                             const std::function<VolumeCamera(const VolumeCamera& before)>& camera,
                             Nanos glide) {
  check_volume(name);
  move_cameras(name, glide,
               [&](const Region&, const SourceSpec& source, const VolumeCamera& before) {
                 const VolumeCamera after = camera(before);
                 check_reach(after, source);
                 return after;
               });
}

void SceneChange::orbit_by(const std::string& name, const OrbitAngles& by, Nanos glide) {
  check_volume(name);
  move_cameras(name, glide, [&](const Region&, const SourceSpec&, const VolumeCamera& camera) {
    return rolled(orbited(camera, by.right_rad, by.down_rad), by.roll_rad);
  });
}

void SceneChange::whole_cameras(const std::string& name, Nanos glide) {
  move_cameras(
      name, glide, [](const Region& region, const SourceSpec& source, const VolumeCamera& before) {
        VolumeCamera camera = whole_volume(source, region.canvas_px);
        camera.lens = before.lens;
        if (camera.fov_rad == before.fov_rad) return camera;  // to the bit what it began as
        camera.fov_rad = before.fov_rad;
        return seeing_all(camera, source.box, region.canvas_px.width / region.canvas_px.height);
      });
}

void SceneChange::zoom_cameras(const std::string& name, double factor, Nanos glide) {
  move_cameras(name, glide,
               [&](const Region&, const SourceSpec& source, const VolumeCamera& camera) {
                 return held(zoomed(camera, factor), camera, source.box.radius());
               });
}

void SceneChange::pan_cameras(const std::string& name, double dx, double dy, Nanos glide) {
  move_cameras(name, glide,
               [&](const Region& region, const SourceSpec&, const VolumeCamera& camera) {
                 return panned(camera, dx / region.canvas_px.height, dy / region.canvas_px.height);
               });
}

void SceneChange::change_style(const std::string& name,
                               const std::function<void(VolumeStyle& style)>& change, Nanos glide) {
  check_volume(name);
  for (Region* region : group_of(name)) {
    const SourcePtr source = shown_source(*region);
    if (source->kind != SourceKind::volume) continue;
    if (!region->look) region->look = usual_look(*source, region->canvas_px);
    StylePath& path = region->look->style;
    auto style = std::make_shared<VolumeStyle>(*path.to);
    change(*style);
    path = StylePath{path.at(at_), std::move(style), at_, glide};
    note_look(at_ + glide);
  }
}

void SceneChange::adjust_style(const std::string& name, StyleAdjustment what, double by,
                               Nanos glide) {
  change_style(
      name, [&](VolumeStyle& style) { style = adjusted(std::move(style), what, by); }, glide);
}

}  // namespace tilewall
