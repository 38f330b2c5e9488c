// Volumes on walls that are no plane: what panels show, against plain geometry of the room.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "player/director/scene_publisher.hpp"
#include "player/panel/composer.hpp"
#include "player/volume/cast_request.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::volume;
using namespace tilewall::wall;
using test::start;

namespace {

constexpr double step_rad = 40 * std::numbers::pi / 180;
constexpr double frame_mm = 4;
// Three screens of two panels, 40 degrees each; a pixel a millimetre.
constexpr const char* bent_wall =
    "columns = 3\nrows = 2\n[panels]\nsize_px = [160, 60]\nsize_mm = [160, 60]\nbezel_mm = 4\n"
    "[arc]\nincrement_deg = 40\n";
const double arc_radius_mm = (80 + frame_mm) / std::tan(step_rad / 2);

constexpr VolumeSize box_size{96, 48, 64};
const Vec3d eye_voxel{48, 24, 4};
/// Balls in whole voxels from the eye: right, up, ahead.
const Vec3d sights[] = {{-29, 4, 27}, {-21, -5, 34}, {-6, 4, 39},
                        {6, -4, 39},  {20, 5, 34},   {30, -4, 27}};

/// The camera's up is -y, so that x runs to the right.
Vec3d ball_at(Vec3d sight) { return eye_voxel + Vec3d{sight.x, -sight.y, sight.z}; }

template <typename Field>
ReadyTimestep timestep_of(Field&& field) {
  VoxelArray voxels(VoxelType::u8, box_size);
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  for (int z = 0; z < box_size.z; ++z)
    for (int y = 0; y < box_size.y; ++y)
      for (int x = 0; x < box_size.x; ++x)
        *to++ = static_cast<std::uint8_t>(
            std::clamp(field(Vec3d{double(x), double(y), double(z)}), 0.0, 255.0));
  return {Volume(std::move(voxels)), 1};
}

ReadyTimestep balls() {
  return timestep_of([](Vec3d at) {
    double value = 0;
    for (const Vec3d sight : sights) {
      const Vec3d away = at - ball_at(sight);
      value += 255 * std::exp(-dot(away, away) / 1.7);
    }
    return value;
  });
}

ReadyTimestep waves_around() {
  return timestep_of([](Vec3d at) {
    return 128 + 110 * std::sin(at.x * 0.3 + 1) * std::sin(at.y * 0.27) * std::cos(at.z * 0.2);
  });
}

VolumeCamera camera_within(double fov_rad) {
  VolumeCamera camera;
  camera.eye = eye_voxel;
  camera.look_at = eye_voxel + Vec3d{0, 0, 1};
  camera.up = {0, -1, 0};
  camera.fov_rad = fov_rad;
  return camera;
}

RequestedStyle maximum_style() {
  VolumeStyle style;
  style.transfer = named_transfer("gray").value();
  style.mode = CastMode::maximum;
  style.range = ValueRange{0, 255};
  style.samples_per_voxel = 4;
  return {to_json(style).dump(), style};
}

/// Draws as a caster's client does, in this process.
class CastHere final : public PictureSource {
 public:
  CastHere(ReadyTimestep& timestep, std::vector<CastMessage>& asked)
      : timestep_(timestep), asked_(asked) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return {}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  void set_parameters(const DrawParameters& parameters) override { parameters_ = parameters; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& placement, const ImageView& picture,
                  const ImageView* /*last_good*/) override {
    CastMessage message = cast_request(*parameters_.shot, placement, picture.size_px);
    message.coarser_by = parameters_.coarser_by;
    const auto bytes = std::as_bytes(std::span(&message, 1));
    REQUIRE(decode_cast(bytes, std::size_t{1} << 24));
    asked_.push_back(message);
    make_picture(timestep_, maximum_style(), message, picture, 1);
    return DrawStatus::whole;
  }

 private:
  ReadyTimestep& timestep_;
  std::vector<CastMessage>& asked_;
  DrawParameters parameters_;
  DrawCounters counters_;
};

/// What panels show of a region, and what they asked their caster for.
struct ShownWall {
  std::vector<TestPicture> panels;
  std::vector<CastMessage> asked;
};

struct HowShown {
  BezelMode bezels = BezelMode::hide;
  int coarser_by = 0;
  std::optional<RectF> region_px = std::nullopt;  ///< all of the canvas
};

ShownWall show(const Wall& wall, ReadyTimestep& timestep, const VolumeCamera& camera,
               const HowShown& how) {
  Scene scene = first_scene({volume_region("main")});
  scene.bezels = how.bezels;
  scene.coarser_by = how.coarser_by;
  const SizePx canvas = Canvas(wall, how.bezels, ContentMode::arc_length).size_px();
  Region& region = scene.regions[0];
  region.canvas_px =
      how.region_px.value_or(RectF{0, 0, double(canvas.width), double(canvas.height)});
  region.look = usual_look(*region.source, region.canvas_px);
  region.look->camera = CameraPath::at_rest(camera);
  const Scene sent = RegionPlanes(wall).hung(scene);
  ShownWall shown;
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    PanelConfig config;
    config.frame_buffer_px = wall.panels[i].size_px;
    config.rotation = wall.panels[i].rotation;
    config.places = places_from_json(to_json(PanelPlaces(wall, i)));
    Composer composer(
        config,
        [&](const SourceSpec&) { return std::make_unique<CastHere>(timestep, shown.asked); },
        [](const std::string& line) { FAIL(line); });
    composer.begin(sent, true);
    shown.panels.emplace_back(config.viewed_size_px());
    composer.draw(composer.plan(start, {0}), shown.panels.back().view(), nullptr);
  }
  return shown;
}

