// Cameras in motion, styles in messages, and volumes that are made smaller.

#include "player/scene/volume_look.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/director/motion_detail.hpp"
#include "player/scene/style_adjustment.hpp"
#include "player/scene/style_function.hpp"
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

ReadyTimestep ball(int side) {
  VoxelArray voxels(VoxelType::u8, {side, side, side});
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  const double middle = (side - 1) / 2.0;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        *to++ = static_cast<std::uint8_t>(
            std::max(0.0, 255 - 255 * std::hypot(x - middle, y - middle, z - middle) / middle));
  return {Volume(std::move(voxels)), 1};
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

TEST_CASE("a window narrows and moves what a transfer function covers", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("gray").value();
  CHECK(covered_range(style, {10, 20}) == ValueRange{10, 20});
  style.window = 0.5;
  style.level = 0.75;
  CHECK(covered_range(style, {10, 20}) == ValueRange{15, 20});
  CHECK(styled_function(style, {10, 20}, 1).at(17.5).r == Approx(0.5));
  style.range = ValueRange{0, 1};
  CHECK(covered_range(style, {10, 20}) == ValueRange{0.5F, 1});
  const ValueRange none{1, -1};
  style.range.reset();
  CHECK(covered_range(style, none).empty());
  CHECK(styled_iso(style, none) == 0);
  // One with values of its own is moved within what it covers, whatever the data.
  style.transfer.scale = TransferScale::values;
  for (TransferPoint& point : style.transfer.points) point.value *= 100;
  CHECK(styled_function(style, {10, 20}, 1).at(75).r == Approx(0.5));
  style.opacity = 4;
  CHECK(styled_function(style, {10, 20}, 2).unit() == 0.5);
  style.iso_shift = 0.25;
  CHECK(styled_iso(style, {10, 20}) == 17.5);
}

TEST_CASE("small steps stop at a style's limits, and nonsense is refused", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("magma").value();
  const auto often = [&](StyleAdjustment what, double by) {
    VolumeStyle changed = style;
    for (int i = 0; i < 500; ++i) changed = adjusted(std::move(changed), what, by);
    return volume_style_from_json(to_json(changed));  // still one that messages take
  };
  CHECK(often(StyleAdjustment::opacity, 1.25).opacity == most_opacity);
  CHECK(often(StyleAdjustment::window, 0.8).window == narrowest_window);
  CHECK(often(StyleAdjustment::level, -1).level == -farthest_level);
  CHECK(often(StyleAdjustment::iso, 1).iso_shift == 1);
  const VolumeStyle cut = often(StyleAdjustment::y_min, 0.3);
  CHECK(cut.clip_min[1] < cut.clip_max[1]);
  CHECK(often(StyleAdjustment::y_max, -1).clip_max[1] > 0);
  CHECK(often(StyleAdjustment::x_min, -1).clip_min[0] == 0);
  CHECK(often(StyleAdjustment::transfer, 1).transfer.name == "gray");  // 500 = 83 rounds of 6 + 2
  CHECK(often(StyleAdjustment::mode, 1).mode == CastMode::composite);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::opacity, 0), InputError);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::window, -1), InputError);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::mode, 0.5), InputError);
  CHECK_THROWS_WITH(parse_style_adjustment("fog"), Catch::Contains("opacity"));
}

TEST_CASE("a picture without anything of the volume is known as one", "[view]") {
  ReadyTimestep volume = ball(20);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.background = {0.25F, 0.5F, 0.75F, 1};
  style.annotations.axes = true;
  CastMessage wish;
  wish.picture_width = wish.width = 64;
  wish.picture_height = wish.height = 48;
  const TestPicture picture({64, 48});
  const auto is_blank = [&](const VolumeCamera& camera) {
    set_camera(wish, camera);
    return make_picture(volume, {"style", style}, wish, picture.view(), 1).blank;
  };
  VolumeCamera camera = camera_at({volume.volume.centre_world(), 14}, 0.5, 0.3);
  CHECK_FALSE(is_blank(camera));
  camera.look_at = camera.eye + (camera.eye - camera.look_at);
  CHECK(is_blank(camera));
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

TEST_CASE("volumes in motion are drawn as coarse as the slowest panel needs", "[view]") {
  MotionDetail detail(2);
  CHECK(detail.coarser_by() == 1);
  detail.take(0, {0, 5, 60'000'000});  // in full
  CHECK(detail.coarser_by() == 1);
  detail.take(1, {1, 5, 60'000'000});  // half the rays each way
  CHECK(detail.coarser_by() == 2);
}
