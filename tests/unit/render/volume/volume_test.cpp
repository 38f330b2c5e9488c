// Volumes, transfer functions, cameras and clips: what casters are built on.
#include "render/volume/volume.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "render/volume/clip.hpp"
#include "render/volume/orbit.hpp"
#include "render/volume/rotation.hpp"
#include "render/volume/scalar_caster.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/transfer_function.hpp"
#include "sync/base/error.hpp"
#include "tests/unit/render/volume/volume_fields.hpp"

namespace tilewall {

using namespace render;
namespace {

constexpr VoxelType all_types[] = {VoxelType::u8, VoxelType::u16, VoxelType::f32};

TEST_CASE("a linear field is sampled exactly, whatever the voxels' type", "[render][volume]") {
  const auto ramp = [](Vec3d p) { return 3 * p.x + 2 * p.y + 5 * p.z + 1; };
  for (const VoxelType type : all_types) {
    CAPTURE(name_of(type));
    const Volume volume(voxels_of(type, {13, 11, 17}, ramp), {}, {0.5, -2});
    for (int i = 0; i < 500; ++i) {
      const Vec3d at = {12 * std::fmod(i * 0.618, 1), 10 * std::fmod(i * 0.414, 1),
                        16 * std::fmod(i * 0.732, 1)};
      CHECK(sample_volume(volume, at) == Approx(0.5 * ramp(at) - 2).epsilon(1e-5));
    }
    CHECK(sample_volume(volume, {12, 10, 16}) == Approx(0.5 * ramp({12, 10, 16}) - 2));
  }
}

TEST_CASE("cells hold the range of all voxels that their samples meet", "[render][volume]") {
  const auto field = [](Vec3d p) {
    return 100 + 60 * std::sin(p.x * 1.3 + p.y * 0.7) + 40 * std::cos(p.z * 2.1 - p.x);
  };
  for (const VolumeSize size : {VolumeSize{10, 9, 13}, VolumeSize{2, 5, 6}, {769, 9, 3}}) {
    for (const VoxelType type : all_types) {
      CAPTURE(name_of(type), size.x);
      const Volume volume(voxels_of(type, size, field), {}, {}, 2);
      const CellGrid& cells = volume.cells();
      CHECK(cells.side == (size.x > 768 ? 8 : 4));
      REQUIRE(cells.x == (size.x - 2) / cells.side + 1);
      bool right = true;
      for (int cz = 0; cz < cells.z; ++cz)
        for (int cy = 0; cy < cells.y; ++cy)
          for (int cx = 0; cx < cells.x; ++cx) {
            float least = 1e9F;
            float greatest = -1e9F;
            for (int z = cz * cells.side; z <= std::min((cz + 1) * cells.side, size.z - 1); ++z)
              for (int y = cy * cells.side; y <= std::min((cy + 1) * cells.side, size.y - 1); ++y)
                for (int x = cx * cells.side; x <= std::min((cx + 1) * cells.side, size.x - 1);
                     ++x) {
                  const float v = sample_volume(volume, {double(x), double(y), double(z)});
                  least = std::min(least, v);
                  greatest = std::max(greatest, v);
                }
            const ValueRange found = cells.stored[cells.index(cx, cy, cz)];
            right = right && std::abs(found.min - least) < 1e-3F &&
                    std::abs(found.max - greatest) < 1e-3F;
          }
      CHECK(right);
    }
  }
}

TEST_CASE("voxels that are not finite are empty and have no part in ranges", "[render][volume]") {
  VoxelArray array = voxels_of(VoxelType::f32, {9, 9, 9}, [](Vec3d p) { return p.x; });
  const auto at = [&](int x, int y, int z) -> float& {
    return array.voxels<float>()[static_cast<std::size_t>((z * 9 + y) * 9 + x)];
  };
  at(1, 1, 1) = std::numeric_limits<float>::quiet_NaN();
  at(6, 6, 6) = std::numeric_limits<float>::infinity();
  at(7, 7, 7) = -std::numeric_limits<float>::infinity();
  const Volume volume(std::move(array));
  CHECK(volume.value_range() == ValueRange{0, 8});
  CHECK(std::isnan(sample_volume(volume, {0.5, 0.5, 0.5})));
  CHECK(std::isnan(sample_volume(volume, {5.5, 5.5, 5.5})));
  CHECK(std::isnan(sample_volume(volume, {7.5, 7.5, 7.5})));
  CHECK(sample_volume(volume, {3.5, 3.5, 3.5}) == Approx(3.5));
  const Volume nothing(voxels_of(VoxelType::f32, {5, 5, 5},
                                 [](Vec3d) { return std::numeric_limits<double>::quiet_NaN(); }));
  CHECK(nothing.value_range().empty());
}

TEST_CASE("voxel and world coordinates lead to each other", "[render][volume]") {
  VolumePlace place;
  place.spacing = {0.5, 2, 3};
  place.origin = {10, -20, 5};
  place.axes = {Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{1, 0, 0}};
  const Volume volume(voxels_of(VoxelType::u8, {4, 4, 4}, [](Vec3d) { return 1; }), place);
  CHECK(volume.world_of_voxel({2, 0, 0}) == Vec3d{10, -19, 5});
  CHECK(volume.world_of_voxel({0, 0, 1}) == Vec3d{13, -20, 5});
  const Vec3d back = volume.voxel_of_world(volume.world_of_voxel({1.5, 2.5, 0.25}));
  CHECK(length(back - Vec3d{1.5, 2.5, 0.25}) < 1e-12);
}

TEST_CASE("volumes, functions, cameras and clips without a meaning are refused",
          "[render][volume]") {
  CHECK_THROWS_AS(VoxelArray(VoxelType::u8, {1, 4, 4}), InputError);
  CHECK_THROWS_AS(VoxelArray(VoxelType::u8, {4, 8193, 4}), InputError);
  const auto cube = [] { return voxels_of(VoxelType::u8, {4, 4, 4}, [](Vec3d) { return 1; }); };
  VolumePlace flat;
  flat.spacing.y = 0;
  CHECK_THROWS_AS(Volume(cube(), flat), InputError);
  VolumePlace skewed;
  skewed.axes[1] = {0.5, 0.5, 0};
  CHECK_THROWS_AS(Volume(cube(), skewed), InputError);
  CHECK_THROWS_AS(Volume(cube(), {}, {0, 0}), InputError);
  CHECK_THROWS_AS(TransferFunction({}), InputError);
  CHECK_THROWS_AS(TransferFunction({{1, {}}, {0, {}}}), InputError);
  CHECK_THROWS_AS(TransferFunction({{1, {0, 0, 0, 1.5F}}}, 1), InputError);
  CHECK_THROWS_AS(TransferFunction({{1, {}}}, 0), InputError);
  const Volume volume(cube());
  const CastView good = view_aslant(volume, {4, 4}, 10);
  VolumeCamera camera = good.camera;
  camera.up = camera.look_at - camera.eye;
  CHECK_THROWS_AS(PixelRays(camera, {4, 4}, volume, 1), InputError);
  camera = good.camera;
  camera.fov_rad = 4;
  CHECK_THROWS_AS(PixelRays(camera, {4, 4}, volume, 1), InputError);
  CHECK_THROWS_AS(PixelRays(good.camera, {4, 4}, volume, 0), InputError);
  CHECK_THROWS_AS(PixelRays(good.camera, {4, 4}, volume, 1e-9), InputError);
  CHECK_THROWS_AS(PixelRays(good.camera, {0, 4}, volume, 1), InputError);
  VolumeClip clip;
  clip.planes.resize(7);
  CHECK_THROWS_AS(VoxelClip(clip, volume), InputError);
}

TEST_CASE("a transfer function is straight between its points", "[render][volume]") {
  const TransferFunction function({{1, {0, 0, 0, 0}}, {3, {1, 0.5F, 0, 0.5F}}, {4, {0, 0, 1, 1}}});
  CHECK(function.at(0) == Rgba{0, 0, 0, 0});
  CHECK(function.at(2) == Rgba{0.5F, 0.25F, 0, 0.25F});
  CHECK(function.at(9) == Rgba{0, 0, 1, 1});
  const TransferFunction steps({{0, {}}, {1, {0, 0, 0, 0.25F}}, {1, {1, 1, 1, 1}}, {2, {}}});
  CHECK(steps.at(1) == Rgba{1, 1, 1, 1});  // at a step what lies above
  const TransferTable table(function, 0.25);
  for (const double value : {0.0, 1.0, 1.7, 2.9, 3.3, 4.0, 7.0}) {
    CAPTURE(value);
    const Rgba exact = function.at(value);
    const Rgba entry = table.at(static_cast<float>(value));
    CHECK(entry.g == Approx(exact.g).margin(1e-3));
    CHECK(entry.a == Approx(opacity_of_step(double(exact.a), 0.25, 1)).margin(2e-3));
  }
  CHECK(table.at(std::numeric_limits<float>::quiet_NaN()) == Rgba{});
  CHECK(opacity_of_step(0.75, 0.5, 1) == Approx(0.5));
}

TEST_CASE("a table knows where there is no opacity", "[render][volume]") {
  const TransferFunction function({{0, {}}, {0.4, {}}, {0.5, {1, 1, 1, 1}}, {0.6, {}}, {1, {}}});
  const TransferTable table(function, 1);
  CHECK_FALSE(table.any_opacity(-1, 0.39F));
  CHECK_FALSE(table.any_opacity(0.61F, 5));
  CHECK(table.any_opacity(0.2F, 0.41F));
  CHECK(table.any_opacity(0.3F, 0.9F));
  CHECK(table.any_opacity(0.5F, 0.5F));
  CHECK_FALSE(table.any_opacity(1, 0));
  // The ends of a table hold for all values beyond them.
  const TransferTable rises(TransferFunction({{0.4, {}}, {0.6, {1, 1, 1, 1}}}), 1);
  CHECK_FALSE(rises.any_opacity(-5, 0.399F));
  CHECK(rises.any_opacity(-5, 0.401F));
  CHECK(rises.any_opacity(0.7F, 5));
  const TransferTable falls(TransferFunction({{0.4, {1, 1, 1, 1}}, {0.6, {}}}), 1);
  CHECK(falls.any_opacity(-5, 0.3F));
  CHECK(falls.any_opacity(0.599F, 5));
  CHECK_FALSE(falls.any_opacity(0.601F, 5));
  // Between two of the 4096 intervals' ends, of which one alone has some: 0.4 lies at 1638.4 of
  // them, and 0.6 at 2457.6.
  const float before = 1638.9F / 4096;
  const float behind = 2457.1F / 4096;
  REQUIRE(table.at(before).a > 0);
  REQUIRE(table.at(behind).a > 0);
  CHECK(table.any_opacity(0, before));
  CHECK(table.any_opacity(behind, 1));
}

TEST_CASE("a ray's span holds exactly the samples inside of the clip", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::u8, {20, 20, 20}, [](Vec3d) { return 1; }));
  VolumeClip clip;
  clip.box_min = {3, 0, 0};
  clip.planes = {{{1, 1, 0}, -12}, {{0, 0, -1}, 15}};
  const VoxelClip voxel_clip(clip, volume);
  const CastView view = view_aslant(volume, {16, 12}, 30);
  const PixelRays rays(view.camera, view.picture_px, volume, 0.37);
  const auto inside = [](Vec3d p) {
    return p.x >= 3 && p.x <= 19 && p.y >= 0 && p.y <= 19 && p.z >= 0 && p.z <= 15 &&
           p.x + p.y >= 12;
  };
  int samples = 0;
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 16; ++x) {
      const SampledRay ray = rays.of_pixel(x, y);
      const SampleSpan span = voxel_clip.span_of(ray);
      for (int k = 0; k < 200; ++k) {
        const bool within = k >= span.first && k <= span.last;
        if (within != inside(ray.start + k * ray.advance)) FAIL("sample " << k);
        samples += within ? 1 : 0;
      }
    }
  CHECK(samples > 1000);
}