/// Where the eye at the arc's centre sees a sight, by the intersection of its ray with the screens.
struct OnPanel {
  std::size_t panel = 0;
  PointF at_px;
};
OnPanel seen_on_panel(Vec3d sight, const VolumeCamera& camera, BezelMode bezels) {
  const bool hidden = bezels == BezelMode::hide;
  const double part_width_mm = hidden ? 160 : 160 + 2 * frame_mm;
  const double part_height_mm = hidden ? 60 : 60 + 2 * frame_mm;
  // The field of view is that of the canvas's height where the screen in the middle stands.
  const double canvas_mm = 2 * (60 + 2 * frame_mm) - (hidden ? 2 * frame_mm : 0);
  const double enlarged = canvas_mm / 2 / std::tan(camera.fov_rad / 2) / arc_radius_mm;
  const Vec3d ray{sight.x * enlarged, sight.y * enlarged, -sight.z};
  for (int screen = 0; screen < 3; ++screen) {
    const double angle = (screen - 1) * step_rad;
    const Vec3d right{std::cos(angle), 0, std::sin(angle)};
    const Vec3d towards_eye{-std::sin(angle), 0, std::cos(angle)};
    const double share = -arc_radius_mm / dot(ray, towards_eye);
    if (share < 0) continue;
    const Vec3d from_middle = share * ray + arc_radius_mm * towards_eye;
    const double x_mm = dot(from_middle, right);
    if (std::abs(x_mm) > part_width_mm / 2) continue;
    const int row = from_middle.y > 0 ? 0 : 1;
    const double y_mm = (row == 0 ? 1 : -1) * (30 + frame_mm) - from_middle.y;
    return {static_cast<std::size_t>(3 * row + screen),
            {80 + x_mm * 160 / part_width_mm, 30 + y_mm * 60 / part_height_mm}};
  }
  FAIL("seen beside the wall");
  return {};
}

/// The middle of the light within so many pixels.
PointF light_near(const ImageView& picture, PointF near) {
  constexpr int reach = 9;
  double sum = 0;
  PointF at;
  for (int y = std::max(int(near.y) - reach, 0); y < std::min(int(near.y) + reach, 60); ++y)
    for (int x = std::max(int(near.x) - reach, 0); x < std::min(int(near.x) + reach, 160); ++x) {
      const double light = std::max(picture.pixel(x, y)[0] - 64, 0);
      sum += light;
      at = {at.x + light * (x + 0.5), at.y + light * (y + 0.5)};
    }
  return {at.x / sum, at.y / sum};
}

/// How far the light of two pictures' touching columns is apart, each carried on to the seam by its
/// last two columns.
double seam_gap(const ImageView& left, const ImageView& right) {
  const int last = left.size_px.width - 1;
  const auto carried = [](const ImageView& picture, int edge, int inner, int y) {
    return 1.5 * picture.pixel(edge, y)[0] - 0.5 * picture.pixel(inner, y)[0];
  };
  double sum = 0;
  for (int y = 0; y < left.size_px.height; ++y)
    sum += std::abs(carried(left, last, last - 1, y) - carried(right, 0, 1, y));
  return sum / left.size_px.height;
}

/// Of all channels, the greatest difference.
int farthest_apart(const ImageView& a, const ImageView& b) {
  int most = 0;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int x = 0; x < 4 * a.size_px.width; ++x)
      most = std::max(most, std::abs(a.row(y)[x] - b.row(y)[x]));
  return most;
}

}  // namespace

TEST_CASE("on an arc every panel shows what the eye sees through it", "[view][arc]") {
  const Wall wall = wall_of(bent_wall);
  ReadyTimestep timestep = balls();
  for (const BezelMode bezels : {BezelMode::hide, BezelMode::show})
    for (const double fov_deg : {28.0, 31.04, 36.0}) {  // smaller, as the eye has it, larger
      const VolumeCamera camera = camera_within(fov_deg * std::numbers::pi / 180);
      const ShownWall shown = show(wall, timestep, camera, {bezels});
      for (const Vec3d sight : sights) {
        const OnPanel expected = seen_on_panel(sight, camera, bezels);
        const PointF found = light_near(shown.panels[expected.panel].view(), expected.at_px);
        CAPTURE(fov_deg, sight.x, expected.panel, expected.at_px.x, expected.at_px.y, found.x,
                found.y, bezels == BezelMode::hide);
        CHECK(std::hypot(found.x - expected.at_px.x, found.y - expected.at_px.y) < 0.4);
      }
    }
}

