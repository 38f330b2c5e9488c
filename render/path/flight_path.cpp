#include "render/path/flight_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t steps_per_key = 256;  // of the measured way, from key to key
constexpr double most_eased = 0.8;          // share of a run in which the speed rises or falls
constexpr double along_up = 1e-6;           // sine of the least angle of sight and `up`
constexpr int time_halvings = 60;
constexpr double least_way = 1e-9;  // of a camera that moves, in distances of what it looks at

double way_between(const VolumeCamera& from, const VolumeCamera& to) {
  const Quaternion turn = product(rotation_of(frame_of(to)), inverse(rotation_of(frame_of(from))));
  const double distance = length(to.look_at - to.eye);
  return std::hypot(length(to.eye - from.eye), length(to.look_at - from.look_at),
                    distance * length(rotation_vector(turn)));
}

std::vector<VolumeCamera> cameras_of(const std::vector<FlightKey>& keys) {
  std::vector<VolumeCamera> cameras(keys.size());
  std::ranges::transform(keys, cameras.begin(), &FlightKey::camera);
  return cameras;
}

bool is_finite(Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

std::optional<FlightFault> camera_fault(const VolumeCamera& camera, std::size_t key) {
  if (!is_finite(camera.eye)) return FlightFault{key, "eye", "finite numbers", "others"};
  if (!is_finite(camera.look_at)) return FlightFault{key, "look_at", "finite numbers", "others"};
  if (!is_finite(camera.up) || !(length(camera.up) > 0))
    return FlightFault{key, "up", "a direction", "none"};
  const Vec3d sight = camera.look_at - camera.eye;
  if (!(length(sight) > 0) || !std::isfinite(length(sight)))
    return FlightFault{key, "look_at", "another place than the eye", "the same"};
  if (length(cross(normalized(sight), normalized(camera.up))) < along_up)
    return FlightFault{key, "up", "a direction across the line of sight", "one along it"};
  return std::nullopt;
}

std::optional<FlightFault> number_fault(const std::optional<double>& number, std::size_t key,
                                        const char* field) {
  if (!number || (*number >= 0 && *number <= longest_flight_s)) return std::nullopt;
  return FlightFault{key, field, fmt::format("seconds in [0, {}]", longest_flight_s),
                     fmt::format("{:g}", *number)};
}

/// Between keys that have times, what holds leave of the time.
std::optional<FlightFault> time_fault(const std::vector<FlightKey>& keys,
                                      const FlightOptions& options) {
  if (auto fault = number_fault(options.duration_s, 0, "duration_s")) {
    fault->key.reset();
    return fault;
  }
  double earliest = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const FlightKey& key = keys[i];
    if (auto fault = number_fault(key.time_s, i, "time_s")) return fault;
    if (auto fault = number_fault(key.hold_s, i, "hold_s")) return fault;
    if (i == 0 && key.time_s.value_or(0) != 0)
      return FlightFault{i, "time_s", "0 for the first key", fmt::format("{:g}", *key.time_s)};
    if (i > 0 && key.time_s && !(*key.time_s > earliest))
      return FlightFault{i, "time_s",
                         fmt::format("more than the {:g} s of the keys before it", earliest),
                         fmt::format("{:g}", *key.time_s)};
    if (key.time_s) earliest = *key.time_s;
    earliest += key.hold_s;
  }
  if (!options.duration_s) return std::nullopt;
  const bool is_whole = keys.back().time_s.has_value();
  if (is_whole ? *options.duration_s < earliest : *options.duration_s <= earliest)
    return FlightFault{std::nullopt, "duration_s",
                       fmt::format("more than the {:g} s of the keys", earliest),
                       fmt::format("{:g}", *options.duration_s)};
  return std::nullopt;
}

}  // namespace

