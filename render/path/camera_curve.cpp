#include "render/path/camera_curve.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

// A turn's speed at a knot is at most this times that of the slower neighbour. The curve between
// two knots then turns less than twice as fast as its mean.
constexpr double most_turning = 1.5;

double distance_of(const VolumeCamera& camera) { return length(camera.look_at - camera.eye); }

/// How far apart two cameras are, in world units: eye and target move, and the view turns and
/// narrows.
double distance_between(const VolumeCamera& from, const VolumeCamera& to) {
  const double size = std::sqrt(distance_of(from) * distance_of(to));
  const Quaternion turn = product(rotation_of(frame_of(to)), inverse(rotation_of(frame_of(from))));
  const double zoom = std::abs(std::log(to.fov_rad / from.fov_rad)) +
                      std::abs(std::log(to.view_height / from.view_height));
  return length(to.eye - from.eye) + length(to.look_at - from.look_at) +
         size * (length(rotation_vector(turn)) + zoom);
}

/// Knots whose distances are the roots of those of the cameras, which is what makes a Catmull-Rom
/// spline centripetal.
std::vector<double> knots_of(const std::vector<VolumeCamera>& cameras) {
  std::vector<double> knots = {0};
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    const double step = std::sqrt(distance_between(cameras[i - 1], cameras[i]));
    knots.push_back(knots.back() + (step > 0 ? step : 1));
  }
  return knots;
}

/// Slopes at all knots from those between them: within, weighted by the lengths (Catmull-Rom); at
/// the ends, without curvature.
template <typename T>
std::vector<T> slopes_at(const std::vector<double>& knots, const std::vector<T>& between) {
  const std::size_t last = between.size();
  std::vector<T> slopes(last + 1);
  for (std::size_t i = 1; i < last; ++i) {
    const double before = knots[i] - knots[i - 1];
    const double after = knots[i + 1] - knots[i];
    slopes[i] =
        (after / (before + after)) * between[i - 1] + (before / (before + after)) * between[i];
  }
  slopes[0] = last == 1 ? between[0] : 1.5 * between[0] + -0.5 * slopes[1];
  slopes[last] = last == 1 ? between[0] : 1.5 * between[last - 1] + -0.5 * slopes[last - 1];
  return slopes;
}

/// Cubic Hermite interpolation over an interval of the length `step`.
template <typename T>
T hermite(const T& from, const T& from_slope, const T& to, const T& to_slope, double step,
          double share) {
  const double s = share;
  const double rest = 1 - s;
  return (rest * rest * (1 + 2 * s)) * from + (s * rest * rest * step) * from_slope +
         (s * s * (3 - 2 * s)) * to + (-s * s * rest * step) * to_slope;
}

template <typename Value>
MonotoneCurve curve_of(const std::vector<double>& knots, const std::vector<VolumeCamera>& cameras,
                       const Value& value) {
  std::vector<double> values(cameras.size());
  std::ranges::transform(cameras, values.begin(), value);
  return {knots, std::move(values)};
}

}  // namespace

MonotoneCurve::MonotoneCurve(std::vector<double> places, std::vector<double> values)
    : places_(std::move(places)), values_(std::move(values)) {
  TW_CHECK(places_.size() == values_.size() && places_.size() >= 2);
  std::vector<double> between;
  for (std::size_t i = 1; i < places_.size(); ++i)
    between.push_back((values_[i] - values_[i - 1]) / (places_[i] - places_[i - 1]));
  slopes_ = slopes_at(places_, between);
  // Within three times the slopes on both sides, and 0 where these point apart, no cubic
  // overshoots.
  for (std::size_t i = 0; i < slopes_.size(); ++i) {
    const double before = between[i == 0 ? 0 : i - 1];
    const double after = between[std::min(i, between.size() - 1)];
    if (before * after <= 0)
      slopes_[i] = 0;
    else
      slopes_[i] = std::copysign(
          std::min(std::abs(slopes_[i]), 3 * std::min(std::abs(before), std::abs(after))), before);
  }
}