TEST_CASE("the true field of view is the angle under which the eye sees the wall", "[view][arc]") {
  const Wall wall = wall_of(bent_wall);
  const double canvas_mm = 2 * (60 + frame_mm);  // bezels hidden: all but the outermost ones
  const SizePx canvas = Canvas(wall, BezelMode::hide, ContentMode::arc_length).size_px();
  const RectF all{0, 0, double(canvas.width), double(canvas.height)};
  const auto plane = region_plane(screens_from_eye(wall, BezelMode::hide), all);
  CHECK(true_fov_rad(plane, all) == Approx(2 * std::atan(canvas_mm / 2 / arc_radius_mm)));
}

TEST_CASE("on an arc the picture goes on across seams, also while it is coarse", "[view][arc]") {
  const Wall wall =
      wall_of("columns = 3\nrows = 2\n[panels]\nsize_px = [160, 60]\n[arc]\nincrement_deg = 40\n");
  ReadyTimestep timestep = waves_around();
  const VolumeCamera camera = camera_within(0.5);
  for (const int coarser_by : {0, 1, 2}) {
    const ShownWall shown = show(wall, timestep, camera, {BezelMode::show, coarser_by});
    for (const std::size_t left : {0U, 1U, 3U, 4U}) {
      CAPTURE(coarser_by, left);
      CHECK(seam_gap(shown.panels[left].view(), shown.panels[left + 1].view()) < 1.2);
    }
  }
}

TEST_CASE("screens in one plane, wherever it is, show what a flat wall shows", "[view][arc]") {
  const std::string flat = "columns = 2\nrows = 1\n[panels]\nsize_px = [120, 90]\n";
  const auto panel = [](int column, double x) {
    return fmt::format("[[panel]]\ncolumn = {}\nrow = 0\npose = {{ centre_mm = [{}, 0, -5] }}\n",
                       column, x);
  };
  ReadyTimestep timestep = waves_around();
  const Wall behind = wall_of(flat + panel(0, -15) + panel(1, 15));
  REQUIRE_FALSE(behind.flat());
  for (const int coarser_by : {0, 1}) {
    const HowShown how{BezelMode::hide, coarser_by};
    const ShownWall expected = show(wall_of(flat), timestep, camera_within(0.9), how);
    const ShownWall shown = show(behind, timestep, camera_within(0.9), how);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK_FALSE(tilt_of(expected.asked[i]));  // crops of one picture, by the same rays as ever
      CHECK(tilt_of(shown.asked[i]));
      CHECK(farthest_apart(expected.panels[i].view(), shown.panels[i].view()) <= 2);
    }
  }
}

TEST_CASE("on an arc hosts read what all screens see, and parallel rays stay parallel",
          "[view][arc]") {
  const Wall wall = wall_of(bent_wall);
  ReadyTimestep timestep = balls();
  VolumeCamera camera = camera_within(0.5);
  const RectF beside{120, 10, 300, 100};
  const ShownWall shown = show(wall, timestep, camera, {BezelMode::hide, 0, beside});
  REQUIRE(shown.asked.size() == 6);
  for (const CastMessage& asked : shown.asked) {
    const VolumeCamera region = region_camera_of(asked);
    CHECK(asked.sees_around == 0);
    CHECK(region == region_camera_of(shown.asked[0]));
    // Every corner's ray lies within the region's.
    const PixelRays seen(region, {asked.region_width, asked.region_height}, timestep.volume, 1);
    const PixelRays rays(camera_of(asked), {asked.picture_width, asked.picture_height},
                         timestep.volume, 1, tilt_of(asked));
    for (const int x : {asked.x, asked.x + asked.width})
      for (const int y : {asked.y, asked.y + asked.height}) {
        const Vec3d ray = rays.through(x, y).advance;
        CHECK(length(ray) == Approx(1));  // samples lie a step apart
        const double ahead = dot(ray, seen.ahead);
        const auto px = [&](Vec3d across) {
          return dot(ray, across) / dot(across, across) / ahead;
        };
        CAPTURE(x, y, asked.region_width, asked.region_height);
        CHECK(std::abs(seen.centre_px.x + px(seen.right) - asked.region_width / 2.0) <=
              asked.region_width / 2.0 + 0.01);
        CHECK(std::abs(seen.centre_px.y + px(seen.down) - asked.region_height / 2.0) <=
              asked.region_height / 2.0 + 0.01);
      }
  }
  camera.lens = Lens::orthographic;
  for (const CastMessage& asked : show(wall, timestep, camera, {BezelMode::hide, 0, beside}).asked)
    CHECK_FALSE(tilt_of(asked));
  // All around the viewer no flat picture holds it.
  const Wall round =
      wall_of("columns = 6\nrows = 1\n[panels]\nsize_px = [160, 60]\n[arc]\nincrement_deg = 50\n");
  camera.lens = Lens::perspective;
  for (const CastMessage& asked : show(round, timestep, camera, {}).asked)
    CHECK(asked.sees_around == 1);
}
