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
