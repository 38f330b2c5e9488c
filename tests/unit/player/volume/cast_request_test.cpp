// What a panel asks of its caster: the pixels of its part, and a camera that sees them.

#include "player/volume/cast_request.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "player/scene/volume_look.hpp"

using namespace tilewall;
using namespace tilewall::volume;

namespace {

scene::VolumeShot shot_of(render::Lens lens) {
  scene::VolumeShot shot;
  shot.camera.lens = lens;
  shot.camera.fov_rad = 0.8;
  shot.camera.view_height = 12;
  shot.style = std::make_shared<const scene::VolumeStyle>();
  return shot;
}

}  // namespace

TEST_CASE("a region on whole pixels is asked for as it is", "[volume]") {
  const scene::VolumeShot shot = shot_of(render::Lens::perspective);
  // The region has 100 x 50 canvas pixels, and twice as many of this panel; its corner lies 20
  // pixels to the left of the part and 10 above it.
  const CastMessage message = cast_request(shot, {{10, 5, 20, 10}, {0, 0, 40, 20}}, {40, 20});
  CHECK(message.width == 40);
  CHECK(message.height == 20);
  CHECK(message.x == 20);
  CHECK(message.y == 10);
  const picture::Placement whole{{0, 0, 100, 50}, {-10, -5, 100, 50}};
  const CastMessage moved = cast_request(shot, whole, {40, 20});
  CHECK(moved.x == 10);
  CHECK(moved.y == 5);
  CHECK(moved.picture_width == 100);
  CHECK(moved.picture_height == 50);
  CHECK(moved.region_width == 100);
  CHECK(moved.region_height == 50);
  CHECK(camera_of(moved) == shot.camera);
  CHECK(region_camera_of(moved) == shot.camera);
  CHECK_FALSE(tilt_of(moved));
  CHECK(moved.sees_around == 0);
}

TEST_CASE("a region between pixels keeps its scale and its middle", "[volume]") {
  // 100.4 x 50.4 pixels, whose corner lies 10.3 to the left of the part and 5.7 above it.
  const picture::Placement placement{{0, 0, 100.4, 50.4}, {-10.3, -5.7, 100.4, 50.4}};
  const scene::VolumeShot shot = shot_of(render::Lens::perspective);
  const CastMessage message = cast_request(shot, placement, {40, 20});
  CHECK(message.x == 11);
  CHECK(message.y == 6);
  CHECK(message.picture_width == 101);
  CHECK(message.picture_height == 51);
  CHECK(message.region_width == 100);
  CHECK(message.region_height == 50);
  const render::VolumeCamera camera = camera_of(message);
  // A pixel in the middle covers the same angle as one of the region's 50.4 rows.
  CHECK(std::tan(camera.fov_rad / 2) / 51 == Approx(std::tan(0.4) / 50.4));
  // The region's middle is at (50.2 - 10.3 + 11, 25.2 - 5.7 + 6) of the picture, whose own middle
  // is at (50.5, 25.5).
  CHECK(camera.centre_offset_px.x == Approx(0.4));
  CHECK(camera.centre_offset_px.y == Approx(0).margin(1e-9));
  const render::VolumeCamera parallel =
      camera_of(cast_request(shot_of(render::Lens::orthographic), placement, {40, 20}));
  CHECK(parallel.view_height / 51 == Approx(12 / 50.4));
}

TEST_CASE("a tilted screen's detail is chosen by what all screens see", "[volume]") {
  scene::VolumeShot shot = shot_of(render::Lens::perspective);
  const picture::Placement whole{{0, 0, 100, 50}, {-10, -5, 100, 50}};
  // From 7.5 to 60.25 and from 3.25 to 41.5: whole pixels from 7 to 61 and from 3 to 42.
  shot.tilt = scene::ScreenTilt{{}, RectF{7.5, 3.25, 52.75, 38.25}};
  const CastMessage message = cast_request(shot, whole, {40, 20});
  CHECK(message.sees_around == 0);
  CHECK(message.region_width == 54);
  CHECK(message.region_height == 39);
  // Their middle is (34, 22.5) of a flat picture whose middle, where the camera looks, is (50, 25).
  CHECK(region_camera_of(message).centre_offset_px.x == Approx(16));
  CHECK(region_camera_of(message).centre_offset_px.y == Approx(2.5));
  CHECK(std::tan(region_camera_of(message).fov_rad / 2) / 39 == Approx(std::tan(0.4) / 50));

  // The panel's picture is its own place in the flat one: the identity, as the screen is not
  // turned.
  const auto tilt = tilt_of(message);
  REQUIRE(tilt);
  const PointF at = tilt->to_canvas({12, 7});
  CHECK(at.x == Approx(12));
  CHECK(at.y == Approx(7));
}

TEST_CASE("screens that see more than a picture holds see all around", "[volume]") {
  scene::VolumeShot shot = shot_of(render::Lens::perspective);
  const picture::Placement whole{{0, 0, 100, 50}, {-10, -5, 100, 50}};
  shot.tilt = scene::ScreenTilt{};
  CHECK(cast_request(shot, whole, {40, 20}).sees_around == 1);
  CHECK(region_camera_of(cast_request(shot, whole, {40, 20})) == shot.camera);
  constexpr double limit = max_picture_side_px - 1;
  shot.tilt->seen_px = RectF{0, 0, limit, 10};
  CHECK(cast_request(shot, whole, {40, 20}).sees_around == 1);
  shot.tilt->seen_px = RectF{0, 0, 10, limit};
  CHECK(cast_request(shot, whole, {40, 20}).sees_around == 1);
  CHECK(cast_request(shot, whole, {40, 20}).region_width == 100);
  shot.tilt->seen_px = RectF{0, 0, limit - 1, 10};
  CHECK(cast_request(shot, whole, {40, 20}).sees_around == 0);
  CHECK(cast_request(shot, whole, {40, 20}).region_width == max_picture_side_px - 2);
}
