// Flights past key cameras: that keys are met, and how the camera moves between them.

#include "render/path/flight_path.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

using namespace tilewall;
using namespace tilewall::render;

namespace {

constexpr double frames_per_s = 60;

VolumeCamera camera_of(Vec3d eye, Vec3d look_at = {}) {
  VolumeCamera camera;
  camera.eye = eye;
  camera.look_at = look_at;
  camera.up = {0, 0, 1};
  return camera;
}

std::vector<FlightKey> keys_at(const std::vector<Vec3d>& eyes) {
  std::vector<FlightKey> keys;
  for (const Vec3d eye : eyes) keys.push_back({camera_of(eye)});
  return keys;
}

/// Keys around the origin, each seen from within 60 degrees of the one before.
std::vector<FlightKey> random_keys(std::mt19937& random, std::size_t count) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<FlightKey> keys;
  double azimuth = 3 * unit(random);
  for (std::size_t i = 0; i < count; ++i) {
    azimuth += unit(random);
    const double elevation = 1.2 * unit(random);
    const double distance = 4 * std::exp(unit(random));
    const Vec3d target{0.5 * unit(random), 0.5 * unit(random), 0.5 * unit(random)};
    VolumeCamera camera = camera_of(
        target + distance * Vec3d{std::cos(elevation) * std::cos(azimuth),
                                  std::cos(elevation) * std::sin(azimuth), std::sin(elevation)},
        target);
    camera.fov_rad = 0.5 * std::exp(0.5 * unit(random));
    keys.push_back({camera});
  }
  return keys;
}

double turned_rad(const VolumeCamera& a, const VolumeCamera& b) {
  return length(
      rotation_vector(product(rotation_of(frame_of(b)), inverse(rotation_of(frame_of(a))))));
}

double moved(const VolumeCamera& a, const VolumeCamera& b) {
  return std::hypot(length(b.eye - a.eye), length(b.look_at - a.look_at),
                    length(b.eye - b.look_at) * turned_rad(a, b));
}

}  // namespace

TEST_CASE("a flight meets every key, and begins and ends with them", "[path]") {
  std::mt19937 random(7);
  for (int n = 0; n < 20; ++n) {
    const FlightPath path(random_keys(random, 6), {});
    REQUIRE(path.duration_s() == Approx(5 * usual_leg_s));
    for (std::size_t i = 0; i < 6; ++i) {
      const VolumeCamera here = path.camera_at(path.arrival_s(i));
      CHECK(moved(here, path.keys()[i].camera) < 1e-6);
      CHECK(turned_rad(here, path.keys()[i].camera) < 1e-6);
      CHECK(here.fov_rad == Approx(path.keys()[i].camera.fov_rad));
    }
    CHECK(path.camera_at(-1) == path.keys().front().camera);
    CHECK(path.camera_at(0) == path.keys().front().camera);
    CHECK(path.camera_at(path.duration_s()) == path.keys().back().camera);
    CHECK(path.camera_at(1e9) == path.keys().back().camera);
  }
}

TEST_CASE("between stops the camera goes at an even speed", "[path]") {
  std::mt19937 random(8);
  for (int n = 0; n < 20; ++n) {
    const FlightPath path(random_keys(random, 5), {20.0, 1.0});
    const double mean = path.length() / 19;  // of 20 s, in half of which two it is as fast
    for (int frame = 61; frame < 19 * 60 - 1; ++frame) {
      double way = 0;  // in eight steps, as it may bend
      for (int step = 0; step < 8; ++step)
        way += moved(path.camera_at((frame + step / 8.0) / frames_per_s),
                     path.camera_at((frame + (step + 1) / 8.0) / frames_per_s));
      REQUIRE(frames_per_s * way == Approx(mean).epsilon(0.05));
    }
  }
}

