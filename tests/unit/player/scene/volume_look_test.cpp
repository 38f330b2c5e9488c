// Cameras in motion, and styles in messages.

#include "player/scene/volume_look.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/scene/style_adjustment.hpp"
#include "player/scene/volume_style.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/error.hpp"
#include "tests/support/ball_camera.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;
using Json = nlohmann::json;

namespace {

VolumeCamera some_camera() { return camera_around({3, 4, 5}, 2, 0.6, 0.4); }

bool close(Vec3d a, Vec3d b) { return length(a - b) < 1e-9; }

}  // namespace

TEST_CASE("a sheet faces the camera, fills the region and is opaque", "[view]") {
  SourceSpec source;
  source.kind = SourceKind::volume;
  source.is_field = true;
  source.box = {{10, 20, 30}, {{8, 0, 0}, {0, 2, 0}, {0, 0, 0}}};
  const RectF wide{0, 0, 300, 100};
  const VolumeShot shot = usual_look(source, wide).at({});
  CHECK(shot.camera.lens == Lens::orthographic);
  CHECK(shot.camera.look_at == source.box.centre);
  CHECK(close(normalized(shot.camera.eye - shot.camera.look_at), {0, 0, 1}));
  CHECK(close(shot.camera.up, {0, 1, 0}));
  CHECK(shot.camera.view_height == Approx(2 * 8 / 3.0));  // its width fills the region's
  CHECK(whole_volume(source, {0, 0, 100, 100}).view_height == Approx(16));
  CHECK(whole_volume(source, {0, 0, 800, 100}).view_height == Approx(4));  // its height does
  const TransferFunction function = styled_function(*shot.style, {0, 1}, 1);
  for (const float value : {0.0F, 0.04F, 0.5F, 1.0F}) CHECK(function.at(value).a == 1);
  VolumeStyle other = *shot.style;
  other.transfer = named_transfer("gray").value();
  CHECK(styled_function(other, {0, 1}, 1).at(0).a > 0);  // the lowest values are shown too

  // Of a map that is stored from north to south, north is still above, and it is not mirrored.
  source.box.half[1] = {0, -2, 0};
  CHECK(close(whole_volume(source, wide).up, {0, 1, 0}));
  CHECK(close(normalized(whole_volume(source, wide).eye - source.box.centre), {0, 0, 1}));
  // The first row of an image is the uppermost, and its first column on the left.
  source.is_field = false;
  source.box.half[1] = {0, 2, 0};
  const VolumeCamera of_image = whole_volume(source, wide);
  CHECK(close(of_image.up, {0, -1, 0}));
  CHECK(close(cross(normalized(of_image.look_at - of_image.eye), of_image.up), {1, 0, 0}));
  // Across x and across y, up is z.
  source.box.half[0] = {0, 0, 0};
  source.box.half[2] = {0, 0, 3};
  CHECK(close(whole_volume(source, wide).up, {0, 0, 1}));
  CHECK(close(normalized(whole_volume(source, wide).eye - source.box.centre), {1, 0, 0}));
  source.box.half[0] = {4, 0, 0};
  source.box.half[1] = {0, 0, 0};
  CHECK(close(normalized(whole_volume(source, wide).eye - source.box.centre), {0, -1, 0}));
  // What has a thickness is seen from aside.
  source.box.half[1] = {0, 0.5, 0};
  CHECK(whole_volume(source, wide).lens == Lens::perspective);
}

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

TEST_CASE("a camera sees all of a box from any side, as large as the picture's shape allows",
          "[view]") {
  const WorldBox boxes[] = {{{1, 2, 3}, {{9, 0, 0}, {0, 4, 0}, {0, 0, 1}}},
                            {{0, 0, 0}, {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 20}}}};
  for (const WorldBox& box : boxes)
    for (const double aspect : {0.25, 1.0, 3.0})
      for (const double azimuth : {0.0, 0.6, 2.0})
        for (const double elevation : {-0.7, 0.0, std::numbers::pi / 2}) {
          CAPTURE(aspect, azimuth, elevation, box.half[2].z);
          VolumeCamera camera = camera_at(box, azimuth, elevation, aspect);
          if (azimuth > 1) {
            camera.fov_rad = 1.5;
            camera = seeing_all(camera, box, aspect);
          }
          const Vec3d ahead = normalized(camera.look_at - camera.eye);
          const Vec3d right = normalized(cross(ahead, camera.up));
          double most = 0;
          double most_parallel = 0;
          for (int corner = 0; corner < 8; ++corner) {
            Vec3d at = box.centre - camera.eye;
            for (int axis = 0; axis < 3; ++axis)
              at = at + (corner >> axis & 1 ? 1.0 : -1.0) * box.half[axis];
            const double high =
                std::max(std::abs(dot(at, cross(right, ahead))), std::abs(dot(at, right)) / aspect);
            REQUIRE(dot(at, ahead) > 0);
            most = std::max(most, high / (dot(at, ahead) * std::tan(camera.fov_rad / 2)));
            most_parallel = std::max(most_parallel, 2 * high / camera.view_height);
          }
          CHECK(most == Approx(0.94));
          CHECK(most_parallel == Approx(0.94));
        }
}

