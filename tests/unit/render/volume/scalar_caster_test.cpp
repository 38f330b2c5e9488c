// The reference caster against fields whose pictures are known.
#include "render/volume/scalar_caster.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "render/volume/coarse_cast.hpp"
#include "sync/base/error.hpp"
#include "tests/unit/render/volume/volume_fields.hpp"

namespace tilewall {

using namespace render;
using namespace wall;
namespace {

const TransferFunction gray({{0, {0, 0, 0, 0}}, {1, {1, 1, 1, 1}}});

Rgba centre(const FloatPicture& picture) {
  return picture.pixels[static_cast<std::size_t>(picture.size_px.height / 2) *
                            static_cast<std::size_t>(picture.size_px.width) +
                        static_cast<std::size_t>(picture.size_px.width / 2)];
}

Volume constant(double value, VolumePlace place = {}) {
  return Volume(voxels_of(VoxelType::f32, {9, 9, 9}, [&](Vec3d) { return value; }), place);
}

TEST_CASE("constant fog lets through what Beer and Lambert say", "[render][volume]") {
  const TransferFunction fog({{0, {0.25F, 0.5F, 1, 0.03F}}}, 0.5);
  CastStyle style;
  for (const double step : {0.1, 0.25, 0.7}) {
    for (const double spacing : {1.0, 2.0}) {
      CAPTURE(step, spacing);
      style.step = step;
      VolumePlace place;
      place.spacing.z = spacing;
      const Volume volume = constant(7, place);
      const CastView view = view_along_z(volume, {5, 5}, 4);
      const Rgba seen = centre(cast_scalar(volume, fog, style, view, whole(view)));
      // The eye stands 100 before the middle; samples lie at multiples of the step from it.
      const double near = std::ceil((100 - 4 * spacing) / step);
      const double far = std::floor((100 + 4 * spacing) / step + 1e-9);
      const double left = std::pow(1 - 0.03, (far - near + 1) * step / 0.5);
      CHECK(seen.a == Approx(1 - left).epsilon(1e-4));
      CHECK(seen.r == Approx(0.25 * (1 - left)).epsilon(1e-4));
      CHECK(seen.b == Approx(1 - left).epsilon(1e-4));
    }
  }
}

TEST_CASE("a ray ends where it is opaque enough, and not before", "[render][volume]") {
  const Volume volume = constant(1);
  const CastView view = view_along_z(volume, {3, 3}, 2);
  CastStyle style;
  const TransferFunction dense({{0, {1, 1, 1, 0.9F}}}, 1);
  const Rgba seen = centre(cast_scalar(volume, dense, style, view, whole(view)));
  CHECK(seen.a == Approx(0.999).epsilon(1e-5));  // after the third sample
  CHECK(seen.a >= opaque_enough);
}

TEST_CASE("light through a ramp integrates its density", "[render][volume]") {
  // Opacity v per unit at depth z: -d ln T / dz = -ln(1 - z / 80), whose integral is known.
  const Volume volume(voxels_of(VoxelType::f32, {5, 5, 41}, [](Vec3d p) { return p.z / 80; }));
  const CastView view = view_along_z(volume, {3, 3}, 2);
  CastStyle style;
  style.step = 0.01;
  const Rgba seen = centre(cast_scalar(volume, gray, style, view, whole(view)));
  const double exact = std::exp(-80 * (0.5 * std::log(0.5) + 0.5));
  CHECK(1 - seen.a < 3e-3);
  style.step = 0.02;
  const TransferFunction thin({{0, {1, 1, 1, 0}}, {1, {1, 1, 1, 1}}}, 10);
  const Rgba through = centre(cast_scalar(volume, thin, style, view, whole(view)));
  CHECK(1 - through.a == Approx(std::pow(exact, 0.1)).epsilon(2e-3));
}

TEST_CASE("maximum and average of a ramp", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::f32, {5, 5, 11}, [](Vec3d p) { return p.z / 10; }));
  const CastView view = view_along_z(volume, {3, 3}, 2);
  CastStyle style;
  style.step = 0.125;
  const TransferFunction opaque({{0, {0, 0, 0, 1}}, {1, {1, 1, 1, 1}}}, 3);
  style.mode = CastMode::maximum;
  CHECK(centre(cast_scalar(volume, opaque, style, view, whole(view))).r ==
        Approx(1).margin(1.3e-2));
  style.mode = CastMode::average;
  CHECK(centre(cast_scalar(volume, opaque, style, view, whole(view))).r ==
        Approx(0.5).margin(1e-3));
}

