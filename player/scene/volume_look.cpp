#include "player/scene/volume_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "render/transfer/named_transfers.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr double most_radii = 4096;
constexpr double usual_azimuth_rad = 25 * std::numbers::pi / 180;
constexpr double usual_elevation_rad = 20 * std::numbers::pi / 180;

/// The axis across a sheet, which is a volume of one layer: its box has no thickness. Empty for
/// other volumes.
std::optional<std::size_t> axis_across(const render::WorldBox& box) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (length(box.half[axis]) == 0) return axis;
  return std::nullopt;
}

/// Whether a vector points against the world's axis that it mostly lies along.
bool points_back(Vec3d v) {
  const double longest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  const auto is_longest = [&](double along) { return std::abs(along) == longest; };
  return (is_longest(v.x) ? v.x : is_longest(v.y) ? v.y : v.z) < 0;
}

/// A camera that faces a sheet, which fills the region in one direction. Maps have y upwards; of
/// other sheets in the xy plane, such as images, the first row is the uppermost.
render::VolumeCamera facing(const SourceSpec& source, std::size_t across, double aspect) {
  const Vec3d first = source.box.half[across == 0 ? 1 : 0];
  const Vec3d second = source.box.half[across == 2 ? 1 : 2];
  const bool is_image = across == 2 && !source.is_field;
  const Vec3d right = !is_image && points_back(first) ? -1.0 * first : first;
  const Vec3d up = is_image || points_back(second) ? -1.0 * second : second;
  const double half_height = std::max(length(up), length(right) / aspect);
  render::VolumeCamera camera =
      render::camera_at(source.box, usual_azimuth_rad, usual_elevation_rad, aspect);
  camera.lens = render::Lens::orthographic;
  camera.view_height = 2 * half_height;
  camera.look_at = source.box.centre;
  camera.up = normalized(up);
  // So far away that a perspective lens shows it as large.
  camera.eye =
      camera.look_at + half_height / std::tan(camera.fov_rad / 2) * normalized(cross(right, up));
  return camera;
}

std::shared_ptr<const VolumeStyle> style_field(const Json& json, const char* key) {
  return std::make_shared<const VolumeStyle>(volume_style_from_json(json_field<Json>(json, key)));
}

StylePath style_path_from_json(const Json& json) {
  StylePath path = StylePath::at_rest(style_field(json, "style"));
  if (!json.contains("style_from")) return path;
  path.from = style_field(json, "style_from");
  path.start = {Nanos(json_field<std::int64_t>(json, "style_start_ns"))};
  path.duration = Nanos(json_field<std::int64_t>(json, "style_duration_ns"));
  if (path.duration <= Nanos(0))
    throw InputError({"message"}, "style_duration_ns", "above 0", "another value");
  return path;
}

}  // namespace

render::VolumeCamera whole_volume(const SourceSpec& source, const RectF& canvas_px) {
  const double aspect = canvas_px.width / canvas_px.height;
  if (const auto across = axis_across(source.box)) return facing(source, *across, aspect);
  // A patient is seen from the front, with the right side at the left.
  const double azimuth = source.is_anatomical ? std::numbers::pi : usual_azimuth_rad;
  const double elevation = source.is_anatomical ? 0 : usual_elevation_rad;
  return render::camera_at(source.box, azimuth, elevation, aspect, source.up);
}

VolumeLook usual_look(const SourceSpec& source, const RectF& canvas_px) {
  auto style = std::make_shared<VolumeStyle>();
  style->transfer = render::named_transfer("default").value();
  style->low_values = source.is_field;
  if (axis_across(source.box)) {
    // A sheet hides nothing behind it. The factor is for functions that are chosen later.
    for (render::TransferPoint& point : style->transfer.points) point.colour.a = 1;
    style->transfer.has_default_opacity = false;
    style->low_values = true;
    style->opacity = most_opacity;
  }
  return {CameraPath::at_rest(whole_volume(source, canvas_px)),
          StylePath::at_rest(std::move(style))};
}

std::optional<GlobalInstant> VolumeLook::glides_until() const {
  std::optional<GlobalInstant> until;
  if (camera.duration > Nanos(0)) until = camera.end();
  if (style.duration > Nanos(0)) until = std::max(until.value_or(style.end()), style.end());
  return until;
}

std::shared_ptr<const VolumeStyle> with_screens(const VolumeStyle& style,
                                                const wall::Canvas& canvas,
                                                const RectF& region_px) {
  auto placed = std::make_shared<VolumeStyle>(style);
  RegionScreens& screens =
      placed->screens.emplace(RegionScreens{region_px.height / canvas.px_per_mm(), {}});
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF part = intersection(canvas.panel_rect_px(i), region_px);
    if (part.empty()) continue;
    screens.panels.push_back({(part.x - region_px.x) / region_px.width,
                              (part.y - region_px.y) / region_px.height,
                              part.width / region_px.width, part.height / region_px.height});
  }
  return placed;
}

void check_reach(const render::VolumeCamera& camera, const SourceSpec& source) {
  const double distance = length(camera.eye - source.box.centre);
  if (!(distance <= most_radii * source.box.radius()))
    throw InputError(
        {"message"}, "eye",
        fmt::format("a place within {:g} of the volume's middle", most_radii * source.box.radius()),
        fmt::format("one {:g} away", distance));
}

Json to_json(const VolumeLook& look) {
  Json json = {{"from", to_json(look.camera.from)},
               {"to", to_json(look.camera.to)},
               {"start_ns", look.camera.start.since_epoch.count()},
               {"duration_ns", look.camera.duration.count()},
               {"style", to_json(*look.style.to)}};
  if (look.style.duration <= Nanos(0)) return json;
  json["style_from"] = to_json(*look.style.from);
  json["style_start_ns"] = look.style.start.since_epoch.count();
  json["style_duration_ns"] = look.style.duration.count();
  return json;
}

VolumeLook volume_look_from_json(const Json& json) {
  CameraPath path{camera_from_json(json_field<Json>(json, "from")),
                  camera_from_json(json_field<Json>(json, "to")),
                  {Nanos(json_field<std::int64_t>(json, "start_ns"))},
                  Nanos(json_field<std::int64_t>(json, "duration_ns"))};
  if (path.duration < Nanos(0))
    throw InputError({"message"}, "duration_ns", "0 or more", "another value");
  return {path, style_path_from_json(json)};
}

}  // namespace tilewall::scene