TEST_CASE("clip planes are where the world says, wherever the volume lies", "[render][volume]") {
  VolumePlace place;
  place.origin = {10, 20, 30};
  place.spacing = {2, 3, 4};
  place.axes = {Vec3d{0, 1, 0}, Vec3d{-1, 0, 0}, Vec3d{0, 0, 1}};  // voxel x is world y
  const Volume volume(voxels_of(VoxelType::u8, {20, 20, 20}, [](Vec3d) { return 1; }), place);
  const auto span_along_x = [&](const ClipPlane& plane) {
    VolumeClip clip;
    clip.planes = {plane};
    return VoxelClip(clip, volume).span_of({{0, 5, 5}, {1, 0, 0}});
  };
  const SampleSpan right = span_along_x({{0, 1, 0}, -33});  // world y = 20 + 2 x of at least 33
  CHECK(right.first == 7);
  CHECK(right.last == 19);
  const SampleSpan left = span_along_x({{0, -1, 0}, 33});
  CHECK(left.first == 0);
  CHECK(left.last == 6);
  const SampleSpan all = span_along_x({{1, 0, 0}, 5});  // world x = 10 - 3 * 5 = -5
  CHECK(all.first == 0);
  CHECK(all.last == 19);
  CHECK(span_along_x({{1, 0, 0}, 4.9}).last < 0);
  CHECK(span_along_x({{0, 0, 1}, -50}).last == 19);  // world z = 30 + 4 * 5
  CHECK(span_along_x({{0, 0, 1}, -50.1}).last < 0);
}

