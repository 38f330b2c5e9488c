// Pictures of volumes by OpenGL beside the reference's. Where there is no GPU, Mesa's llvmpipe
// draws.

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "render/gl/brick_atlas.hpp"
#include "render/gl/gl_device.hpp"
#include "render/gl/gl_volume_caster.hpp"
#include "render/gl/skip_map.hpp"
#include "render/volume/scalar_caster.hpp"
#include "render/volume/web_scene.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/render/volume/cast_pixels.hpp"

namespace tilewall {

using namespace render;
namespace {

constexpr double far_below_a_level = 0.05;  // of 255; asked for is 1
constexpr CastMode gl_modes[] = {CastMode::composite, CastMode::maximum, CastMode::average,
                                 CastMode::isosurface};

/// Null, and says why, where there is none.
std::unique_ptr<GlEngine> any_engine(std::size_t budget_bytes = 0) {
  if (test::sanitized()) {
    WARN("skipped: under sanitizers drivers leak, and what they compile is not watched");
    return nullptr;
  }
  std::string why_not;
  auto engine = GlEngine::open({GlPreference::any, budget_bytes}, why_not);
  if (engine == nullptr) WARN("skipped: no OpenGL 4.3 here: " << why_not);
  return engine;
}

/// Mean distance of a channel, in levels.
double distance(const CastPixels& a, const CastPixels& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i) sum += std::abs(a.bytes[i] - b.bytes[i]);
  return sum / (static_cast<double>(a.bytes.size()) * 3 / 4);
}

bool is_shown(const CastPixels& levels) {
  return std::any_of(levels.bytes.begin(), levels.bytes.end(),
                     [](std::uint8_t level) { return level > 0 && level < 255; });
}

/// Soft waves with holes of nothing between them, 0 to 1, over eight bricks.
Volume waves(VoxelType type, VolumePlace place = {}) {
  const ValueScale scale = WebScene::scale_of(type);
  return Volume(voxels_of(type, {48, 37, 43},
                          [&](Vec3d p) {
                            const double wave = std::sin(p.x * 0.31 + 1) * std::sin(p.y * 0.27) *
                                                std::cos(p.z * 0.23 + p.x * 0.1);
                            return std::clamp(0.3 + 0.69 * wave, 0.0, 1.0) / scale.scale;
                          }),
                place, scale);
}

const TransferFunction colourful({{0, {0, 0, 1, 0}},
                                  {0.413, {0, 1, 0, 0}},
                                  {0.677, {1, 0.5F, 0, 0.2F}},
                                  {0.677, {0, 0.5F, 1, 0.1F}},
                                  {1, {1, 1, 1, 0.6F}}});

TEST_CASE("OpenGL shows what the reference shows, of whole numbers in every mode", "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  double worst = 0;
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16}) {
    const Volume volume = waves(type);
    const CastView view = view_aslant(volume, {64, 48}, 110);
    GlVolumeCaster caster(*engine, volume);
    for (const CastMode mode : gl_modes)
      for (const Shading shading : {Shading::none, Shading::headlight}) {
        if (shading == Shading::headlight && mode != CastMode::composite) continue;
        // The same program; llvmpipe compiles it anew for each kind of texture.
        const bool is_plain = mode == CastMode::composite && shading == Shading::none;
        if (type == VoxelType::u16 && !is_plain) continue;
        CAPTURE(name_of(type), static_cast<int>(mode), static_cast<int>(shading));
        CastStyle style;
        style.mode = mode;
        style.shading = shading;
        style.background = {0.1F, 0.2F, 0.3F, 0};
        caster.set_style(colourful, style);
        const CastPixels shown = cast_part(caster, view, whole(view));
        CHECK(is_shown(shown));
        const double off = distance(shown, reference(volume, colourful, style, view));
        CHECK(off <= far_below_a_level);
        worst = std::max(worst, off);
      }
  }
  INFO("on " << engine->renderer() << ", at most " << worst << " of 255 in the mean");
  CHECK(worst <= far_below_a_level);
}

