// SceneChange's commands about views: the part of a movie that a region shows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "player/director/changes/region_view.hpp"
#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr double most_enlarged = 64;  // canvas pixels per movie pixel
constexpr double most_shrunk = 4;     // width of the view in widths of the whole movie
constexpr double most_distant_px = 1e7;
constexpr double least_side_px = 1e-3;

/// The view that shows the picture `factor` times as large. The movie's point at (x, y) of the
/// canvas stays there.
RectF zoomed(const scene::Region& region, const RectF& view_px, double x, double y, double factor) {
  const double across = (x - region.canvas_px.x) / region.canvas_px.width;
  const double down = (y - region.canvas_px.y) / region.canvas_px.height;
  const double width = view_px.width / factor;
  const double height = view_px.height / factor;
  return {view_px.x + across * (view_px.width - width),
          view_px.y + down * (view_px.height - height), width, height};
}

/// The view, moved so that its middle lies on the movie.
RectF held(RectF view_px, const RectF& movie) {
  view_px.x = std::clamp(view_px.x + view_px.width / 2, movie.x, movie.right()) - view_px.width / 2;
  view_px.y =
      std::clamp(view_px.y + view_px.height / 2, movie.y, movie.bottom()) - view_px.height / 2;
  return view_px;
}

void check_finite(double value, const char* what) {
  if (!(std::abs(value) <= most_distant_px))
    throw InputError({"view"}, what, "a number up to 1e7", fmt::format("{}", value));
}

}  // namespace

/// Refuses groups that show only volumes: these can be zoomed and panned, but have no rectangles of
/// pixels.
void SceneChange::check_pixels(const std::string& name, const char* verb) {
  for (const scene::Region* region : group_of(name))
    if (shown_source(*region)->kind != scene::SourceKind::volume) return;
  throw InputError({verb}, "", "a picture with pixels (a volume: camera, zoom, pan or view whole)",
                   "a volume");
}

template <typename Change>
void SceneChange::move_views(const std::string& name, Nanos glide, Change&& change) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    if (shown_source(region)->kind == scene::SourceKind::volume) continue;
    const RectF movie = movie_px(shown_source(region)->size_px, region);
    const RectF from = region_shaped(region, region.view ? region.view->at(at_) : movie);
    const RectF aim = region_shaped(region, region.view ? region.view->to_px : movie);
    const RectF to = change(region, aim, movie);
    region.view = scene::ViewPath{from, to, at_, glide};
  }
}

void SceneChange::set_view(const std::string& name, const RectF& view_px, Nanos glide) {
  check_pixels(name, "view");
  for (const double value : {view_px.x, view_px.y, view_px.width, view_px.height})
    check_finite(value, "x, y, width, height");
  move_views(name, glide, [&](const scene::Region& region, const RectF&, const RectF& movie) {
    if (view_px.width < least_side_px || view_px.height < least_side_px ||
        intersection(view_px, movie).empty())
      throw InputError(
          {"view"}, "",
          fmt::format("a part of the movie's {:g}x{:g} pixels", movie.width, movie.height),
          fmt::format("{:g},{:g},{:g},{:g}", view_px.x, view_px.y, view_px.width, view_px.height));
    return glide > Nanos(0) ? region_shaped(region, view_px) : view_px;
  });
}

void SceneChange::view_whole(const std::string& name, Nanos glide) {
  whole_cameras(name, glide);
  move_views(name, glide, [](const scene::Region& region, const RectF&, const RectF& movie) {
    return region_shaped(region, movie);
  });
  if (glide == Nanos(0)) settle_views();
}

void SceneChange::zoom_about(const std::string& name, double x, double y, double factor,
                             Nanos glide) {
  check_finite(x, "x");
  check_finite(y, "y");
  if (!(factor > 0 && factor <= most_distant_px))
    throw InputError({"zoom"}, "factor", "over 0", fmt::format("{}", factor));
  zoom_cameras(name, factor, glide);
  move_views(name, glide, [&](const scene::Region& region, const RectF& aim, const RectF& movie) {
    const double widest = region_shaped(region, movie).width * most_shrunk;
    const double narrowest = std::min(region.canvas_px.width / most_enlarged, widest);
    const double width = std::clamp(aim.width / factor, narrowest, widest);
    return held(zoomed(region, aim, x, y, aim.width / width), movie);
  });
}

void SceneChange::one_to_one(const std::string& name, double x, double y, Nanos glide) {
  check_pixels(name, "one_to_one");
  check_finite(x, "x");
  check_finite(y, "y");
  move_views(name, glide, [&](const scene::Region& region, const RectF& aim, const RectF& movie) {
    RectF view = zoomed(region, aim, x, y, aim.width / region.canvas_px.width);
    view = held(
        {std::round(view.x), std::round(view.y), region.canvas_px.width, region.canvas_px.height},
        movie);
    return RectF{std::floor(view.x), std::floor(view.y), view.width, view.height};
  });
}

void SceneChange::pan_by(const std::string& name, double dx, double dy, Nanos glide) {
  check_finite(dx, "dx");
  check_finite(dy, "dy");
  pan_cameras(name, dx, dy, glide);
  move_views(name, glide, [&](const scene::Region& region, RectF aim, const RectF& movie) {
    aim.x -= dx * aim.width / region.canvas_px.width;
    aim.y -= dy * aim.height / region.canvas_px.height;
    return held(aim, movie);
  });
}

void SceneChange::set_fit(const std::string& name, scene::FitMode fit) {
  for (scene::Region* region : group_of(name)) region->fit = fit;
}

void SceneChange::settle_views() {
  std::erase_if(draft_.regions, [&](const scene::Region& region) { return !region.is_there(at_); });
  for (scene::Region& region : draft_.regions) {
    if (region.opacity.end() <= at_)
      region.opacity = scene::OpacityPath::at_rest(region.opacity.to);
    if (region.look && region.look->camera.end() <= at_)
      region.look->camera = scene::CameraPath::at_rest(region.look->camera.to);
    if (region.look && region.look->style.end() <= at_)
      region.look->style = scene::StylePath::at_rest(region.look->style.to);
    if (!region.view || region.view->end() > at_) continue;
    const RectF movie = movie_px(shown_source(region)->size_px, region);
    region.view = scene::ViewPath::at_rest(region.view->to_px);
    if (region.view->to_px == region_shaped(region, movie)) region.view.reset();
  }
  pictures_change_ = true;
}

}  // namespace tilewall::director