TEST_CASE("no frame jumps: up never flips, and a view turns no faster than a circling eye",
          "[path]") {
  std::mt19937 random(9);
  for (int n = 0; n < 20; ++n) {
    const FlightPath path(random_keys(random, 6), {10.0, 1.0});
    const double speed = path.length() / 9;
    VolumeCamera before = path.camera_at(0);
    for (double t = 0.01; t < 10; t += 0.01) {
      const VolumeCamera here = path.camera_at(t);
      REQUIRE(std::isfinite(here.eye.x));
      REQUIRE(dot(frame_of(here).up, frame_of(before).up) > 0.9);
      REQUIRE(turned_rad(before, here) < 1.05 * 0.01 * speed / length(here.eye - here.look_at));
      before = here;
    }
  }
}

TEST_CASE("the eye comes no nearer to what it looks at than at the keys around", "[path]") {
  std::mt19937 random(10);
  for (int n = 0; n < 20; ++n) {
    const FlightPath path(random_keys(random, 6), {});
    for (double t = 0; t < path.duration_s(); t += 0.02) {
      const FlightPlace place = path.place_at(t);
      if (place.share <= 0) continue;
      const auto distance = [](const VolumeCamera& c) { return length(c.eye - c.look_at); };
      const double a = distance(path.keys()[place.key].camera);
      const double b = distance(path.keys()[place.key + 1].camera);
      const double here = distance(path.camera_at(t));
      REQUIRE(here > std::min(a, b) * (1 - 1e-9));
      REQUIRE(here < std::max(a, b) * (1 + 1e-9));
    }
  }
}

TEST_CASE("around a pole the camera turns the short way", "[path]") {
  // From 80 degrees high on one side over the pole to 80 degrees on the other, `up` along the way.
  const double high = 80 * std::acos(-1.0) / 180;
  std::vector<FlightKey> keys =
      keys_at({{std::cos(high), 0, std::sin(high)}, {-std::cos(high), 0, std::sin(high)}});
  keys[0].camera.up = keys[1].camera.up = {-1, 0, 0};
  const FlightPath path(keys, {2.0, 0.0});
  const VolumeCamera middle = path.camera_at(1);
  CHECK(middle.eye.z == Approx(1).margin(1e-9));
  CHECK(middle.up.x == Approx(-1).margin(1e-9));
}

TEST_CASE("all around, the camera turns on from key to key", "[path]") {
  // Two turns in steps of 45 degrees, seen from above and from below.
  for (const double height : {2.0, -2.0}) {
    const auto eye_at = [&](double turn) {
      const double angle = 2 * std::numbers::pi * turn;
      return Vec3d{4 * std::cos(angle), 4 * std::sin(angle), height};
    };
    std::vector<Vec3d> eyes;
    for (int i = 0; i <= 16; ++i) eyes.push_back(eye_at(i / 8.0));
    const FlightPath path(keys_at(eyes), {});
    for (int i = 0; i < 16; ++i) {
      CAPTURE(height, i);
      const double middle_s = (path.arrival_s(static_cast<std::size_t>(i)) +
                               path.arrival_s(static_cast<std::size_t>(i) + 1)) /
                              2;
      const VolumeCamera here = path.camera_at(middle_s);
      CHECK(length(here.eye - eye_at((i + 0.5) / 8)) < 0.4);
      CHECK(here.up.z > 0);
    }
  }
}

TEST_CASE("a camera rests as long as a key holds it, with soft starts and stops", "[path]") {
  std::vector<FlightKey> keys = keys_at({{4, 0, 0}, {4, 4, 0}, {4, 8, 0}});
  for (FlightKey& key : keys) key.camera.look_at = key.camera.eye - Vec3d{1, 0, 0};
  keys[1].hold_s = 2;
  const FlightPath path(keys, {10.0, 1.0});
  CHECK(path.arrival_s(1) == Approx(4));
  CHECK(path.departure_s(1) == Approx(6));
  CHECK(path.camera_at(5) == keys[1].camera);
  CHECK(path.place_at(5) == FlightPlace{1, 0});
  // 4 s for 4 units, with 1 s of ease at both ends: 4/3 units a second between.
  CHECK(path.camera_at(2).eye.y == Approx(2));
  CHECK(path.camera_at(3).eye.y - path.camera_at(2).eye.y == Approx(4.0 / 3));
  // In the first half second: 4/3 * (x^3 - x^4/2), x = 0.5.
  CHECK(path.camera_at(0.5).eye.y == Approx(4.0 / 3 * (0.125 - 0.03125)));
  CHECK(path.camera_at(4 - 0.5).eye.y == Approx(4 - 4.0 / 3 * (0.125 - 0.03125)));
}

