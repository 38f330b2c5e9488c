// Which parts of a flight have no part of a volume in the picture. The cases are worked out by
// hand.

#include "player/path/unseen_volume.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "player/path/path_report.hpp"

using namespace tilewall;
using namespace tilewall::path;
using render::Lens;
using render::VolumeCamera;

namespace {

const render::WorldBox box;  // from -1 to 1

/// It looks along y, with z up, and sees 45 degrees up and down: as far as what it looks at is
/// away.
VolumeCamera camera_at(Vec3d eye) {
  VolumeCamera camera;
  camera.eye = eye;
  camera.look_at = eye + Vec3d{0, 1, 0};
  camera.up = {0, 0, 1};
  camera.fov_rad = std::numbers::pi / 2;
  return camera;
}

PathFile path_of(const std::vector<VolumeCamera>& cameras) {
  PathFile path;
  path.options.duration_s = static_cast<double>(cameras.size() - 1);
  path.options.ease_s = 0;
  for (const VolumeCamera& camera : cameras) {
    PathKey key;
    key.flight.camera = camera;
    key.flight.time_s = static_cast<double>(path.keys.size());
    path.keys.push_back(key);
  }
  return path;
}

}  // namespace

TEST_CASE("a volume is in the picture where rays of it meet the volume's box", "[path]") {
  const auto sees = [](const VolumeCamera& camera, double aspect = 1) {
    return is_in_picture(box, camera, flat_picture(aspect));
  };
  // The box's far side is 11 away, so 11 above and below the eye is in the picture there.
  CHECK(sees(camera_at({0, -10, 11.9})));
  CHECK_FALSE(sees(camera_at({0, -10, 12.1})));
  CHECK(sees(camera_at({0, -10, -11.9})));
  CHECK_FALSE(sees(camera_at({0, -10, -12.1})));
  // A picture three times as wide sees 33 to each side.
  CHECK_FALSE(sees(camera_at({12.1, -10, 0})));
  CHECK(sees(camera_at({33.9, -10, 0}), 3));
  CHECK(sees(camera_at({-33.9, -10, 0}), 3));
  CHECK_FALSE(sees(camera_at({34.1, -10, 0}), 3));
  CHECK_FALSE(sees(camera_at({-34.1, -10, 0}), 3));
  // Behind the eye, within the box, and with only an edge or a part of one side in the picture.
  CHECK_FALSE(sees(camera_at({0, 1.01, 0})));
  CHECK(sees(camera_at({0, 0.99, 0})));
  VolumeCamera narrow = camera_at({0, -10, 0});
  narrow.fov_rad = 0.001;
  CHECK(sees(narrow));
  // Turned by 45 degrees about the line of sight, the picture's corners reach the farthest.
  VolumeCamera turned = camera_at({0, -10, 15});
  CHECK_FALSE(sees(turned));
  turned.up = {1, 0, 1};
  CHECK(sees(turned));  // its lower corner is 15.6 below
  turned.eye.z = turned.look_at.z = 16.7;
  CHECK_FALSE(sees(turned));
}

TEST_CASE("each corner of a box may be the one that is in the picture", "[path]") {
  // Seen from the corner's side, the picture's corner comes to within 0.1 of it, or not.
  for (const double x : {-1.0, 1.0})
    for (const double z : {-1.0, 1.0}) {
      CAPTURE(x, z);
      CHECK(is_in_picture(box, camera_at({x * 11.9, -10, z * 11.9}), flat_picture(1)));
      CHECK_FALSE(is_in_picture(box, camera_at({x * 11.9, -10, z * 12.1}), flat_picture(1)));
    }
}

TEST_CASE("a box may be a sheet, or lie across the axes", "[path]") {
  render::WorldBox sheet;
  sheet.half[1] = {0, 0, 0};
  CHECK(is_in_picture(sheet, camera_at({0, -10, 10.9}), flat_picture(1)));
  CHECK_FALSE(is_in_picture(sheet, camera_at({0, -10, 11.1}), flat_picture(1)));
  // Its sides rise by 45 degrees, up to z = 2 at y = 0, as the picture's lower edge falls.
  render::WorldBox diamond;
  diamond.half[1] = {0, 1, 1};
  diamond.half[2] = {0, -1, 1};
  CHECK(is_in_picture(diamond, camera_at({0, -10, 11.9}), flat_picture(1)));
  CHECK_FALSE(is_in_picture(diamond, camera_at({0, -10, 12.1}), flat_picture(1)));
}

