// Cameras in motion, styles in messages, and volumes that are made smaller.

#include "player/scene/volume_look.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/director/motion_detail.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "player/volume/volume_job.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using Json = nlohmann::json;

namespace {

VolumeCamera some_camera() { return camera_at({{3, 4, 5}, 2}, 0.6, 0.4); }

bool close(Vec3d a, Vec3d b) { return length(a - b) < 1e-9; }

ReadyTimestep ball(int side, HostGpu* gpu = nullptr) {
  VoxelArray voxels(VoxelType::u8, {side, side, side});
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  const double middle = (side - 1) / 2.0;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        *to++ = static_cast<std::uint8_t>(
            std::max(0.0, 255 - 255 * std::hypot(x - middle, y - middle, z - middle) / middle));
  return {Volume(std::move(voxels)), 1, {}, gpu};
}

}  // namespace

TEST_CASE("a camera that orbits keeps its distance and its target", "[view]") {
  const VolumeCamera before = some_camera();
  const VolumeCamera turned = orbited(before, 0.7, -0.3);
  CHECK(turned.look_at == before.look_at);
  CHECK(length(turned.eye - turned.look_at) ==
        Approx(length(before.eye - before.look_at)).epsilon(1e-12));
  CHECK(std::abs(dot(turned.up, turned.look_at - turned.eye)) < 1e-9);
  // A full turn about one axis leads back.
  CHECK(close(orbited(before, 2 * std::numbers::pi, 0).eye, before.eye));
}

TEST_CASE("a camera on its way begins and ends where it should, and turns on the way", "[view]") {
  const VolumeCamera from = some_camera();
  const VolumeCamera to = zoomed(panned(orbited(from, 1.2, 0.4), 0.1, 0.2), 4);
  CHECK(between(from, to, 0) == from);
  CHECK(between(from, to, 1) == to);
  const VolumeCamera half = between(from, to, 0.5);
  CHECK(close(half.look_at, 0.5 * (from.look_at + to.look_at)));
  CHECK(length(half.eye - half.look_at) == Approx(length(from.eye - from.look_at) / 2));
  const auto angle = [](const VolumeCamera& a, const VolumeCamera& b) {
    return std::acos(dot(normalized(a.look_at - a.eye), normalized(b.look_at - b.eye)));
  };
  CHECK(angle(from, half) == Approx(angle(half, to)));
}

TEST_CASE("a style comes back from its message, and a wrong one is refused by its field",
          "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("magma").value();
  style.mode = CastMode::isosurface;
  style.iso_value = 0.25;
  style.range = ValueRange{-1, 4};
  style.clip_planes = {{{0, 0, 1}, -2}};
  CHECK(volume_style_from_json(Json::parse(to_json(style).dump())) == style);
  CHECK_FALSE(patched(style, {{"iso_value", nullptr}}).iso_value);
  const std::vector<Json> wrong = {{{"mode", "fog"}},
                                   {{"samples_per_voxel", 0}},
                                   {{"clip_min", {0, 0, 1}}},
                                   {{"range", {2, 2}}},
                                   {{"clip_planes", {{1, 2, 3}}}},
                                   {{"colour", 1}},
                                   {{"transfer", Json::object()}},
                                   Json::array()};
  for (const Json& patch : wrong) {
    CAPTURE(patch.dump());
    CHECK_THROWS_AS(patched(style, patch), InputError);
  }
}

TEST_CASE("a camera's message refuses what cannot be looked from", "[view]") {
  const VolumeCamera camera = some_camera();
  const VolumeCamera back = camera_from_json(Json::parse(to_json(camera).dump()));
  CHECK(back.eye == camera.eye);
  CHECK(back.fov_rad == Approx(camera.fov_rad));
  for (const Json& patch : std::vector<Json>{{{"fov_deg", 180}},
                                             {{"up", {0, 0, 0}}},
                                             {{"lens", "fish"}},
                                             {{"eye", {1, 2}}},
                                             {{"view_height", 0}}})
    CHECK_THROWS_AS(patched(camera, patch), InputError);
}

TEST_CASE("a caster takes no packet that is cut, or that its memory has no room for", "[view]") {
  CastMessage message;
  message.picture_width = 64;
  message.picture_height = 32;
  message.x = 16;
  message.width = 48;
  message.height = 32;
  const auto bytes = std::as_bytes(std::span(&message, 1));
  CHECK(decode_cast(bytes, 48 * 32 * 4));
  CHECK_FALSE(decode_cast(bytes, 48 * 32 * 4 - 1));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(decode_cast(bytes.first(length), 1 << 20));
  message.x = 17;
  CHECK_FALSE(decode_cast(bytes, 1 << 20));
  message.x = INT32_MIN;
  CHECK_FALSE(decode_cast(bytes, 1 << 20));
}