TEST_CASE("the speed rises and falls in four fifths of a run at most", "[path]") {
  std::vector<FlightKey> keys = keys_at({{4, 0, 0}, {4, 4, 0}});
  for (FlightKey& key : keys) key.camera.look_at = key.camera.eye - Vec3d{1, 0, 0};
  const FlightPath path(keys, {10.0, 100.0});
  // Rise and fall take 4 s each: the even speed is 4 units in 10 - 4 s.
  CHECK(path.camera_at(5.5).eye.y - path.camera_at(4.5).eye.y == Approx(4.0 / 6));
  CHECK(path.camera_at(4).eye.y == Approx(4.0 / 6 * 2));
  CHECK(path.camera_at(2).eye.y == Approx(4.0 / 6 * 4 * (0.125 - 0.03125)));
  CHECK(path.camera_at(8).eye.y == Approx(4 - 4.0 / 6 * 4 * (0.125 - 0.03125)));
}

TEST_CASE("a straight flight between two cameras is straight", "[path]") {
  std::vector<FlightKey> keys = keys_at({{0, -4, 1}, {3, -4, 2}});
  for (FlightKey& key : keys) key.camera.look_at = key.camera.eye + Vec3d{0, 2, 0};
  const FlightPath path(keys, {3.0, 0.0});
  for (const double t : {0.5, 1.0, 2.25}) {
    const VolumeCamera here = path.camera_at(t);
    CHECK(here.eye.x == Approx(t));
    CHECK(here.eye.y == Approx(-4));
    CHECK(here.eye.z == Approx(1 + t / 3));
  }
  CHECK(path.length() == Approx(std::sqrt(2.0) * std::sqrt(10.0)));
}

TEST_CASE("keys with times are reached then, without a jump of the speed", "[path]") {
  std::vector<FlightKey> keys = keys_at({{8, 0, 0}, {8, 2, 0}, {8, 8, 0}, {8, 10, 0}});
  for (FlightKey& key : keys) key.camera.look_at = key.camera.eye - Vec3d{1, 0, 0};
  keys[1].time_s = 4;
  keys[2].time_s = 5;
  keys[3].time_s = 9;
  const FlightPath path(keys, {});
  CHECK(path.duration_s() == 9);
  CHECK(path.arrival_s(2) == 5);
  CHECK(path.camera_at(4).eye.y == Approx(2));
  CHECK(path.camera_at(5).eye.y == Approx(8));
  double before = 0;
  double speed_before = 0;
  for (int i = 1; i <= 900; ++i) {
    const double y = path.camera_at(i / 100.0).eye.y;
    const double speed = 100 * (y - before);
    REQUIRE(speed >= -1e-9);
    REQUIRE(std::abs(speed - speed_before) < 0.6);
    before = y;
    speed_before = speed;
  }
}

TEST_CASE("where only the view turns or narrows, it does so evenly", "[path]") {
  std::vector<FlightKey> keys = keys_at({{4, 0, 0}, {4, 0, 0}});
  keys[1].camera.up = {0, 1, 0};  // rolls by 90 degrees
  const FlightPath roll(keys, {2.0, 0.0});
  CHECK(turned_rad(keys[0].camera, roll.camera_at(0.5)) == Approx(std::acos(-1.0) / 8));
  CHECK(length(roll.camera_at(1.0).eye - Vec3d{4, 0, 0}) < 1e-9);
  keys[1].camera = keys[0].camera;
  keys[1].camera.fov_rad = 2 * keys[0].camera.fov_rad;
  const FlightPath zoom(keys, {2.0, 0.0});
  CHECK(zoom.camera_at(1.0).fov_rad == Approx(std::sqrt(2.0) * keys[0].camera.fov_rad));
}

