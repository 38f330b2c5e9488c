// How a volume is looked at.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/director/verbs.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr Nanos style_glide = std::chrono::milliseconds(200);  // where a request says nothing

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// "camera": fields of a camera, the others staying as they are; "orbit_deg": [right, down, roll].
ApplyCommand read_camera(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  const Nanos glide = fields.glide();
  if (fields.has("orbit_deg")) {
    const auto by = fields.numbers("orbit_deg", 3);
    const OrbitAngles angles{radians(by[0]), radians(by[1]), radians(by[2])};
    return [name = request.region, angles, glide](SceneChange& change) {
      change.orbit_by(name, angles, glide);
    };
  }
  const nlohmann::json patch = fields.object("camera");
  return [name = request.region, patch, glide](SceneChange& change) {
    change.set_camera(
        name, [&](const render::VolumeCamera& camera) { return scene::patched(camera, patch); },
        glide);
  };
}

/// "change": fields of a style; null takes "iso_value" and "range" back.
ApplyCommand read_style(const VerbRequest& request) {
  const nlohmann::json patch = request.fields.object("change");
  const Nanos glide = request.fields.glide(style_glide);
  return [name = request.region, patch, glide](SceneChange& change) {
    change.change_style(
        name, [&](scene::VolumeStyle& style) { style = scene::patched(style, patch); }, glide);
  };
}

/// "what": a StyleAdjustment; "by": how far, where it has an amount.
ApplyCommand read_adjust(const VerbRequest& request) {
  const scene::StyleAdjustment what = scene::parse_style_adjustment(request.fields.text("what"));
  const double by = scene::has_amount(what) ? request.fields.number("by") : 0;
  const Nanos glide = request.fields.glide(style_glide);
  return [name = request.region, what, by, glide](SceneChange& change) {
    change.adjust_style(name, what, by, glide);
  };
}

}  // namespace

std::vector<Verb> volume_verbs() {
  return {{"camera", read_camera}, {"style", read_style}, {"adjust", read_adjust}};
}

}  // namespace tilewall::director
