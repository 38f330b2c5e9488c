// The verbs about volumes: camera, style and adjustments of it.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/director/verbs/verbs.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr Nanos style_glide = std::chrono::milliseconds(200);  // glide of requests without glide_s

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Reads "orbit_deg", [right, down, roll], or "camera", the fields of a camera that change.
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

/// Reads "change", the fields of a style that change; null resets "iso_value" and "range".
ApplyCommand read_style(const VerbRequest& request) {
  const nlohmann::json patch = request.fields.object("change");
  const Nanos glide = request.fields.glide(style_glide);
  return [name = request.region, patch, glide](SceneChange& change) {
    change.change_style(
        name, [&](scene::VolumeStyle& style) { style = scene::patched(style, patch); }, glide);
  };
}

/// Reads "what", a StyleAdjustment, and for those with an amount "by".
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