TEST_CASE("a camera on its way begins and ends where it should, and turns on the way", "[view]") {
  const VolumeCamera from = some_camera();
  const VolumeCamera to = zoomed(panned(orbited(from, 1.2, 0.4), 0.1, 0.2), 4);
  CHECK(between(from, to, 0) == from);
  CHECK(between(from, to, 1) == to);
  const VolumeCamera half = between(from, to, 0.5);
  VolumeCamera aside = from;
  VolumeCamera aside_there = to;
  aside.centre_offset_px = {10, -20};
  aside_there.centre_offset_px = {30, 60};
  CHECK(between(aside, aside_there, 0.25).centre_offset_px.x == Approx(15));
  CHECK(between(aside, aside_there, 0.25).centre_offset_px.y == Approx(0).margin(1e-9));
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

TEST_CASE("shares, window, level and isosurface are those of a style's scale", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("gray").value();
  style.scale = {CurveKind::log, 1};
  CHECK(styled_function(style, {1, 10000}, 1).at(100).r == Approx(0.5));
  CHECK(styled_iso(style, {1, 10000}) == Approx(100));
  style.iso_shift = 0.25;
  CHECK(styled_iso(style, {1, 10000}) == Approx(1000));
  style.window = 0.5;
  style.level = 0.75;
  CHECK(covered_range(style, {1, 10000}).min == Approx(100));
  CHECK(covered_range(style, {1, 10000}).max == Approx(10000));
  const VolumeStyle back = volume_style_from_json(Json::parse(to_json(style).dump()));
  CHECK(back == style);
  CHECK(patched(style, {{"scale", "symlog:0.5"}}).scale == ValueCurve{CurveKind::symlog, 0.5});
  CHECK(patched(style, {{"quantiles", {1, 99}}}).quantiles == std::array<double, 2>{1, 99});
  CHECK_THROWS_WITH(patched(style, {{"range", {-1, 4}}}),
                    Catch::Contains("range: expected values above 0, which the scale log takes"));
  CHECK_THROWS_WITH(patched(style, {{"scale", "ln"}}), Catch::Contains("scale: expected linear, "));
  CHECK_THROWS_AS(patched(style, {{"quantiles", {99, 1}}}), InputError);
  CHECK_THROWS_AS(patched(style, {{"quantiles", {0, 101}}}), InputError);
  // A style of an earlier version has no scale.
  Json earlier = to_json(style);
  earlier.erase("scale");
  earlier.erase("low_values");
  CHECK(volume_style_from_json(earlier).scale.is_linear());
}

TEST_CASE("a field shows its low values, unless its function has an opacity of its own", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  CHECK(styled_function(style, {0, 1}, 1).at(0.05).a == 0);
  style.low_values = true;
  CHECK(styled_function(style, {0, 1}, 1).at(0).a == Approx(0.2));
  CHECK(styled_function(style, {0, 1}, 1).at(1).a == Approx(0.8));
  CHECK(styled_function(style, {0, 1}, 1).at(0.05).r ==
        Approx(named_transfer("viridis")->points.front().colour.r).margin(0.05));
  style.transfer.has_default_opacity = false;
  CHECK(styled_function(style, {0, 1}, 1).at(0.05).a == 0);
  CHECK(volume_style_from_json(Json::parse(to_json(style).dump())) == style);
}

TEST_CASE("a function in values of its own covers these, whatever the data", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("gray").value();
  style.transfer.scale = TransferScale::values;
  for (TransferPoint& point : style.transfer.points) point.value = -1000 + 4000 * point.value;
  CHECK(covered_range(style, {10, 20}) == ValueRange{-1000, 3000});
  style.window = 0.5;
  CHECK(covered_range(style, {10, 20}) == ValueRange{0, 2000});
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
  CHECK(often(StyleAdjustment::transfer, 1).transfer.name == "rain");  // 500 = 13 rounds of 37 + 19
  CHECK(often(StyleAdjustment::mode, 1).mode == CastMode::composite);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::opacity, 0), InputError);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::window, -1), InputError);
  CHECK_THROWS_AS(adjusted(style, StyleAdjustment::mode, 0.5), InputError);
  CHECK_THROWS_WITH(parse_style_adjustment("fog"), Catch::Contains("opacity"));
}

