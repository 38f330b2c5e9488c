#include <algorithm>
#include <cmath>
#include <numbers>

#include "player/director/verbs/operator_keys.hpp"

namespace tilewall::director {
namespace {

constexpr double wheel_zoom = 1.25;  // factor per step
constexpr Nanos wheel_glide = std::chrono::milliseconds(150);
// Longer than the time between two changes, so that the picture does not stop in between. Each
// change then covers the same share of the remaining way, and the picture has the hand's speed.
constexpr Nanos drag_glide = std::chrono::milliseconds(150);
constexpr Nanos click_glide = std::chrono::milliseconds(300);
// A drag that begins so near to the line of a swipe takes it: a share of the region's width.
constexpr double reach_share = 0.01;
constexpr double least_reach_px = 8;

bool contains(const RectF& rect, const PointF& at) {
  return at.x >= rect.x && at.x < rect.right() && at.y >= rect.y && at.y < rect.bottom();
}

/// The name of the topmost region at that place; the first region's where none is there.
std::string region_at(const scene::Scene& scene, const PointF& at) {
  for (auto region = scene.regions.rbegin(); region != scene.regions.rend(); ++region)
    if (contains(region->canvas_px, at) && (!region->clip_px || contains(*region->clip_px, at)))
      return region->name;
  return scene.regions.front().name;
}

/// Turns a volume; a drag over the region's height is half a turn.
void turn(SceneChange& change, const std::string& region, const PointF& by_px) {
  const double per_px = std::numbers::pi / change.region(region).canvas_px.height;
  change.orbit_by(region, {by_px.x * per_px, by_px.y * per_px, 0}, drag_glide);
}

void click(SceneChange& change, const std::string& region, const PointF& at) {
  if (change.region(region).view || change.shows_volume(region))
    change.view_whole(region, click_glide);
  else
    change.one_to_one(region, at.x, at.y, click_glide);
}

}  // namespace

ApplyCommand command_of_pointer(const scene::CanvasPointer& pointer) {
  return [pointer](SceneChange& change) {
    const std::string region = region_at(change.draft(), pointer.at_px);
    switch (pointer.kind) {
      case present::PointerKind::wheel:
        return change.zoom_about(region, pointer.at_px.x, pointer.at_px.y,
                                 std::pow(wheel_zoom, pointer.steps), wheel_glide);
      case present::PointerKind::drag:
        if (change.shows_volume(region)) return turn(change, region, pointer.by_px);
        [[fallthrough]];
      case present::PointerKind::slide:
        return change.pan_by(region, pointer.by_px.x, pointer.by_px.y, drag_glide);
      case present::PointerKind::double_click:
        return click(change, region, pointer.at_px);
    }
  };
}

bool PointerHand::holds_line(const scene::CanvasPointer& pointer, const scene::Scene& scene) {
  const auto line_px = scene::swipe_line_px(scene);
  if (!line_px) drag_began_px_.reset();
  if (pointer.kind != present::PointerKind::drag || !line_px) return false;
  // All events of a drag have the place where it began.
  if (drag_began_px_ != pointer.at_px) {
    const double reach_px =
        std::max(least_reach_px, scene.regions.front().canvas_px.width * reach_share);
    drag_began_px_ = pointer.at_px;
    line_px_.reset();
    if (std::abs(pointer.at_px.x - *line_px) <= reach_px) line_px_ = line_px;
  }
  return line_px_.has_value();
}

ApplyCommand PointerHand::command_of(const scene::CanvasPointer& pointer,
                                     const scene::Scene& scene) {
  if (!holds_line(pointer, scene)) return command_of_pointer(pointer);
  *line_px_ += pointer.by_px.x;
  return [x_px = *line_px_](SceneChange& change) { change.move_swipe_line(x_px); };
}

}  // namespace tilewall::director