TEST_CASE("two equal cameras are a rest in which the time is the way", "[path]") {
  std::vector<FlightKey> keys = keys_at({{4, 0, 0}, {4, 0, 0}, {0, 4, 0}});
  keys[1].time_s = 3;
  const FlightPath path(keys, {5.0, 0.0});
  CHECK(path.place_at(1.5) == FlightPlace{0, 0.5});
  CHECK(path.camera_at(1.5) == keys[0].camera);
  CHECK(path.place_at(3) == FlightPlace{1, 0});
  CHECK(length(path.camera_at(4).eye) == Approx(4));
  CHECK(path.camera_at(4).eye.x == Approx(4 * std::sqrt(0.5)));
}

TEST_CASE("faults of keys are told by key and field", "[path][bad-input]") {
  const auto told = [](const std::vector<FlightKey>& keys, const FlightOptions& options = {}) {
    const auto fault = fault_of(keys, options);
    return fault ? (fault->key ? std::to_string(*fault->key) : "-") + " " + fault->field : "";
  };
  const std::vector<FlightKey> good = keys_at({{4, 0, 0}, {0, 4, 0}, {0, 0.1, 4}});
  CHECK(told(good).empty());
  CHECK(told({}) == "- key");
  CHECK(told(keys_at({{1, 0, 0}})) == "- key");
  CHECK(told(std::vector<FlightKey>(most_flight_keys + 1, good[0])) == "- key");
  const auto changed = [&](auto change) {
    std::vector<FlightKey> keys = good;
    change(keys);
    return told(keys);
  };
  CHECK(changed([](auto& k) { k[1].camera.eye.x = NAN; }) == "1 eye");
  CHECK(changed([](auto& k) { k[1].camera.look_at.z = INFINITY; }) == "1 look_at");
  CHECK(changed([](auto& k) { k[2].camera.look_at = k[2].camera.eye; }) == "2 look_at");
  CHECK(changed([](auto& k) { k[2].camera.up = {}; }) == "2 up");
  CHECK(changed([](auto& k) { k[2].camera.up = k[2].camera.eye; }) == "2 up");
  CHECK(changed([](auto& k) { k[0].time_s = 1; }) == "0 time_s");
  CHECK(changed([](auto& k) { k[1].time_s = -1; }) == "1 time_s");
  CHECK(changed([](auto& k) { k[1].time_s = NAN; }) == "1 time_s");
  CHECK(changed([](auto& k) { k[1].hold_s = 1e9; }) == "1 hold_s");
  CHECK(changed([](auto& k) { k[1].time_s = 5, k[2].time_s = 5; }) == "2 time_s");
  CHECK(changed([](auto& k) { k[1].time_s = 5, k[1].hold_s = 2, k[2].time_s = 6; }) == "2 time_s");
  CHECK(changed([](auto& k) { k[1].camera = k[0].camera; }) == "1 time_s");
  CHECK(told(good, {0.0}) == "- duration_s");
  CHECK(told(good, {1e12}) == "- duration_s");
  CHECK(told(good, {NAN}) == "- duration_s");
  CHECK(changed([](auto& k) { k[1].hold_s = 2; }).empty());
  std::vector<FlightKey> held = good;
  held[1].hold_s = 2;
  CHECK(told(held, {2.0}) == "- duration_s");
  CHECK(told(held, {2.1}).empty());
  held[2].time_s = 5;
  CHECK(told(held, {5.0}).empty());  // the last key's own time
  CHECK(told(held, {4.9}) == "- duration_s");
  held[2].hold_s = 1;
  CHECK(told(held, {5.9}) == "- duration_s");
  CHECK(told(held, {6.0}).empty());
}