TEST_CASE("how far apart samples lie moves no ray", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::u8, {9, 9, 9}, [](Vec3d) { return 1; }));
  for (const Lens lens : {Lens::orthographic, Lens::perspective})
    for (const double step : {0.25, 1.0, 2.0}) {
      CAPTURE(static_cast<int>(lens), step);
      CastView view = view_along_z(volume, {4, 4}, 8);  // orthographic: 2 units a pixel
      view.camera.lens = lens;
      view.camera.fov_rad = std::numbers::pi / 2;  // 0.5 units a pixel at distance 1
      const PixelRays rays(view.camera, view.picture_px, volume, step);
      const SampledRay a = rays.through(2, 2);  // the middle
      const SampledRay b = rays.through(3, 2);
      CHECK(length(a.advance) == Approx(step));
      CHECK(length(b.advance) == Approx(step));
      CHECK(a.advance.z == Approx(step));
      const bool is_perspective = lens == Lens::perspective;
      CHECK(length(b.start - a.start) == Approx(is_perspective ? 0 : 2).margin(1e-9));
      CHECK(std::abs(b.advance.x / b.advance.z) == Approx(is_perspective ? 0.5 : 0).margin(1e-9));
    }
}

TEST_CASE("an off-axis picture is a part of a larger one", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::u8, {4, 4, 4}, [](Vec3d) { return 1; }));
  CastView view = view_aslant(volume, {40, 30}, 10);
  const PixelRays large(view.camera, view.picture_px, volume, 0.5);
  // The crop [30, 40) x [0, 20): its own height and, seen from its middle, the same centre.
  view.camera.fov_rad = 2 * std::atan(std::tan(view.camera.fov_rad / 2) * 20 / 30);
  view.camera.centre_offset_px = {20.0 - 35.0, 15.0 - 10.0};
  const PixelRays part(view.camera, {10, 20}, volume, 0.5);
  const SampledRay a = large.of_pixel(33, 7);
  const SampledRay b = part.of_pixel(3, 7);
  CHECK(length(a.advance - b.advance) < 1e-12);
}