TEST_CASE("named functions follow each other in a ring, which one of a file enters at its ends",
          "[view]") {
  VolumeStyle style;
  const auto name_after = [&](std::string_view from, double steps) {
    style.transfer = named_transfer(std::string(from)).value();
    return adjusted(style, StyleAdjustment::transfer, steps).transfer.name;
  };
  const auto all = transfer_names().subspan(1);  // behind "default", which is viridis
  REQUIRE(transfer_names().front() == "default");
  CHECK(name_after(all[1], 1) == all[2]);
  CHECK(name_after(all[1], -1) == all[0]);
  CHECK(name_after(all[0], -1) == all.back());
  CHECK(name_after(all.back(), 1) == all[0]);
  CHECK(name_after("default", 1) == name_after("viridis", 1));
  CHECK(name_after("default", -1) == name_after("viridis", -1));
  CHECK(name_after("viridis", 1) != name_after("viridis", -1));
  style.transfer.name = "of-a-file.json";
  const auto after_a_file = [&](double steps) {
    return adjusted(style, StyleAdjustment::transfer, steps).transfer.name;
  };
  CHECK(after_a_file(1) == all[0]);
  CHECK(after_a_file(2) == all[1]);
  CHECK(after_a_file(-1) == all.back());
  CHECK(after_a_file(-2) == all[all.size() - 2]);
}

TEST_CASE("a style's values and its clip box are reset apart", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("magma").value();
  style.opacity = 3;
  style.window = 0.25;
  style.level = 0.75;
  style.iso_shift = 0.5;
  style.clip_min = {0.1, 0.2, 0.3};
  style.clip_max = {0.7, 0.8, 0.9};
  const VolumeStyle values = adjusted(style, StyleAdjustment::values, 0);
  CHECK(values.opacity == 1);
  CHECK(values.window == 1);
  CHECK(values.level == 0.5);
  CHECK(values.iso_shift == 0);
  CHECK(values.clip_min == style.clip_min);
  CHECK(values.clip_max == style.clip_max);
  const VolumeStyle whole = adjusted(style, StyleAdjustment::clip_box, 0);
  CHECK(whole.clip_min == std::array<double, 3>{0, 0, 0});
  CHECK(whole.clip_max == std::array<double, 3>{1, 1, 1});
  CHECK(whole.opacity == 3);
  CHECK(whole.window == 0.25);
  CHECK(whole.level == 0.75);
  CHECK(whole.iso_shift == 0.5);
}

TEST_CASE("a style's message has each field under its own name, and comes back as it was",
          "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.mode = CastMode::average;
  style.lit = true;
  style.lighting = {0.125F, 0.25F, 0.5F};
  style.samples_per_voxel = 2;
  style.iso_value = 7;
  style.iso_shift = -0.5;
  style.range = ValueRange{-3, 4};
  style.window = 0.5;
  style.level = -2;
  style.opacity = 8;
  style.background = {0.25F, 0.5F, 0.75F, 1};
  style.clip_min = {0.1, 0.2, 0.3};
  style.clip_max = {0.6, 0.7, 0.8};
  style.clip_planes = {{{1, 2, 3}, 4}, {{5, 6, 7}, 8}};
  style.annotations.axes = style.annotations.label = true;
  const Json json = Json::parse(to_json(style).dump());
  CHECK(json.at("mode") == "average");
  CHECK(json.at("light") == Json{0.125, 0.25, 0.5});
  CHECK(json.at("background") == Json{0.25, 0.5, 0.75});
  CHECK(json.at("clip_planes") == Json{{1, 2, 3, 4}, {5, 6, 7, 8}});
  CHECK(json.at("range") == Json{-3, 4});
  CHECK(json.at("axes") == true);
  CHECK(json.at("colour_bar") == false);
  CHECK(json.at("label") == true);
  CHECK(volume_style_from_json(json) == style);
  VolumeStyle plain;
  plain.transfer = style.transfer;
  CHECK(volume_style_from_json(Json::parse(to_json(plain).dump())) == plain);
  CHECK_FALSE(to_json(plain).contains("range"));
  const VolumeStyle reset =
      patched(style, {{"iso_value", nullptr}, {"range", nullptr}, {"samples_per_voxel", nullptr}});
  CHECK_FALSE(reset.iso_value);
  CHECK_FALSE(reset.samples_per_voxel);
  CHECK_FALSE(reset.range);
  CHECK(reset.clip_min == style.clip_min);
}