TEST_CASE("OpenGL refines as the reference does", "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  const TransferFunction sharp({{0.5, {1, 0.3F, 0.1F, 0}}, {0.55, {1, 0.9F, 0.8F, 0.9F}}});
  for (const VoxelType type : {VoxelType::u8, VoxelType::f32}) {
    const Volume volume = waves(type);
    CastView view = view_aslant(volume, {64, 48}, 110);
    GlVolumeCaster caster(*engine, volume);
    CastStyle style;
    style.refine = true;
    style.shading = type == VoxelType::u8 ? Shading::none : Shading::headlight;
    caster.set_style(sharp, style);
    const CastPixels refined = cast_part(caster, view, whole(view));
    CHECK(is_shown(refined));
    CHECK(distance(refined, reference(volume, sharp, style, view)) <= far_below_a_level);
    const RectPx part{20, 11, 24, 19};
    const CastPixels crop = cast_part(caster, view, part);
    for (int y = 0; y < part.height; ++y)
      CHECK(std::equal(crop.bytes.begin() + y * 24 * 4, crop.bytes.begin() + (y + 1) * 24 * 4,
                       refined.bytes.begin() + ((y + part.y) * 64 + part.x) * 4));
    view.rough = true;
    style.refine = false;
    CHECK(distance(cast_part(caster, view, whole(view)), reference(volume, sharp, style, view)) <=
          far_below_a_level);
  }
}

TEST_CASE("OpenGL shows logarithms as the reference does", "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  const ValueCurve by_log{CurveKind::log, 1};
  const TransferFunction function({{1e-3, {0, 0, 1, 0}},
                                   {0.1, {0, 1, 0, 0}},
                                   {100, {1, 0.5F, 0, 0.3F}},
                                   {1e4, {1, 1, 1, 0.6F}}},
                                  1, by_log);
  for (const VoxelType type : {VoxelType::u8, VoxelType::f32}) {
    const Volume volume(voxels_of(type, {40, 33, 36}, [&](Vec3d p) {
      if (type == VoxelType::u8) return std::floor(p.x * 6);
      if (p.z < 8) return p.z < 4 ? 0.0 : -5.0;
      return std::pow(10, 0.5 + 3.5 * std::sin(p.x * 0.2) * std::cos(p.y * 0.15));
    }));
    const CastView view = view_aslant(volume, {64, 48}, 90);
    GlVolumeCaster caster(*engine, volume);
    for (const CastMode mode : {CastMode::composite, CastMode::maximum, CastMode::average}) {
      CAPTURE(name_of(type), static_cast<int>(mode));
      CastStyle style;
      style.mode = mode;
      caster.set_style(function, style);
      const CastPixels shown = cast_part(caster, view, whole(view));
      CHECK(is_shown(shown));
      CHECK(distance(shown, reference(volume, function, style, view)) <= 0.5);
    }
  }
}

TEST_CASE("OpenGL clips, turns, stretches and stands inside, and a part is the crop of the whole",
          "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  VolumePlace place;
  place.spacing = {0.5, 1.25, 0.8};
  place.origin = {3, -20, 7};
  const double c = std::cos(0.6);
  const double s = std::sin(0.6);
  place.axes = {Vec3d{c, s, 0}, Vec3d{-s, c, 0}, Vec3d{0, 0, 1}};
  const Volume volume = waves(VoxelType::u8, place);
  GlVolumeCaster caster(*engine, volume);
  CastView outside = view_aslant(volume, {64, 48}, 90);
  outside.clip.box_min = {5.5, 3, 0};
  outside.clip.box_max = {40, 30.25, 40};
  outside.clip.planes = {{{1, 1, 0}, 0}, {{0, 0, -1}, 40}};
  outside.clip.planes[0].offset = -dot(outside.clip.planes[0].normal, volume.centre_world()) + 6;
  CastView inside = view_aslant(volume, {64, 48}, 2);
  inside.camera.fov_rad = 1.8;
  CastView straight = view_along_z(volume, {64, 48}, 50);
  CastView tilted = view_aslant(volume, {64, 48}, 70);
  tilted.tilt = askew;
  for (const CastMode mode : {CastMode::composite, CastMode::isosurface})
    for (const CastView* view : {&outside, &inside, &straight, &tilted}) {
      CAPTURE(static_cast<int>(mode), view == &inside, view == &straight, view == &tilted);
      CastStyle style;
      style.mode = mode;
      style.shading = Shading::headlight;
      style.step = 0.5;
      caster.set_style(colourful, style);
      const CastPixels all = cast_part(caster, *view, whole(*view));
      CHECK(is_shown(all));
      CHECK(distance(all, reference(volume, colourful, style, *view)) <= far_below_a_level);
      const RectPx part{13, 7, 37, 30};
      const CastPixels crop = cast_part(caster, *view, part);
      int different = 0;
      for (int y = 0; y < part.height; ++y)
        for (int x = 0; x < part.width * 4; ++x)
          different += crop.bytes[static_cast<std::size_t>(y * part.width * 4 + x)] !=
                       all.bytes[static_cast<std::size_t>((y + part.y) * 64 * 4 + part.x * 4 + x)];
      CHECK(different == 0);
    }
}