TEST_CASE("shared work is done once each, and a failure reaches the caller", "[render][volume]") {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> done(100);
    share_work(100, threads, [&](int i) { done[static_cast<std::size_t>(i)]++; });
    CHECK(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
    CHECK_THROWS_AS(share_work(10, threads,
                               [](int i) {
                                 if (i == 3) throw InputError("x");
                               }),
                    InputError);
  }
}

/// A camera that looks at the origin from 5 away, turned by an angle about an axis of the world.
VolumeCamera turned_camera(int axis, double angle_deg) {
  const double angle = angle_deg * std::numbers::pi / 180;
  const auto turned = [&](Vec3d v) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    if (axis == 0) return Vec3d{v.x, c * v.y - s * v.z, s * v.y + c * v.z};
    if (axis == 1) return Vec3d{c * v.x + s * v.z, v.y, -s * v.x + c * v.z};
    return Vec3d{c * v.x - s * v.y, s * v.x + c * v.y, v.z};
  };
  VolumeCamera camera;
  camera.look_at = {0, 0, 0};
  camera.eye = 5.0 * turned({0, 0, 1});
  camera.up = turned({0, 1, 0});
  return camera;
}

bool is_near(const Vec3d& a, const Vec3d& b) { return length(a - b) < 1e-9; }