std::optional<FlightFault> fault_of(const std::vector<FlightKey>& keys,
                                    const FlightOptions& options) {
  if (keys.size() < 2 || keys.size() > most_flight_keys)
    return FlightFault{std::nullopt, "key", fmt::format("2 to {} keys", most_flight_keys),
                       fmt::format("{}", keys.size())};
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (auto fault = camera_fault(keys[i].camera, i)) return fault;
  if (auto fault = time_fault(keys, options)) return fault;
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i].camera == keys[i - 1].camera && !keys[i].time_s)
      return FlightFault{i, "time_s", "a time, as its camera is that of the key before it", "none"};
  return std::nullopt;
}

FlightPath::FlightPath(std::vector<FlightKey> keys, const FlightOptions& options)
    : keys_(std::move(keys)), curve_(cameras_of(keys_)) {
  measure();
  set_times(options);
}

void FlightPath::measure() {
  way_ = {0};
  for (std::size_t key = 0; key + 1 < keys_.size(); ++key) {
    VolumeCamera before = keys_[key].camera;
    const double size = tilewall::length(before.look_at - before.eye);
    const double began = way_.back();
    for (std::size_t i = 1; i <= steps_per_key; ++i) {
      const double share = static_cast<double>(i) / steps_per_key;
      const VolumeCamera here = curve_.at(static_cast<double>(key) + share);
      way_.push_back(way_.back() + way_between(before, here));
      before = here;
    }
    if (way_.back() - began > least_way * size || curve_.rests(key)) continue;
    // The angle of view alone changes, which it does evenly along the curve.
    for (std::size_t i = 1; i <= steps_per_key; ++i)
      way_[way_.size() - 1 - steps_per_key + i] =
          began + size * static_cast<double>(i) / steps_per_key;
  }
}

double FlightPath::way_of(std::size_t key) const { return way_[key * steps_per_key]; }

void FlightPath::set_times(const FlightOptions& options) {
  const std::size_t last = keys_.size() - 1;
  const auto is_stop = [&](std::size_t i) {
    return i == 0 || i == last || keys_[i].hold_s > 0 || keys_[i].stops || curve_.rests(i - 1) ||
           curve_.rests(i);
  };
  arrivals_.assign(keys_.size(), 0);
  departures_.assign(keys_.size(), keys_[0].hold_s);
  std::optional<double> end_s = keys_[last].time_s;
  if (!end_s && options.duration_s) end_s = *options.duration_s - keys_[last].hold_s;
  // Stops without a time share that between those that have one, as long as their ways.
  for (std::size_t known = 0; known < last;) {
    std::size_t next = known + 1;
    while (next < last && !keys_[next].time_s) ++next;
    double holds_s = 0;
    for (std::size_t i = known + 1; i < next; ++i) holds_s += keys_[i].hold_s;
    const double begin_s = departures_[known];
    const std::optional<double> given_s = next == last ? end_s : keys_[next].time_s;
    const double flown_s =
        given_s ? *given_s - begin_s - holds_s : usual_leg_s * static_cast<double>(next - known);
    const double flown = way_of(next) - way_of(known);
    const double per_way = flown > 0 ? flown_s / flown : 0;
    for (std::size_t i = known + 1; i <= next; ++i) {
      arrivals_[i] = departures_[i - 1] + per_way * (way_of(i) - way_of(i - 1));
      if (i == next) arrivals_[i] = begin_s + flown_s + holds_s;
      departures_[i] = arrivals_[i] + keys_[i].hold_s;
    }
    known = next;
  }
  if (options.duration_s) departures_[last] = std::max(departures_[last], *options.duration_s);
  for (std::size_t first = 0; first < last;) {
    std::size_t stop = first + 1;
    while (!is_stop(stop)) ++stop;
    add_run(first, stop, options.ease_s);
    first = stop;
  }
}