TEST_CASE("a reduced volume holds means, and stays in its place", "[view]") {
  const std::vector<float> slab = {1, 3, 5, 7, NAN, 9,   // z = 0: rows of 3
                                   1, 3, 5, 7, NAN, 9};  // z = 1
  std::vector<float> means(2);
  reduce_slab(VoxelType::f32, {3, 2, 2}, reinterpret_cast<const std::byte*>(slab.data()), 2, 2,
              reinterpret_cast<std::byte*>(means.data()));
  CHECK(means[0] == Approx(11.0 / 3));
  CHECK(means[1] == 7);
  const VolumePlace place = reduced_place({{1, 2, 3}, {10, 0, 0}}, 2);
  CHECK(place.spacing == Vec3d{2, 4, 6});
  CHECK(place.origin == Vec3d{10.5, 1, 1.5});
  CHECK(halvings_for({256, 256, 256}, VoxelType::u8, 1, std::size_t{1} << 30) == 0);
  const int halvings = halvings_for({2048, 2048, 2048}, VoxelType::u8, 1, std::size_t{2} << 30);
  const double voxels = std::pow(2048 >> halvings, 3);
  CHECK(voxels * shown_bytes_per_voxel(VoxelType::u8) <= std::size_t{2} << 30);
}

TEST_CASE("a coarse picture has no seam where panels meet", "[view]") {
  ReadyTimestep volume = ball(20);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  const WishedStyle wished{"style", style};
  CastMessage wish;
  set_camera(wish, camera_at({volume.volume.centre_world(), 14}, 0.5, 0.3));
  wish.picture_width = wish.width = 150;
  wish.picture_height = wish.height = 90;
  for (const int coarse : {0, 1, 2}) {
    CAPTURE(coarse);
    wish.coarser_by = coarse;
    wish.x = 0;
    wish.width = 150;
    const TestPicture whole({150, 90});
    make_picture(volume, wished, wish, whole.view(), 1);
    wish.x = 67;
    wish.width = 83;
    const TestPicture part({83, 90});
    make_picture(volume, wished, wish, part.view(), 1);
    const ImageView cut{whole.view().pixel(67, 0), {83, 90}, whole.view().stride_bytes};
    CHECK(same_pixels(part.view(), cut));
  }
}

TEST_CASE("a GPU draws what the processor draws, which goes on when it fails", "[view]") {
#ifdef TILEWALL_SANITIZED
  WARN("not tested under sanitizers: drivers leak, and what they compile is not watched");
#else
  std::optional<HostGpu> gpu;
  try {
    gpu.emplace(CasterChoice::gl);
  } catch (const InputError& error) {
    WARN("not tested: " << error.what());
    return;
  }
  ReadyTimestep by_processor = ball(20);
  ReadyTimestep by_gpu = ball(20, &*gpu);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  const WishedStyle wished{"style", style};
  CastMessage wish;
  set_camera(wish, camera_at({by_gpu.volume.centre_world(), 14}, 0.5, 0.3));
  wish.picture_width = wish.width = 80;
  wish.picture_height = wish.height = 60;
  const TestPicture expected({80, 60});
  const TestPicture shown({80, 60});
  make_picture(by_processor, wished, wish, expected.view(), 1);
  make_picture(by_gpu, wished, wish, shown.view(), 1);
  CHECK(by_processor.caster.drawn_by().starts_with("cpu: "));
  CHECK(by_gpu.caster.drawn_by().starts_with("gl: "));
  int off = 0;
  for (int y = 0; y < 60; ++y)
    for (int i = 0; i < 80 * 4; ++i)
      off += std::abs(expected.view().row(y)[i] - shown.view().row(y)[i]);
  CHECK(off < 80 * 60 * 3 / 4);  // a quarter of a level: kernels of the processor differ as much
  gpu->give_up("a test");
  CHECK_FALSE(gpu->is_used());
  make_picture(by_gpu, wished, wish, shown.view(), 1);
  CHECK(by_gpu.caster.drawn_by() == by_processor.caster.drawn_by());
  CHECK(same_pixels(shown.view(), expected.view()));
#endif
}

TEST_CASE("volumes in motion are drawn as coarse as the slowest panel needs", "[view]") {
  MotionDetail detail(2);
  CHECK(detail.coarser_by() == 1);
  detail.take(0, {0, 5, 60'000'000});  // in full
  CHECK(detail.coarser_by() == 1);
  detail.take(1, {1, 5, 60'000'000});  // half the rays each way
  CHECK(detail.coarser_by() == 2);
}
