#include "player/path/unseen_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "render/volume/rotation.hpp"

namespace tilewall::path {
namespace {

using render::FlightPath;
using render::VolumeCamera;
using Polygon = std::vector<Vec3d>;

constexpr int most_looks = 20'000;
constexpr double looks_per_s = 60;
constexpr std::size_t most_named = 5;

/// The places p with dot(normal, p) > offset.
struct HalfSpace {
  Vec3d normal;
  double offset = 0;
};

/// The half spaces whose common part is all that the camera's rays meet.
std::vector<HalfSpace> seen_space(const VolumeCamera& camera, const ShownPicture& picture) {
  const render::CameraFrame frame = render::frame_of(camera);
  std::vector<HalfSpace> space = {{frame.ahead, dot(frame.ahead, camera.eye)}};
  const bool is_parallel = camera.lens == render::Lens::orthographic;
  const RectF& shown = is_parallel ? picture.whole : *picture.seen;
  const double unit = is_parallel ? camera.view_height : 2 * std::tan(camera.fov_rad / 2);
  // A place at `right` units from the middle is inside where right > edge: with parallel rays as it
  // is, and else in each distance ahead, as the edge moves with it.
  const auto add = [&](Vec3d axis, double edge) {
    const Vec3d normal = is_parallel ? axis : axis - edge * unit * frame.ahead;
    space.push_back({normal, dot(normal, camera.eye) + (is_parallel ? edge * unit : 0)});
  };
  const Vec3d down = -1.0 * frame.up;
  add(frame.right, shown.x);
  add(-1.0 * frame.right, -shown.right());
  add(down, shown.y);
  add(frame.up, -shown.bottom());
  return space;
}

/// The part of a convex polygon that lies in the half space.
Polygon clipped(const Polygon& polygon, const HalfSpace& space) {
  Polygon part;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3d from = polygon[i];
    const Vec3d to = polygon[(i + 1) % polygon.size()];
    const double before = dot(space.normal, from) - space.offset;
    const double behind = dot(space.normal, to) - space.offset;
    if (before > 0) part.push_back(from);
    if ((before > 0) != (behind > 0))
      part.push_back(from + before / (before - behind) * (to - from));
  }
  return part;
}

/// One of the six sides of a box.
Polygon side_of(const render::WorldBox& box, std::size_t axis, double sign) {
  const Vec3d middle = box.centre + sign * box.half[axis];
  const Vec3d across = box.half[(axis + 1) % 3];
  const Vec3d along = box.half[(axis + 2) % 3];
  return {middle - across - along, middle + across - along, middle + across + along,
          middle - across + along};
}

std::string text_of(const UnseenStretch& stretch) {
  return stretch.from_s < stretch.to_s
             ? fmt::format("from {:.2f} to {:.2f} s", stretch.from_s, stretch.to_s)
             : fmt::format("at {:.2f} s", stretch.from_s);
}

/// The first words in a row, and how many more there are.
std::string list_of(std::vector<std::string> words) {
  const std::size_t left_out = words.size() - std::min(words.size(), most_named);
  words.resize(words.size() - left_out);
  const std::string list = fmt::format("{}", fmt::join(words, ", "));
  return left_out == 0 ? list : fmt::format("{} and {} more", list, left_out);
}

}  // namespace

ShownPicture flat_picture(double aspect) {
  const RectF whole{-aspect / 2, -0.5, aspect, 1};
  return {whole, whole};
}

bool is_in_picture(const render::WorldBox& box, const VolumeCamera& camera,
                   const ShownPicture& picture) {
  if (camera.lens == render::Lens::perspective && !picture.seen) return true;
  const std::vector<HalfSpace> space = seen_space(camera, picture);
  // What is seen reaches to infinity, so it lies in a box nowhere without meeting one of its sides.
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      Polygon side = side_of(box, axis, sign);
      for (const HalfSpace& one : space) side = clipped(side, one);
      if (!side.empty()) return true;
    }
  return false;
}

std::vector<UnseenStretch> unseen_stretches(const FlightPath& flight, const render::WorldBox& box,
                                            const ShownPicture& picture) {
  const int looks = static_cast<int>(
      std::clamp(std::ceil(flight.duration_s() * looks_per_s), 1.0, double{most_looks}));
  std::vector<UnseenStretch> stretches;
  bool was_seen = true;
  for (int i = 0; i <= looks; ++i) {
    const double at_s = flight.duration_s() * i / looks;
    const bool is_seen = is_in_picture(box, flight.camera_at(at_s), picture);
    if (!is_seen && was_seen) stretches.push_back({at_s, at_s});
    if (!is_seen) stretches.back().to_s = at_s;
    was_seen = is_seen;
  }
  return stretches;
}

std::string unseen_remark(const FlightPath& flight, const std::string& file,
                          const render::WorldBox& box, const ShownPicture& picture) {
  const std::vector<UnseenStretch> stretches = unseen_stretches(flight, box, picture);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < flight.keys().size(); ++i)
    if (!is_in_picture(box, flight.keys()[i].camera, picture))
      keys.push_back(fmt::format("key[{}]", i));
  if (stretches.empty() && keys.empty()) return "";
  std::vector<std::string> places = keys;
  if (keys.empty())
    for (const UnseenStretch& stretch : stretches) {
      const std::size_t key = flight.place_at(stretch.from_s).key;
      std::string place = fmt::format("key[{}] to key[{}]", key, key + 1);
      if (places.empty() || places.back() != place) places.push_back(std::move(place));
    }
  std::vector<std::string> times;
  times.reserve(stretches.size());
  for (const UnseenStretch& stretch : stretches) times.push_back(text_of(stretch));
  return fmt::format("{}: {}: no part of the volume is in the picture{}", file,
                     list_of(std::move(places)),
                     times.empty() ? "" : " (" + list_of(std::move(times)) + ")");
}

}  // namespace tilewall::path
