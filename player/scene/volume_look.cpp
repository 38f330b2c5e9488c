#include "player/scene/volume_look.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  // A patient is seen from the front, with the right side at the left.
  const double azimuth = source.is_anatomical ? std::numbers::pi : usual_azimuth_rad;
  const double elevation = source.is_anatomical ? 0 : usual_elevation_rad;
  return render::camera_at(source.box, azimuth, elevation, canvas_px.width / canvas_px.height,
                           source.up);
}

VolumeLook usual_look(const SourceSpec& source, const RectF& canvas_px) {
  auto style = std::make_shared<VolumeStyle>();
  style->transfer = render::named_transfer("default").value();
  style->low_values = source.is_field;
  return {CameraPath::at_rest(whole_volume(source, canvas_px)),
          StylePath::at_rest(std::move(style))};
}

std::optional<GlobalInstant> VolumeLook::glides_until() const {
  std::optional<GlobalInstant> until;
  if (camera.duration > Nanos(0)) until = camera.end();
  if (style.duration > Nanos(0)) until = std::max(until.value_or(style.end()), style.end());
  return until;
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