TEST_CASE("between two cameras directions turn evenly, the shortest way", "[volume]") {
  for (int axis = 0; axis < 3; ++axis)
    for (const double from_deg : {0.0, 60.0, 100.0, 130.0, 170.0, 185.0, 260.0})
      for (const double by_deg : {20.0, -50.0, 170.0}) {
        CAPTURE(axis, from_deg, by_deg);
        const VolumeCamera from = turned_camera(axis, from_deg);
        const VolumeCamera to = turned_camera(axis, from_deg + by_deg);
        for (const double share : {0.0, 0.25, 0.5, 1.0}) {
          const VolumeCamera camera = between(from, to, share);
          const VolumeCamera expected = turned_camera(axis, from_deg + share * by_deg);
          CHECK(is_near(camera.eye, expected.eye));
          CHECK(is_near(camera.up, expected.up));
          CHECK(is_near(camera.look_at, {0, 0, 0}));
        }
      }
}

TEST_CASE("a rotation's vector is its axis as long as its angle, the shorter way", "[volume]") {
  const Vec3d axis = normalized({1, -2, 3});
  for (const double angle : {0.0, 1e-9, 0.3, 1.7, 3.1}) {
    CAPTURE(angle);
    const Quaternion q = rotation_about(angle * axis);
    CHECK(is_near(rotation_vector(q), angle * axis));
    CHECK(is_near(rotation_vector({-q[0], -q[1], -q[2], -q[3]}), angle * axis));
    CHECK(is_near(rotation_vector(inverse(q)), -angle * axis));
  }
  const double more_than_half = 3.3;
  CHECK(is_near(rotation_vector(rotation_about(more_than_half * axis)),
                (more_than_half - 2 * std::numbers::pi) * axis));
}

TEST_CASE("a frame becomes a rotation and that frame again, whichever way it looks", "[volume]") {
  for (int axis = 0; axis < 3; ++axis)
    for (const double angle_deg : {0.0, 90.0, 135.0, 180.0, 225.0, 300.0}) {
      CAPTURE(axis, angle_deg);
      const CameraFrame frame = frame_of(turned_camera(axis, angle_deg));
      const CameraFrame again = frame_of(rotation_of(frame));
      CHECK(is_near(again.ahead, frame.ahead));
      CHECK(is_near(again.right, frame.right));
      CHECK(is_near(again.up, frame.up));
    }
}