TEST_CASE("OpenGL shows what the reference shows of f32, empty voxels too", "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  const Volume volume(voxels_of(VoxelType::f32, {40, 30, 30}, [](Vec3d p) {
    if (length(p - Vec3d{14, 12, 9}) < 7) return std::numeric_limits<double>::quiet_NaN();
    return p.x > 25 ? std::numeric_limits<double>::infinity() : 0.5 + 0.4 * std::sin(p.y + p.z);
  }));
  GlVolumeCaster caster(*engine, volume);
  const CastView aslant = view_aslant(volume, {64, 48}, 80);
  const CastView straight = view_along_z(volume, {64, 48}, 40);  // samples on voxels: weights of 0
  for (const CastMode mode : gl_modes)
    for (const CastView* view : {&aslant, &straight}) {
      CAPTURE(static_cast<int>(mode), view == &straight);
      CastStyle style;
      style.mode = mode;
      style.shading = Shading::headlight;
      caster.set_style(colourful, style);
      CHECK(distance(cast_part(caster, *view, whole(*view)),
                     reference(volume, colourful, style, *view)) <= far_below_a_level);
    }
}

TEST_CASE("OpenGL shows a volume of more bricks than are copied at a time", "[render][gl]") {
  const auto engine = any_engine();
  if (engine == nullptr) return;
  // 5 x 5 x 4 bricks, 64 at a time; the values tell them from each other.
  const Volume volume(voxels_of(VoxelType::u8, {160, 130, 100},
                                [](Vec3d p) { return p.x * 0.5 + p.y * 0.6 + p.z * 0.7; }),
                      {}, WebScene::scale_of(VoxelType::u8));
  GlVolumeCaster caster(*engine, volume);
  const CastView view = view_aslant(volume, {64, 48}, 260);
  CastStyle style;
  style.step = 2;
  caster.set_style(colourful, style);
  static_cast<void>(cast_part(caster, view, {20, 20, 8, 8}));  // has less room than the whole
  const CastPixels all = cast_part(caster, view, whole(view));
  CHECK(is_shown(all));
  CHECK(distance(all, reference(volume, colourful, style, view)) <= far_below_a_level);
}

TEST_CASE("an atlas has slots about in a cube, an eighth more than are needed", "[render][gl]") {
  constexpr std::size_t slot_bytes = 35 * 35 * 35;  // a brick of 32 and what lies around it
  const Volume volume = waves(VoxelType::u8);
  const auto bytes = [&](std::size_t count, std::size_t bricks) {
    NeededBricks needed;
    needed.count = count;
    needed.bricks.assign(bricks, 1);
    return atlas_bytes(volume, needed);
  };
  CHECK(bytes(1, 1) == slot_bytes + 4);
  CHECK(bytes(8, 8) == 2 * 2 * 2 * slot_bytes + 8 * 4);
  CHECK(bytes(27, 1000) == 4 * 3 * 3 * slot_bytes + 1000 * 4);  // for 30
}

TEST_CASE("a host is said to have no EGL only where its library is missing", "[render][gl]") {
  if (test::sanitized()) {
    WARN("skipped: under sanitizers drivers leak, and what they compile is not watched");
    return;
  }
  const bool has_egl = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
  std::string why_not;
  const auto device = GlDevice::open(GlPreference::any, why_not);
  CAPTURE(has_egl, device != nullptr, why_not);
  CHECK((device == nullptr && why_not == "no EGL on this host") == !has_egl);
}