TEST_CASE("a style's numbers are taken up to their bounds, and no further", "[view]") {
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  const auto takes = [&](const char* field, const Json& value) {
    try {
      static_cast<void>(patched(style, {{field, value}}));
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  struct Bounds {
    const char* field;
    double least;
    double most;
  };
  for (const Bounds& bounds :
       {Bounds{"samples_per_voxel", 0.0625, 16}, Bounds{"iso_shift", -1, 1},
        Bounds{"window", 1.0 / 1024, 16}, Bounds{"level", -16, 16},
        Bounds{"opacity", 1.0 / 1024, 1024}, Bounds{"iso_value", -1e30, 1e30}}) {
    CAPTURE(bounds.field);
    CHECK(takes(bounds.field, bounds.least));
    CHECK(takes(bounds.field, bounds.most));
    CHECK_FALSE(takes(bounds.field, bounds.least - 0.001 * std::abs(bounds.least)));
    CHECK_FALSE(takes(bounds.field, bounds.most + 0.001 * std::abs(bounds.most)));
    CHECK_FALSE(takes(bounds.field, "1"));
  }
  for (const char* field : {"light", "background"}) {
    CAPTURE(field);
    CHECK(takes(field, {0, 0.5, 1}));
    for (const Json& wrong :
         {Json{-0.1, 0, 0}, Json{0, 1.1, 0}, Json{0, 0, 1.1}, Json{0, 0}, Json{0, 0, 0, 0}})
      CHECK_FALSE(takes(field, wrong));
  }
  CHECK(takes("clip_min", {0, 0.5, 0.99}));
  CHECK(takes("clip_max", {0.01, 0.5, 1}));
  CHECK_FALSE(takes("clip_min", {0, 0, 1}));  // nothing is left
  CHECK_FALSE(takes("clip_min", {-0.1, 0, 0}));
  CHECK_FALSE(takes("clip_max", {1, 1, 1.1}));
  CHECK(takes("range", {-1e30, 1e30}));
  CHECK_FALSE(takes("range", {1, 1}));
  CHECK_FALSE(takes("range", {-2e30, 0}));
  CHECK_FALSE(takes("range", {0, 2e30}));
  Json planes = Json::array();
  for (int i = 0; i < 6; ++i) planes.push_back({0, 0, 1, i});
  CHECK(takes("clip_planes", planes));
  planes.push_back({0, 0, 1, 7});
  CHECK_FALSE(takes("clip_planes", planes));
  CHECK_FALSE(takes("clip_planes", {{0, 0, 1}}));
  CHECK_FALSE(takes("mode", "minimum"));
  CHECK_FALSE(takes("colour", "red"));
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

TEST_CASE("a look's message has the glides of camera and style, each with its own times",
          "[view]") {
  VolumeStyle before;
  before.transfer = named_transfer("magma").value();
  VolumeStyle after = before;
  after.lit = !before.lit;
  VolumeLook look;
  look.camera = {some_camera(), camera_around({3, 4, 5}, 6, 0.1, 0.2), {Nanos(1000)}, Nanos(200)};
  look.style = StylePath::at_rest(std::make_shared<const VolumeStyle>(after));
  CHECK(look.glides_until() == GlobalInstant{Nanos(1200)});
  CHECK_FALSE(to_json(look).contains("style_from"));
  look.style = {std::make_shared<const VolumeStyle>(before),
                std::make_shared<const VolumeStyle>(after),
                {Nanos(50)},
                Nanos(3000)};
  CHECK(look.glides_until() == GlobalInstant{Nanos(3050)});
  const Json message = Json::parse(to_json(look).dump());
  CHECK(message.at("start_ns") == 1000);
  CHECK(message.at("duration_ns") == 200);
  CHECK(message.at("style_start_ns") == 50);
  CHECK(message.at("style_duration_ns") == 3000);
  const VolumeLook back = volume_look_from_json(message);
  CHECK(back.camera.start == GlobalInstant{Nanos(1000)});
  CHECK(back.camera.duration == Nanos(200));
  CHECK(close(back.camera.from.eye, look.camera.from.eye));
  CHECK(close(back.camera.to.eye, look.camera.to.eye));
  CHECK(back.style.start == GlobalInstant{Nanos(50)});
  CHECK(back.style.duration == Nanos(3000));
  CHECK(*back.style.from == before);
  CHECK(*back.style.to == after);
  look.camera.duration = Nanos(9000);
  CHECK(look.glides_until() == GlobalInstant{Nanos(10000)});
}