TEST_CASE("a camera's place is turned with the direction that is up, the shortest way",
          "[volume]") {
  const WorldBox cube;
  for (const double azimuth : {0.0, 0.7, 2.5})
    for (const double elevation : {-0.9, 0.0, 0.6, std::numbers::pi / 2}) {
      CAPTURE(azimuth, elevation);
      const auto camera = [&](Vec3d up) { return camera_at(cube, azimuth, elevation, 1, up); };
      const auto is_turned = [](const VolumeCamera& a, const VolumeCamera& b, const auto& turned) {
        const auto direction = [](const VolumeCamera& c) { return normalized(c.eye - c.look_at); };
        return is_near(direction(a), turned(direction(b))) && is_near(a.up, turned(b.up));
      };
      const VolumeCamera usual = camera({0, 0, 1});
      CHECK(is_turned(camera({0, 0, 7}), usual, [](Vec3d v) { return v; }));
      CHECK(is_turned(camera({1, 0, 0}), usual, [](Vec3d v) { return Vec3d{v.z, v.y, -v.x}; }));
      CHECK(is_turned(camera({0, -1, 0}), usual, [](Vec3d v) { return Vec3d{v.x, -v.z, v.y}; }));
      // Half a turn, of which none is the shortest: about x.
      CHECK(is_turned(camera({0, 0, -1}), usual, [](Vec3d v) { return Vec3d{v.x, -v.y, -v.z}; }));
    }
}

TEST_CASE("the picture follows the hand that pans, orbits, rolls and zooms", "[volume]") {
  VolumeCamera camera = turned_camera(0, 0);  // at (0, 0, 5), looks at the origin, y is up
  camera.fov_rad = 0.5;
  camera.view_height = 8;
  const double height = 10 * std::tan(0.25);
  const VolumeCamera pan = panned(camera, 0.5, 0.25);
  CHECK(is_near(pan.look_at, {-0.5 * height, 0.25 * height, 0}));
  CHECK(is_near(pan.eye, {-0.5 * height, 0.25 * height, 5}));
  VolumeCamera even = camera;
  even.lens = Lens::orthographic;
  CHECK(is_near(panned(even, 0.5, 0.25).look_at, {-4, 2, 0}));
  const double quarter = std::numbers::pi / 2;
  CHECK(is_near(orbited(camera, quarter, 0).eye, {-5, 0, 0}));
  CHECK(is_near(orbited(camera, quarter, 0).up, {0, 1, 0}));
  CHECK(is_near(orbited(camera, 0, quarter).eye, {0, 5, 0}));
  CHECK(is_near(orbited(camera, 0, quarter).up, {0, 0, -1}));
  CHECK(is_near(rolled(camera, quarter).up, {-1, 0, 0}));
  CHECK(is_near(rolled(camera, quarter).eye, camera.eye));
  CHECK(is_near(zoomed(camera, 2).eye, {0, 0, 2.5}));
  CHECK(zoomed(camera, 2).view_height == 4);
  const WorldBox small;
  const WorldBox large{{10, 0, 0}, {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
  const VolumeCamera carried = carried_over(camera, small, large);
  CHECK(is_near(carried.eye, {10, 0, 10}));
  CHECK(is_near(carried.look_at, {10, 0, 0}));
  CHECK(carried.view_height == Approx(16));
}

TEST_CASE("between two cameras distances and angles change by equal factors", "[volume]") {
  VolumeCamera from = turned_camera(0, 0);
  VolumeCamera to = from;
  to.look_at = {10, 20, 30};
  to.eye = to.look_at + Vec3d{0, 0, 20};  // four times as far
  from.fov_rad = 0.2;
  to.fov_rad = 0.8;
  from.view_height = 3;
  to.view_height = 48;
  const VolumeCamera half = between(from, to, 0.5);
  CHECK(is_near(half.look_at, {5, 10, 15}));
  CHECK(is_near(half.eye, {5, 10, 25}));
  CHECK(half.fov_rad == Approx(0.4));
  CHECK(half.view_height == Approx(12));
}

TEST_CASE("a transfer function's colours are numbers from 0 to 1", "[render]") {
  const auto takes = [](float channel) {
    try {
      static_cast<void>(render::TransferFunction({{0, {0, 0, 0, 0}}, {1, {0, channel, 1, 1}}}));
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  CHECK(takes(0));
  CHECK(takes(1));
  CHECK_FALSE(takes(-0.001F));
  CHECK_FALSE(takes(1.001F));
  CHECK_FALSE(takes(std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
}  // namespace tilewall