TEST_CASE("parallel rays see as much in each distance", "[path]") {
  VolumeCamera camera = camera_at({0, -10, 0});
  camera.lens = Lens::orthographic;
  camera.view_height = 6;
  const auto sees = [&](Vec3d eye) {
    camera.eye = eye;
    camera.look_at = eye + Vec3d{0, 1, 0};
    return is_in_picture(box, camera, flat_picture(2));
  };
  CHECK(sees({0, -10, 3.9}));
  CHECK_FALSE(sees({0, -10, 4.1}));
  CHECK(sees({0, -1000, -3.9}));
  CHECK_FALSE(sees({0, -1000, -4.1}));
  CHECK(sees({6.9, -10, 0}));
  CHECK_FALSE(sees({7.1, -10, 0}));
  CHECK(sees({0, 0.9, 0}));
  CHECK_FALSE(sees({0, 1.1, 0}));  // behind the eye nothing is drawn
}

TEST_CASE("screens that stand around the eye see more than the flat picture", "[path]") {
  ShownPicture picture = flat_picture(1);
  const VolumeCamera beside = camera_at({30, -10, 0});
  CHECK_FALSE(is_in_picture(box, beside, picture));
  picture.seen = RectF{-1.5, -0.5, 3, 1};
  CHECK(is_in_picture(box, beside, picture));
  picture.seen = RectF{0, -0.5, 1.5, 1};  // only to the right of the middle
  CHECK_FALSE(is_in_picture(box, beside, picture));
  VolumeCamera parallel = beside;
  parallel.lens = Lens::orthographic;
  picture.seen.reset();  // all around
  CHECK(is_in_picture(box, beside, picture));
  CHECK_FALSE(is_in_picture(box, parallel, picture));  // a flat picture along the screens
}

TEST_CASE("a flight's keys and times without the volume are named in a line", "[path]") {
  const auto remark = [](const PathFile& path) {
    return unseen_remark(flight_of(path, "a.toml"), "a.toml", box, flat_picture(1));
  };
  // The eye goes up evenly by 25 in a second. From 12 on the box is out of the picture.
  const VolumeCamera low = camera_at({0, -10, 0});
  const VolumeCamera high = camera_at({0, -10, 25});
  CHECK(remark(path_of({low, camera_at({0, -10, 11})})).empty());
  CHECK(remark(path_of({low, high})) ==
        "a.toml: key[1]: no part of the volume is in the picture (from 0.48 to 1.00 s)");
  CHECK(remark(path_of({high, low})) ==
        "a.toml: key[0]: no part of the volume is in the picture (from 0.00 to 0.52 s)");
  // Many keys are counted.
  std::vector<VolumeCamera> cameras(7, high);
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    cameras[i].eye.z += static_cast<double>(i);
    cameras[i].look_at.z += static_cast<double>(i);
  }
  CHECK(remark(path_of(cameras)) ==
        "a.toml: key[0], key[1], key[2], key[3], key[4] and 2 more: no part of the volume is in "
        "the picture (from 0.00 to 6.00 s)");
}

TEST_CASE("a stretch between keys that see the volume is named by these", "[path]") {
  PathFile path =
      path_of({camera_at({0, -10, 0}), camera_at({0, -10, 25}), camera_at({0, -10, 0})});
  path.keys[1].flight.stops = true;
  const render::FlightPath flight = flight_of(path, "a");
  const auto stretches = unseen_stretches(flight, box, flat_picture(1));
  REQUIRE(stretches.size() == 1);
  CHECK(stretches[0].from_s == Approx(0.48).margin(0.02));
  CHECK(stretches[0].to_s == Approx(1.52).margin(0.02));
  const auto report = path_report(path, flight, box, flat_picture(1));
  CHECK(report.at("unseen_s")[0] ==
        nlohmann::ordered_json::array({stretches[0].from_s, stretches[0].to_s}));
  CHECK(report.at("keys")[0].at("looks_away") == false);
  CHECK(report.at("keys")[1].at("looks_away") == true);
  CHECK(path_report_text(report).find(
            "key 2: eye 0, -10, 25, no part of the volume in the picture") != std::string::npos);

  // Past the box, 20 away, with a narrow picture's middle on the box at both ends. A quarter of the
  // way along, the camera has turned by 32 degrees, and the box by 18: it comes back half way.
  const auto passing = [](double x) {
    VolumeCamera camera = camera_at({x, 20, 0});
    camera.look_at = camera.eye + 0.02 * Vec3d{-x, -20, 0};
    camera.fov_rad = 0.1;
    return camera;
  };
  const render::FlightPath past = flight_of(path_of({passing(-40), passing(40)}), "a");
  const auto between = unseen_stretches(past, box, flat_picture(1));
  REQUIRE(between.size() == 2);
  CHECK(between[0].from_s > 0);
  CHECK(between[0].to_s < 0.5);
  CHECK(between[1].from_s > 0.5);
  CHECK(between[1].to_s < 1);
  const std::string line = unseen_remark(past, "a.toml", box, flat_picture(1));
  CHECK(line.starts_with(
      "a.toml: key[0] to key[1]: no part of the volume is in the picture (from 0."));
  CHECK(line.find(", from 0.") != std::string::npos);
}
