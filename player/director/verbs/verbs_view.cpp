#include <cmath>

#include "player/director/verbs/verbs.hpp"

namespace tilewall::director {
namespace {

/// Reads "view_px", a rectangle of the movie, or "whole".
ApplyCommand read_view(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  const Nanos glide = fields.glide();
  if (fields.has("whole")) {
    if (!fields.flag("whole")) fields.refuse("whole", "true", "false");
    return [name = request.region, glide](SceneChange& change) { change.view_whole(name, glide); };
  }
  const RectF view_px = fields.rect("view_px");
  return [name = request.region, view_px, glide](SceneChange& change) {
    change.set_view(name, view_px, glide);
  };
}

/// A place on the canvas: "x" and "y", by default the middle of the region.
struct Anchor {
  std::optional<double> x;
  std::optional<double> y;

  [[nodiscard]] double x_in(const scene::Region& region) const {
    return x.value_or(region.canvas_px.x + region.canvas_px.width / 2);
  }
  [[nodiscard]] double y_in(const scene::Region& region) const {
    return y.value_or(region.canvas_px.y + region.canvas_px.height / 2);
  }
};

Anchor anchor_of(RequestFields& fields) {
  Anchor anchor;
  if (fields.has("x")) anchor.x = fields.number("x");
  if (fields.has("y")) anchor.y = fields.number("y");
  return anchor;
}

ApplyCommand read_zoom(const VerbRequest& request) {
  RequestFields& fields = request.fields;
  const double factor = fields.number("factor");
  const Anchor anchor = anchor_of(fields);
  const Nanos glide = fields.glide();
  return [name = request.region, factor, anchor, glide](SceneChange& change) {
    const scene::Region& region = change.region(name);
    change.zoom_about(name, anchor.x_in(region), anchor.y_in(region), factor, glide);
  };
}

ApplyCommand read_one_to_one(const VerbRequest& request) {
  const Anchor anchor = anchor_of(request.fields);
  const Nanos glide = request.fields.glide();
  return [name = request.region, anchor, glide](SceneChange& change) {
    const scene::Region& region = change.region(name);
    change.one_to_one(name, anchor.x_in(region), anchor.y_in(region), glide);
  };
}

ApplyCommand read_pan(const VerbRequest& request) {
  const double dx = request.fields.number_or("dx", 0);
  const double dy = request.fields.number_or("dy", 0);
  const Nanos glide = request.fields.glide();
  return [name = request.region, dx, dy, glide](SceneChange& change) {
    change.pan_by(name, dx, dy, glide);
  };
}

ApplyCommand read_fit(const VerbRequest& request) {
  const std::string text = request.fields.text("mode");
  const auto fit = scene::parse_fit_mode(text);
  if (!fit) request.fields.refuse("mode", "contain, cover or stretch", '"' + text + '"');
  return [name = request.region, fit](SceneChange& change) { change.set_fit(name, *fit); };
}

}  // namespace

std::vector<Verb> view_verbs() {
  return {{"view", read_view},
          {"zoom", read_zoom},
          {"one_to_one", read_one_to_one},
          {"pan", read_pan},
          {"fit", read_fit}};
}

}  // namespace tilewall::director