TEST_CASE("an isosurface's outline is the sphere's, and its middle faces the light",
          "[render][volume]") {
  const Vec3d middle = {12, 12, 12};
  const Volume volume(
      voxels_of(VoxelType::f32, {25, 25, 25}, [&](Vec3d p) { return 9 - length(p - middle); }));
  CastView view = view_aslant(volume, {60, 60}, 60);
  CastStyle style;
  style.mode = CastMode::isosurface;
  style.iso_value = 0;
  const FloatPicture picture = cast_scalar(volume, gray, style, view, whole(view), 2);
  const double half_px = 30 * std::tan(std::asin(9.0 / 60)) / std::tan(view.camera.fov_rad / 2);
  int wrong = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 60; ++x) {
      const double radius = std::hypot(x + 0.5 - 30, y + 0.5 - 30);
      const bool hit = picture.pixels[static_cast<std::size_t>(y * 60 + x)].a > 0;
      if (std::abs(radius - half_px) > 0.6 && hit != (radius < half_px)) ++wrong;
    }
  CHECK(wrong == 0);
  CHECK(centre(picture).r == Approx(1.2).margin(0.01));  // ambient + diffuse + specular
}

TEST_CASE("an isosurface lies where the field says, not at a sample", "[render][volume]") {
  // The surface z = 5.3 ahead of a camera that looks along z: lit in full, and clipped away by a
  // plane just behind it.
  const Volume volume(voxels_of(VoxelType::f32, {9, 9, 12}, [](Vec3d p) { return p.z; }));
  CastView view = view_along_z(volume, {3, 3}, 2);
  CastStyle style;
  style.mode = CastMode::isosurface;
  style.iso_value = 5.3;
  CHECK(centre(cast_scalar(volume, gray, style, view, whole(view))).r == Approx(1.2).margin(1e-3));
  view.clip.planes = {{{0, 0, 1}, -5.4}};
  CHECK(centre(cast_scalar(volume, gray, style, view, whole(view))).a == 0);
}

TEST_CASE("shading follows the gradient in the world, not in voxels", "[render][volume]") {
  // A surface tilted by 45 degrees in the world, whose voxels are twice as long in z.
  VolumePlace place;
  place.spacing.z = 2;
  const Volume volume(
      voxels_of(VoxelType::f32, {17, 9, 9}, [](Vec3d p) { return (p.x + 2 * p.z) / 40; }), place);
  CastView view = view_along_z(volume, {3, 3}, 2);
  CastStyle style;
  style.mode = CastMode::isosurface;
  style.lighting.specular = 0;
  style.iso_value = 0.4;
  const double facing = std::numbers::sqrt2 / 2;
  CHECK(centre(cast_scalar(volume, gray, style, view, whole(view))).r ==
        Approx(0.3 + 0.7 * facing).margin(3e-3));
}

TEST_CASE("shading is the world's whichever spacing is the least", "[render][volume]") {
  // The surface x + z = 20 of the world, at 45 degrees to the view along z.
  for (const Vec3d spacing : {Vec3d{2, 1, 1}, {4, 2, 1}, {1, 3, 2}, {3, 1, 2}}) {
    CAPTURE(spacing.x, spacing.y, spacing.z);
    VolumePlace place;
    place.spacing = spacing;
    const VolumeSize size{static_cast<int>(20 / spacing.x) + 1,
                          static_cast<int>(20 / spacing.y) + 1,
                          static_cast<int>(20 / spacing.z) + 1};
    const Volume volume(
        voxels_of(VoxelType::f32, size, [&](Vec3d p) { return p.x * spacing.x + p.z * spacing.z; }),
        place);
    const CastView view = view_along_z(volume, {3, 3}, 2);
    CastStyle style;
    style.mode = CastMode::isosurface;
    style.lighting.specular = 0;
    style.iso_value = 20;
    CHECK(centre(cast_scalar(volume, gray, style, view, whole(view))).r ==
          Approx(0.3 + 0.7 * std::numbers::sqrt2 / 2).margin(3e-3));
  }
}

TEST_CASE("empty voxels let all light through", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::f32, {9, 9, 9}, [](Vec3d p) {
    return p.x > 4.5 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  }));
  const CastView view = view_along_z(volume, {9, 9}, 9);
  CastStyle style;
  for (const CastMode mode : {CastMode::composite, CastMode::maximum, CastMode::average}) {
    style.mode = mode;
    const FloatPicture picture = cast_scalar(volume, gray, style, view, whole(view));
    CHECK(picture.pixels[9 * 4 + 1].a + picture.pixels[9 * 4 + 7].a == Approx(1));
  }
}

TEST_CASE("a camera may stand inside, and may look away", "[render][volume]") {
  const Volume volume = constant(1);
  const TransferFunction fog({{0, {1, 1, 1, 0.1F}}}, 1);
  CastView view = view_along_z(volume, {3, 3}, 2);
  view.camera.lens = Lens::perspective;
  view.camera.eye = {4, 4, 5};
  view.camera.look_at = {4, 4, 20};
  CastStyle style;
  style.step = 0.5;
  const Rgba inside = centre(cast_scalar(volume, fog, style, view, whole(view)));
  CHECK(inside.a == Approx(1 - std::pow(0.9, 7 * 0.5)).epsilon(1e-4));  // k = 0 ... 6
  for (const Lens lens : {Lens::perspective, Lens::orthographic}) {
    view.camera.lens = lens;
    view.camera.eye = {4, 4, -5};
    view.camera.look_at = {4, 4, -20};
    CHECK(centre(cast_scalar(volume, fog, style, view, whole(view))).a == 0);
  }
}