TEST_CASE("OpenGL holds what a style needs, within its budget", "[render][gl]") {
  const auto engine = any_engine(std::size_t{700} << 10);  // eight bricks of u8 take 343000 bytes
  if (engine == nullptr) return;
  const Volume first = waves(VoxelType::u8);
  const Volume second(voxels_of(VoxelType::u8, {48, 40, 40}, [](Vec3d p) { return p.x * 5; }), {},
                      WebScene::scale_of(VoxelType::u8));
  const Volume large = waves(VoxelType::f32);
  const CastStyle style;
  GlVolumeCaster one(*engine, first);
  GlVolumeCaster other(*engine, second);
  GlVolumeCaster too_large(*engine, large);
  one.set_style(colourful, style);
  other.set_style(colourful, style);
  CHECK_THROWS_AS(too_large.set_style(colourful, style), GlTooLarge);
  const CastView view = view_aslant(first, {64, 48}, 90);
  for (int i = 0; i < 2; ++i) {  // each in the other's place
    CHECK(distance(cast_part(one, view, whole(view)), reference(first, colourful, style, view)) <=
          far_below_a_level);
    CHECK(distance(cast_part(other, view, whole(view)),
                   reference(second, colourful, style, view)) <= far_below_a_level);
  }
  // From few bricks to others, and to all.
  const TransferFunction low({{0, {1, 1, 1, 0.3F}}, {0.1, {1, 0, 0, 0.3F}}, {0.2, {1, 0, 0, 0}}});
  const TransferFunction high({{0.8, {0, 0, 1, 0}}, {1, {0, 1, 0, 0.3F}}});
  CastPixels pixels(whole(view));
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  for (const TransferFunction* function : {&high, &low, &colourful, &high}) {
    other.set_style(*function, style);
    const std::uint64_t samples = other.cast(view, whole(view), pixels.view(), 1);
    least = std::min(least, samples);
    most = std::max(most, samples);
    CHECK(distance(pixels, reference(second, *function, style, view)) <= far_below_a_level);
  }
  CHECK(least > 0);
  CHECK(least * 2 < most);  // empty cells are left out
}

TEST_CASE("rays skip by the largest cubes that are all needed or all not", "[render][gl]") {
  CellGrid grid;
  grid.x = 21;
  grid.y = 9;
  grid.z = 14;
  std::vector<std::uint8_t> cells(grid.index(0, 0, grid.z), 0);
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y)
      for (int x = 0; x < grid.x; ++x)
        cells[grid.index(x, y, z)] = x >= 8 && y < 8 && (z < 9 || x + y == 17);
  constexpr int most_needed_level = 3;
  const SkipMap map = make_skip_map(grid, cells, most_needed_level, 2);
  const auto is_uniform = [&](int x, int y, int z, int level) {
    const int side = 1 << level;
    for (int k = z / side * side; k < std::min((z / side + 1) * side, grid.z); ++k)
      for (int j = y / side * side; j < std::min((y / side + 1) * side, grid.y); ++j)
        for (int i = x / side * side; i < std::min((x / side + 1) * side, grid.x); ++i)
          if (cells[grid.index(i, j, k)] != cells[grid.index(x, y, z)]) return false;
    return true;
  };
  bool all_right = true;
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y)
      for (int x = 0; x < grid.x; ++x) {
        const std::uint8_t cell = map.cells[grid.index(x, y, z)];
        const int level = cell & SkipMap::level_bits;
        const bool needed = (cell & SkipMap::needed) != 0;
        all_right = all_right && needed == (cells[grid.index(x, y, z)] != 0) &&
                    is_uniform(x, y, z, level) &&
                    (needed && level == most_needed_level ? true : !is_uniform(x, y, z, level + 1));
      }
  CHECK(all_right);

  std::vector<std::uint8_t> wide(cells.size(), 0);
  wide[grid.index(5, 4, 7)] = 1;
  wide[grid.index(6, 4, 7)] = 1;
  widen(grid, wide, {2, 0, 9});
  int count = 0;
  for (const std::uint8_t cell : wide) count += cell;
  CHECK(count == 6 * 1 * 14);
  CHECK(wide[grid.index(3, 4, 0)] == 1);
  CHECK(wide[grid.index(8, 4, 13)] == 1);
}

}  // namespace
}  // namespace tilewall