void FlightPath::add_run(std::size_t first, std::size_t last, double ease_s) {
  Run run{first, last, departures_[first], arrivals_[last], 0, 0, std::nullopt};
  const double flown_s = run.end_s - run.begin_s;
  run.rise_s = run.fall_s = std::min(ease_s, most_eased * flown_s / 2);
  std::vector<double> times = {run.begin_s};
  std::vector<double> ways = {way_of(first)};
  for (std::size_t i = first + 1; i < last; ++i)
    if (keys_[i].time_s) {
      times.push_back(*keys_[i].time_s);
      ways.push_back(way_of(i));
    }
  if (times.size() > 1) {
    times.push_back(run.end_s);
    ways.push_back(way_of(last));
    run.timed.emplace(std::move(times), std::move(ways));
    if (ease_s > 0) {
      run.timed->flatten(0);
      run.timed->flatten(run.timed->places().size() - 1);
    }
  }
  runs_.push_back(run);
  time_keys_of(runs_.back());
}

/// The keys that the camera flies past are reached when the way has led there.
void FlightPath::time_keys_of(const Run& run) {
  for (std::size_t i = run.first + 1; i < run.last; ++i) {
    double before = run.begin_s;
    double after = run.end_s;
    for (int n = 0; n < time_halvings; ++n) {
      const double middle = (before + after) / 2;
      (way_at(run, middle) < way_of(i) ? before : after) = middle;
    }
    arrivals_[i] = departures_[i] = keys_[i].time_s.value_or(after);
  }
}

double FlightPath::way_at(const Run& run, double time_s) const {
  if (run.timed) return run.timed->at(time_s);
  const double begin = way_of(run.first);
  const double end = way_of(run.last);
  const double flown_s = run.end_s - run.begin_s;
  const double after_s = std::clamp(time_s - run.begin_s, 0.0, flown_s);
  const double speed = (end - begin) / (flown_s - (run.rise_s + run.fall_s) / 2);
  // While the speed rises it is 3 x^2 - 2 x^3 of the even speed, x from 0 to 1.
  const auto eased = [speed](double into_s, double ease_s) {
    const double x = into_s / ease_s;
    return speed * ease_s * (x * x * x - x * x * x * x / 2);
  };
  if (after_s < run.rise_s) return begin + eased(after_s, run.rise_s);
  if (const double left_s = flown_s - after_s; left_s < run.fall_s)
    return end - eased(left_s, run.fall_s);
  return begin + speed * (after_s - run.rise_s / 2);
}

/// The curve's parameter at a place on the way.
double FlightPath::curve_at(double way) const {
  if (way <= 0) return 0;
  if (way >= way_.back()) return static_cast<double>(keys_.size() - 1);
  const auto next = std::ranges::upper_bound(way_, way);
  const auto i = static_cast<std::size_t>(next - way_.begin()) - 1;
  const double share = (way - way_[i]) / (way_[i + 1] - way_[i]);
  return (static_cast<double>(i) + share) / steps_per_key;
}

FlightPlace FlightPath::place_at(double time_s) const {
  const std::size_t last = keys_.size() - 1;
  if (!(time_s >= departures_.front())) return {0, 0};
  if (time_s >= arrivals_[last]) return {last, 0};
  const auto next = std::ranges::upper_bound(departures_, time_s);
  const auto key = static_cast<std::size_t>(next - departures_.begin()) - 1;
  if (time_s >= arrivals_[key + 1]) return {key + 1, 0};
  if (curve_.rests(key))
    return {key, (time_s - departures_[key]) / (arrivals_[key + 1] - departures_[key])};
  const auto run = std::ranges::find_if(
      runs_, [&](const Run& one) { return one.first <= key && key < one.last; });
  TW_CHECK(run != runs_.end());
  const double share = curve_at(way_at(*run, time_s)) - static_cast<double>(key);
  return {key, std::clamp(share, 0.0, 1.0)};
}

VolumeCamera FlightPath::camera_at(double time_s) const {
  const FlightPlace place = place_at(time_s);
  return curve_.at(static_cast<double>(place.key) + place.share);
}

}  // namespace tilewall::render