TEST_CASE("a tilted picture's rays are those of the places that it sees", "[render][volume]") {
  VolumePlace place;
  place.spacing = {0.5, 1.25, 0.8};
  const Volume volume(VoxelArray(VoxelType::u8, {20, 20, 20}), place);
  CastView view = view_aslant(volume, {48, 40}, 30);
  view.camera.centre_offset_px = {3, -2};
  const PixelRays flat(view.camera, view.picture_px, volume, 0.7);
  view.tilt = askew;
  const CastView coarse = sub_view(view, {-4, -4}, 4, {14, 12});
  for (const CastView* by : {static_cast<const CastView*>(&view), &coarse}) {
    const PixelRays rays(by->camera, by->picture_px, volume, 0.7, by->tilt);
    for (const PointF at : {PointF{0, 0}, {31, 5.5}, {48, 40}, {-4, 44}}) {
      const bool is_coarse = by == &coarse;
      const SampledRay ray =
          is_coarse ? rays.through((at.x + 4) / 4, (at.y + 4) / 4) : rays.through(at.x, at.y);
      const PointF seen = askew.to_canvas(at);
      const SampledRay expected = flat.through(seen.x, seen.y);
      CAPTURE(at.x, at.y, is_coarse);
      CHECK(length(ray.start - expected.start) < 1e-9);
      CHECK(length(ray.advance - expected.advance) < 1e-9);
    }
  }
  view.tilt = PanelMap({1, 0, 0, 2, 0, 0, 0, 0, 1});
  CHECK_THROWS_AS(PixelRays(view.camera, view.picture_px, volume, 1, view.tilt), InputError);
}

TEST_CASE("parts of a reference picture are its crops", "[render][volume]") {
  const Volume volume(
      voxels_of(VoxelType::u8, {12, 12, 12},
                [](Vec3d p) { return 120 + 100 * std::sin(p.x) * std::cos(p.y + p.z); }),
      {}, {1 / 255.0, 0});
  const CastView view = view_aslant(volume, {24, 20}, 30);
  CastStyle style;
  style.shading = Shading::headlight;
  const FloatPicture all = cast_scalar(volume, gray, style, view, whole(view), 2);
  const RectPx part = {7, 3, 11, 13};
  const FloatPicture crop = cast_scalar(volume, gray, style, view, part);
  bool same = true;
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; ++x)
      same = same && crop.pixels[static_cast<std::size_t>(y * 11 + x)] ==
                         all.pixels[static_cast<std::size_t>((y + 3) * 24 + x + 7)];
  CHECK(same);
}

TEST_CASE("a pixel has the depth of its first hit", "[render][volume]") {
  // The value is the place along the line of sight, on which the eye stands 100 before the middle.
  VolumePlace place;
  place.spacing.z = 2;
  const Volume volume(voxels_of(VoxelType::f32, {9, 9, 41}, [](Vec3d p) { return p.z; }), place);
  const CastView view = view_along_z(volume, {3, 3}, 2);
  const double near = 100 - 40;  // of voxel 0
  const auto depth_of = [&](const CastStyle& style, const TransferFunction& function) {
    const FloatPicture picture = cast_scalar(volume, function, style, view, whole(view));
    REQUIRE(picture.depths.size() == picture.pixels.size());
    return picture.depths[4];
  };
  CastStyle style;
  style.mode = CastMode::isosurface;
  style.iso_value = 12.3;
  CHECK(depth_of(style, gray) == Approx(near + 2 * 12.3).margin(1e-3));
  style.iso_value = 99;
  CHECK(std::isinf(depth_of(style, gray)));
  style.mode = CastMode::maximum;
  CHECK(depth_of(style, gray) == Approx(near + 80).margin(1));
  style.mode = CastMode::average;
  CHECK(std::isinf(depth_of(style, gray)));
  // Nothing shows before voxel 20, and half of the light is gone 1 / 0.01 samples ln 2 later.
  style.mode = CastMode::composite;
  style.step = 0.01;
  const TransferFunction fog({{19.999, {1, 1, 1, 0}}, {20, {1, 1, 1, 0.5F}}}, 3);
  CHECK(depth_of(style, fog) == Approx(near + 40 + 3).margin(0.05));
  const TransferFunction thin({{19.999, {1, 1, 1, 0}}, {20, {1, 1, 1, 0.001F}}}, 3);
  CHECK(std::isinf(depth_of(style, thin)));
}

TEST_CASE("pixels are written over the background", "[render][volume]") {
  const FloatPicture picture = {{2, 1}, {{0.5F, 0.25F, 0, 0.5F}, {2, 2, 2, 1}}};
  std::uint8_t bytes[8] = {};
  write_pixels(picture, {0, 0, 1, 0}, {bytes, {2, 1}, 8});
  CHECK(int(bytes[0]) == 128);
  CHECK(int(bytes[1]) == 64);
  CHECK(int(bytes[2]) == 128);
  CHECK(int(bytes[3]) == 255);
  CHECK(int(bytes[6]) == 255);
}

}  // namespace
}  // namespace tilewall
