#include "player/scene/volume_look.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "render/transfer/named_transfers.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr double most_radii = 4096;
constexpr double usual_azimuth_rad = 25 * std::numbers::pi / 180;
constexpr double usual_elevation_rad = 20 * std::numbers::pi / 180;

}  // namespace

VolumeCamera whole_volume(const SourceSpec& source) {
  return camera_at(source.ball, usual_azimuth_rad, usual_elevation_rad);
}

VolumeLook usual_look(const SourceSpec& source) {
  auto style = std::make_shared<VolumeStyle>();
  style->transfer = named_transfer("default").value();
  return {CameraPath::at_rest(whole_volume(source)), std::move(style)};
}

void check_reach(const VolumeCamera& camera, const SourceSpec& source) {
  const double distance = length(camera.eye - source.ball.centre);
  if (!(distance <= most_radii * source.ball.radius))
    throw InputError(
        {"message"}, "eye",
        fmt::format("a place within {:g} of the volume's middle", most_radii * source.ball.radius),
        fmt::format("one {:g} away", distance));
}

Json to_json(const VolumeLook& look) {
  return {{"from", to_json(look.camera.from)},
          {"to", to_json(look.camera.to)},
          {"start_ns", look.camera.start.since_epoch.count()},
          {"duration_ns", look.camera.duration.count()},
          {"style", to_json(*look.style)}};
}

VolumeLook volume_look_from_json(const Json& json) {
  CameraPath path{camera_from_json(json_field<Json>(json, "from")),
                  camera_from_json(json_field<Json>(json, "to")),
                  {Nanos(json_field<std::int64_t>(json, "start_ns"))},
                  Nanos(json_field<std::int64_t>(json, "duration_ns"))};
  if (path.duration < Nanos(0))
    throw InputError({"message"}, "duration_ns", "0 or more", "another value");
  return {path, std::make_shared<const VolumeStyle>(
                    volume_style_from_json(json_field<Json>(json, "style")))};
}

}  // namespace tilewall