double MonotoneCurve::at(double place) const {
  if (place <= places_.front()) return values_.front();
  if (place >= places_.back()) return values_.back();
  const auto next = std::ranges::upper_bound(places_, place);
  const auto i = static_cast<std::size_t>(next - places_.begin()) - 1;
  const double step = places_[i + 1] - places_[i];
  return hermite(values_[i], slopes_[i], values_[i + 1], slopes_[i + 1], step,
                 (place - places_[i]) / step);
}

CameraCurve::CameraCurve(std::vector<VolumeCamera> cameras)
    : cameras_(std::move(cameras)), knots_(knots_of(cameras_)) {
  TW_CHECK(cameras_.size() >= 2);
  std::vector<Vec3d> target_steps;
  std::vector<Vec3d> turns;
  for (const VolumeCamera& camera : cameras_) rotations_.push_back(rotation_of(frame_of(camera)));
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    const double per_step = 1 / (knots_[i + 1] - knots_[i]);
    target_steps.push_back(per_step * (cameras_[i + 1].look_at - cameras_[i].look_at));
    turns.push_back(per_step * rotation_vector(product(rotations_[i + 1], inverse(rotations_[i]))));
  }
  target_slopes_ = slopes_at(knots_, target_steps);
  turning_ = slopes_at(knots_, turns);
  for (std::size_t i = 0; i < size(); ++i) {
    const double slower =
        std::min(length(turns[i == 0 ? 0 : i - 1]), length(turns[std::min(i, turns.size() - 1)]));
    if (const double speed = length(turning_[i]); speed > most_turning * slower)
      turning_[i] = (most_turning * slower / speed) * turning_[i];
  }
  log_distance_ =
      curve_of(knots_, cameras_, [](const auto& c) { return std::log(distance_of(c)); });
  log_fov_ = curve_of(knots_, cameras_, [](const auto& c) { return std::log(c.fov_rad); });
  log_height_ = curve_of(knots_, cameras_, [](const auto& c) { return std::log(c.view_height); });
  offset_x_ = curve_of(knots_, cameras_, [](const auto& c) { return c.centre_offset_px.x; });
  offset_y_ = curve_of(knots_, cameras_, [](const auto& c) { return c.centre_offset_px.y; });
}

Vec3d CameraCurve::target_at(std::size_t i, double share) const {
  return hermite(cameras_[i].look_at, target_slopes_[i], cameras_[i + 1].look_at,
                 target_slopes_[i + 1], knots_[i + 1] - knots_[i], share);
}

/// A cubic Bezier curve of rotations: points between points. The shorter way is chosen once, for
/// the whole of it: a choice for each point could change on the way.
Quaternion CameraCurve::rotation_at(std::size_t i, double share) const {
  const double third = (knots_[i + 1] - knots_[i]) / 3;
  const Quaternion& a = rotations_[i];
  const Quaternion d = nearer(a, rotations_[i + 1]);
  const Quaternion b = product(rotation_about(third * turning_[i]), a);
  const Quaternion c = product(rotation_about(-third * turning_[i + 1]), d);
  const Quaternion ab = slerp_as_given(a, b, share);
  const Quaternion bc = slerp_as_given(b, c, share);
  const Quaternion cd = slerp_as_given(c, d, share);
  return slerp_as_given(slerp_as_given(ab, bc, share), slerp_as_given(bc, cd, share), share);
}

VolumeCamera CameraCurve::at(double u) const {
  const double whole = std::floor(std::clamp(u, 0.0, static_cast<double>(size() - 1)));
  const auto i = static_cast<std::size_t>(whole);
  const double share = u - whole;
  if (share <= 0 || i + 1 == size()) return cameras_[i];
  if (rests(i)) return cameras_[i];
  const double knot = knots_[i] + share * (knots_[i + 1] - knots_[i]);
  const CameraFrame frame = frame_of(rotation_at(i, share));
  VolumeCamera camera = cameras_[i + 1];
  camera.look_at = target_at(i, share);
  camera.eye = camera.look_at - std::exp(log_distance_.at(knot)) * frame.ahead;
  camera.up = frame.up;
  camera.fov_rad = std::exp(log_fov_.at(knot));
  camera.view_height = std::exp(log_height_.at(knot));
  camera.centre_offset_px = {offset_x_.at(knot), offset_y_.at(knot)};
  return camera;
}

}  // namespace tilewall::render
