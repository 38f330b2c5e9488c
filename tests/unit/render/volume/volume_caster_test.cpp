// The fast casters beside the reference: every family of kernels that this machine has.
#include "render/volume/volume_caster.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "render/volume/cast_plan.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/web_scene.hpp"
#include "tests/unit/render/volume/cast_pixels.hpp"

namespace tilewall {

using namespace render;
namespace {

constexpr VoxelType types[] = {VoxelType::u8, VoxelType::u16, VoxelType::f32};
constexpr CastMode modes[] = {CastMode::composite, CastMode::maximum, CastMode::average,
                              CastMode::isosurface};

std::vector<CastFamily> families() {
  std::vector<CastFamily> all;
  for (const CastFamily family : {CastFamily::avx2, CastFamily::avx512, CastFamily::vnni}) {
    if (is_available(family))
      all.push_back(family);
    else
      WARN("this machine or build has no " << name_of(family) << ": not tested");
  }
  return all;
}

double psnr_db(const CastPixels& a, const CastPixels& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i) {
    const double off = double(a.bytes[i]) - double(b.bytes[i]);
    squares += off * off;
  }
  const double mean = squares / (double(a.bytes.size()) * 3 / 4);
  return mean == 0 ? 99 : 10 * std::log10(255.0 * 255.0 / mean);
}

bool is_crop(const CastPixels& crop, const CastPixels& all, RectPx part) {
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width * 4; ++x)
      if (crop.bytes[static_cast<std::size_t>(y * part.width * 4 + x)] !=
          all.bytes[static_cast<std::size_t>((y + part.y) * all.size_px.width * 4 + part.x * 4 +
                                             x)])
        return false;
  return true;
}

int picture_light(const CastPixels& pixels) {
  int sum = 0;
  for (std::size_t i = 0; i < pixels.bytes.size(); ++i)
    if (i % 4 != 3) sum += pixels.bytes[i];
  return sum;
}

/// Soft waves with holes of nothing between them, 0 to 1, in a box with three different sides.
Volume waves(VoxelType type, VolumePlace place = {}, VolumeSize size = {43, 37, 50}) {
  const ValueScale scale = WebScene::scale_of(type);
  return Volume(voxels_of(type, size,
                          [&](Vec3d p) {
                            const double wave = std::sin(p.x * 0.31 + 1) * std::sin(p.y * 0.27) *
                                                std::cos(p.z * 0.23 + p.x * 0.1);
                            return std::clamp(0.3 + 0.69 * wave, 0.0, 1.0) / scale.scale;
                          }),
                place, scale);
}

const TransferFunction fits_bins(
    {{0, {0, 0, 1, 0}}, {0.4, {0, 1, 0, 0}}, {0.6, {1, 0.5F, 0, 0.1F}}, {1, {1, 1, 1, 0.4F}}});
const TransferFunction fits_no_bins({{0, {0, 0, 1, 0}},
                                     {0.413, {0, 1, 0, 0}},
                                     {0.677, {1, 0.5F, 0, 0.2F}},
                                     {0.677, {0, 0.5F, 1, 0.1F}},
                                     {1, {1, 1, 1, 0.6F}}});

TEST_CASE("fast casters show what the reference shows", "[render][volume]") {
  for (const VoxelType type : types) {
    const Volume volume = waves(type);
    CastView view = view_aslant(volume, {70, 50}, 110);
    for (const CastMode mode : modes) {
      for (const Shading shading : {Shading::none, Shading::headlight}) {
        if (shading == Shading::headlight && mode != CastMode::composite) continue;
        CastStyle style;
        style.mode = mode;
        style.shading = shading;
        style.background = {0.1F, 0.2F, 0.3F, 0};
        for (const TransferFunction* function : {&fits_bins, &fits_no_bins}) {
          const CastPixels expected = reference(volume, *function, style, view);
          for (const CastFamily family : families()) {
            CAPTURE(name_of(type), name_of(family), static_cast<int>(mode),
                    static_cast<int>(shading), function == &fits_bins);
            VolumeCaster caster(volume, family);
            caster.set_style(*function, style);
            const double db = psnr_db(cast_part(caster, view, whole(view), 2), expected);
            CHECK(db >= 50);
          }
        }
      }
    }
  }
}

TEST_CASE("a part of a picture is its crop, to the bit, on any number of threads",
          "[render][volume]") {
  const RectPx parts[] = {{0, 0, 33, 17}, {33, 17, 37, 33}, {5, 30, 16, 16}, {69, 49, 1, 1}};
  for (const VoxelType type : types) {
    const Volume volume = waves(type);
    for (const Lens lens : {Lens::perspective, Lens::orthographic}) {
      CastView view = view_aslant(volume, {70, 50}, 110);
      view.camera.lens = lens;
      view.camera.view_height = 60;
      view.clip.planes = {{{0.1, 0.2, 1}, -20}};
      for (const CastMode mode : modes) {
        CastStyle style;
        style.mode = mode;
        style.shading = Shading::headlight;
        style.step = 0.8;
        for (const CastFamily family : families()) {
          CAPTURE(name_of(type), name_of(family), static_cast<int>(mode));
          VolumeCaster caster(volume, family);
          caster.set_style(fits_bins, style);
          const CastPixels all = cast_part(caster, view, whole(view), 3);
          CHECK(picture_light(all) > 3000);
          for (const RectPx& part : parts) CHECK(is_crop(cast_part(caster, view, part), all, part));
        }
      }
    }
  }
}

/// Of all colours of all pixels.
int greatest_difference(const CastPixels& a, const CastPixels& b) {
  int greatest = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    greatest = std::max(greatest, std::abs(int{a.bytes[i]} - int{b.bytes[i]}));
  return greatest;
}

TEST_CASE("a pixel of a single voxel is left out by none", "[render][volume]") {
  // One voxel in 256, here and there, and at all ends.
  const VolumeSize size = {61, 50, 47};
  const auto is_set = [&](Vec3d p) {
    const auto number = static_cast<std::uint32_t>(p.x + 61 * (p.y + 50 * p.z));
    return number * 2654435761U >> 8 & 0xFF ? 0.0 : 1.0;
  };
  for (const VoxelType type : types) {
    const double most = type == VoxelType::f32 ? 1 : type == VoxelType::u8 ? 255 : 65535;
    const Volume volume(voxels_of(type, size, [&](Vec3d p) { return most * is_set(p); }), {},
                        WebScene::scale_of(type));
    CastStyle style;
    CastView outside = view_aslant(volume, {100, 90}, 130);
    CastView inside = view_aslant(volume, {64, 48}, 3);
    inside.camera.fov_rad = 2;
    CastView parallel = outside;
    parallel.camera.lens = Lens::orthographic;
    parallel.camera.view_height = 60;
    for (const CastMode mode : {CastMode::composite, CastMode::isosurface}) {
      style.mode = mode;
      style.iso_value = 0.5F;
      for (const CastView* view : {&outside, &inside, &parallel}) {
        const CastPixels expected = reference(volume, fits_bins, style, *view);
        CHECK(picture_light(expected) > 0);
        for (const CastFamily family : families()) {
          CAPTURE(name_of(type), name_of(family), mode == CastMode::composite, view == &inside);
          VolumeCaster caster(volume, family);
          caster.set_style(fits_bins, style);
          CHECK(caster.needed_share() < 0.9);
          CHECK(greatest_difference(cast_part(caster, *view, whole(*view)), expected) <= 3);
        }
      }
    }
  }
}

TEST_CASE("fast casters clip, turn, stretch and stand inside as the reference does",
          "[render][volume]") {
  VolumePlace place;
  place.spacing = {0.5, 1.25, 0.8};
  place.origin = {3, -20, 7};
  const double c = std::cos(0.6);
  const double s = std::sin(0.6);
  place.axes = {Vec3d{c, s, 0}, Vec3d{-s, c, 0}, Vec3d{0, 0, 1}};
  for (const VoxelType type : types) {
    const Volume volume = waves(type, place);
    CastStyle style;
    style.shading = Shading::headlight;
    style.step = 0.5;
    CastView outside = view_aslant(volume, {48, 48}, 90);
    outside.clip.box_min = {5.5, 3, 0};
    outside.clip.box_max = {40, 30.25, 44};
    outside.clip.planes = {{{1, 1, 0}, 0}, {{0, 0, -1}, 40}};
    outside.clip.planes[0].offset = -dot(outside.clip.planes[0].normal, volume.centre_world()) + 6;
    CastView inside = view_aslant(volume, {48, 48}, 2);
    inside.camera.fov_rad = 1.8;
    CastView away = view_aslant(volume, {48, 48}, 60);
    away.camera.look_at = away.camera.eye + (away.camera.eye - away.camera.look_at);
    CastView tilted = view_aslant(volume, {48, 48}, 70);
    tilted.tilt = askew;
    for (const CastView* view : {&outside, &inside, &away, &tilted}) {
      const CastPixels expected = reference(volume, fits_bins, style, *view);
      CHECK((picture_light(expected) > 0) == (view != &away));
      for (const CastFamily family : families()) {
        CAPTURE(name_of(type), name_of(family), view == &inside, view == &tilted);
        VolumeCaster caster(volume, family);
        caster.set_style(fits_bins, style);
        CHECK(psnr_db(cast_part(caster, *view, whole(*view)), expected) >= 50);
      }
    }
  }
}

TEST_CASE("empty voxels are empty for fast casters too", "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::f32, {30, 30, 30}, [](Vec3d p) {
    if (length(p - Vec3d{14, 12, 9}) < 7) return std::numeric_limits<double>::quiet_NaN();
    return p.x > 20 ? std::numeric_limits<double>::infinity() : 0.5 + 0.4 * std::sin(p.y + p.z);
  }));
  const CastView view = view_aslant(volume, {40, 40}, 80);
  for (const CastMode mode : modes) {
    CastStyle style;
    style.mode = mode;
    style.shading = Shading::headlight;
    const CastPixels expected = reference(volume, fits_bins, style, view);
    for (const CastFamily family : families()) {
      CAPTURE(name_of(family), static_cast<int>(mode));
      VolumeCaster caster(volume, family);
      caster.set_style(fits_bins, style);
      CHECK(psnr_db(cast_part(caster, view, whole(view)), expected) >= 50);
    }
  }
}

TEST_CASE("large cells, coarse steps and pictures beyond the volume", "[render][volume]") {
  const Volume volume = waves(VoxelType::u8, {}, {800, 24, 20});
  CHECK(volume.cells().side == 8);
  CastView view = view_aslant(volume, {64, 40}, 900);
  view.camera.fov_rad = 1;
  for (const double step : {0.4, 6.0}) {
    CastStyle style;
    style.step = step;
    const TransferFunction function(fits_bins.points(), 3);
    const CastPixels expected = reference(volume, function, style, view);
    for (const CastFamily family : families()) {
      CAPTURE(name_of(family), step);
      VolumeCaster caster(volume, family);
      caster.set_style(function, style);
      CHECK(psnr_db(cast_part(caster, view, whole(view)), expected) >= 50);
      const CastPixels beyond = cast_part(caster, view, {-20, -33, 5, 7});
      CHECK(beyond.bytes[3] == 255);
    }
  }
}

TEST_CASE("rough pictures take as few samples as their pixels are far apart", "[render][volume]") {
  const Volume volume = waves(VoxelType::u8);
  CastView view = view_aslant(volume, {70, 50}, 110);
  view.camera.lens = Lens::orthographic;
  view.camera.view_height = 60;  // 1.2 a pixel
  CHECK(rough_stride(view, 5) == 1);
  CHECK(rough_stride(view, 1) == 2);
  CHECK(rough_stride(view, 0.1) == most_rough_stride);
  view.camera.lens = Lens::perspective;
  CHECK(rough_stride(view, 1) ==
        static_cast<int>(2 * 110 * 2 * std::tan(view.camera.fov_rad / 2) / 50));
  CastView nowhere = view;
  nowhere.camera.look_at.x = std::nan("");
  CHECK(rough_stride(nowhere, 1) == 1);
  view.camera.lens = Lens::orthographic;
  CastStyle twice;
  twice.step = 2;
  const CastPixels expected = reference(volume, fits_bins, twice, view);
  CastView rough = view;
  rough.rough = true;
  for (const CastFamily family : families()) {
    CAPTURE(name_of(family));
    VolumeCaster caster(volume, family);
    caster.set_style(fits_bins, {});
    CastPixels pixels(whole(view));
    const std::uint64_t all = caster.cast(view, whole(view), pixels.view());
    const CastPixels exact = pixels;
    const std::uint64_t some = caster.cast(rough, whole(view), pixels.view());
    CHECK(psnr_db(pixels, expected) >= 50);
    CHECK(some < all * 6 / 10);
    CHECK(is_crop(cast_part(caster, rough, {33, 17, 37, 33}), pixels, {33, 17, 37, 33}));
    CHECK(cast_part(caster, view, whole(view)).bytes == exact.bytes);
  }
}

/// Opaque from 0.5 on, as bone is in a scan, with a thin sheet before it.
const TransferFunction sharp({{0.3, {0.2F, 0.4F, 1, 0}},
                              {0.31, {0.2F, 0.4F, 1, 0.15F}},
                              {0.32, {0.2F, 0.4F, 1, 0}},
                              {0.5, {1, 0.3F, 0.1F, 0}},
                              {0.55, {1, 0.9F, 0.8F, 0.9F}},
                              {1, {1, 1, 1, 1}}});

CastStyle refined_style(Shading shading = Shading::none) {
  CastStyle style;
  style.shading = shading;
  style.refine = true;
  style.background = {0.1F, 0.2F, 0.3F, 0};
  return style;
}

TEST_CASE("refined pictures have no rings, for fewer samples than a shorter step takes",
          "[render][volume]") {
  // A dented ball, whose surface is two voxels thick.
  const Volume volume(
      voxels_of(VoxelType::u8, {48, 48, 48},
                [](Vec3d p) {
                  const Vec3d from = p - Vec3d{23.5, 23.5, 23.5};
                  const double dents = 2 * std::sin(from.x * 0.6) * std::sin(from.y * 0.5);
                  return std::clamp(128 + 128 * (17 + dents - length(from)), 0.0, 255.0);
                }),
      {}, WebScene::scale_of(VoxelType::u8));
  const CastView view = view_aslant(volume, {160, 120}, 110);
  const TransferFunction bone({{0.3, {0, 0.3F, 1, 0}}, {0.6, {1, 0.9F, 0, 0.9F}}});
  CHECK(changes_sharply(some_cells(volume), TransferTable(bone, 1)));
  CHECK_FALSE(changes_sharply(some_cells(waves(VoxelType::u8)), TransferTable(fits_bins, 1)));
  VolumeCaster caster(volume);
  CastStyle style;
  std::uint64_t samples = 0;
  const auto drawn = [&](double step, bool refine) {
    style.step = step;
    style.refine = refine;
    caster.set_style(bone, style);
    CastPixels pixels(whole(view));
    samples = caster.cast(view, whole(view), pixels.view());
    return pixels;
  };
  const CastPixels expected = drawn(1.0 / 16, false);
  CHECK(psnr_db(drawn(1, false), expected) < 32);
  drawn(0.25, false);
  const std::uint64_t samples_of_quarters = samples;
  CHECK(psnr_db(drawn(1, true), expected) >= 50);
  CHECK(samples <= samples_of_quarters * 6 / 10);
}

TEST_CASE("fast casters refine as the reference does, and parts are crops", "[render][volume]") {
  VolumePlace place;
  place.spacing = {1, 1.25, 0.8};
  for (const VoxelType type : types) {
    const Volume volume = waves(type, place);
    CastView view = view_aslant(volume, {70, 50}, 110);
    CastView inside = view_aslant(volume, {48, 48}, 3);
    inside.camera.fov_rad = 1.6;
    inside.clip.planes = {{{0.1, 0.2, 1}, -12}};
    for (const Shading shading : {Shading::none, Shading::headlight})
      for (const CastView* by : {&view, &inside}) {
        const CastStyle style = refined_style(shading);
        const CastPixels expected = reference(volume, sharp, style, *by);
        for (const CastFamily family : families()) {
          CAPTURE(name_of(type), name_of(family), shading == Shading::none, by == &inside);
          VolumeCaster caster(volume, family);
          caster.set_style(sharp, style);
          CHECK(caster.needed_share() < 0.9);
          const CastPixels all = cast_part(caster, *by, whole(*by), 2);
          CHECK(psnr_db(all, expected) >= 50);
          const RectPx part{13, 17, 30, 21};
          CHECK(is_crop(cast_part(caster, *by, part), all, part));
        }
      }
  }
}

TEST_CASE("samples beside empty voxels, of other modes and of rough pictures are not refined",
          "[render][volume]") {
  const Volume volume(voxels_of(VoxelType::f32, {30, 30, 30}, [](Vec3d p) {
    if (length(p - Vec3d{14, 12, 9}) < 7) return std::numeric_limits<double>::quiet_NaN();
    return p.x > 20 ? std::numeric_limits<double>::infinity() : 0.5 + 0.4 * std::sin(p.y + p.z);
  }));
  CastView view = view_aslant(volume, {40, 40}, 80);
  CastStyle style = refined_style(Shading::headlight);
  const CastPixels expected = reference(volume, sharp, style, view);
  for (const CastFamily family : families()) {
    CAPTURE(name_of(family));
    VolumeCaster caster(volume, family);
    caster.set_style(sharp, style);
    CHECK(psnr_db(cast_part(caster, view, whole(view)), expected) >= 50);
  }
  VolumeCaster caster(volume);
  const auto drawn = [&](bool refine) {
    style.refine = refine;
    caster.set_style(sharp, style);
    return cast_part(caster, view, whole(view)).bytes;
  };
  CHECK(drawn(true) != drawn(false));
  for (const CastMode mode : {CastMode::maximum, CastMode::average, CastMode::isosurface}) {
    style.mode = mode;
    CHECK(drawn(true) == drawn(false));
  }
  style.mode = CastMode::composite;
  view.rough = true;
  CHECK(drawn(true) == drawn(false));
}

TEST_CASE("the sparse scene leaves out most samples and nothing that is seen", "[render][volume]") {
  const WebScene scene;
  const Volume volume(scene.voxels(VoxelType::u8, 48, 2), {}, WebScene::scale_of(VoxelType::u8));
  const CastView view = view_aslant(volume, {80, 64}, 96);
  CastStyle style;
  const TransferFunction function = sparse_function(48);
  const CastPixels expected = reference(volume, function, style, view);
  for (const CastFamily family : families()) {
    CAPTURE(name_of(family));
    VolumeCaster caster(volume, family);
    caster.set_style(function, style);
    CastPixels pixels(whole(view));
    const std::uint64_t taken = caster.cast(view, whole(view), pixels.view());
    CHECK(psnr_db(pixels, expected) >= 50);
    const std::uint64_t alone = caster.sample_only(view, whole(view), pixels.view(), 1);
    CHECK(taken <= alone);
    CHECK(taken > alone / 2);
  }
}

TEST_CASE("a maximum leaves out cells that hold nothing greater than what was found",
          "[render][volume]") {
  for (const VoxelType type : types) {
    // A number that falls from the middle of a ball to its rim.
    const ValueScale scale = WebScene::scale_of(type);
    const Volume volume(voxels_of(type, {48, 48, 48},
                                  [&](Vec3d p) {
                                    const double away = length(p - Vec3d{23, 23, 23});
                                    return std::max(0.0, 1 - away / 24) / scale.scale;
                                  }),
                        {}, scale);
    const CastView view = view_aslant(volume, {240, 192}, 96);
    CastStyle style;
    style.mode = CastMode::maximum;
    const TransferFunction function = sparse_function(48);
    const CastPixels expected = reference(volume, function, style, view);
    for (const CastFamily family : families()) {
      CAPTURE(name_of(family), name_of(type));
      VolumeCaster caster(volume, family);
      CastPixels pixels(whole(view));
      style.mode = CastMode::average;
      caster.set_style(function, style);
      const std::uint64_t all = caster.cast(view, whole(view), pixels.view());
      style.mode = CastMode::maximum;
      caster.set_style(function, style);
      const std::uint64_t taken = caster.cast(view, whole(view), pixels.view());
      CHECK(taken < all * 3 / 4);
      CHECK(psnr_db(pixels, expected) >= 50);
    }
  }
}

TEST_CASE("a maximum of numbers far from 0", "[render][volume]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0, 1);
  struct Range {
    double least;
    double width;
  };
  for (const Range range : {Range{1e6, 1}, Range{-1234567.25, 1}, Range{3e5, 7}, Range{-1e-3, 1}}) {
    // Blocks of different numbers, so that a ray may leave out most of what it meets.
    std::vector<double> blocks(4 * 4 * 4);
    for (double& block : blocks) block = share(random);
    const VoxelArray array = voxels_of(VoxelType::f32, {48, 48, 48}, [&](Vec3d p) {
      const auto block = static_cast<std::size_t>(p.x / 12) +
                         4 * static_cast<std::size_t>(p.y / 12) +
                         16 * static_cast<std::size_t>(p.z / 12);
      return range.least + range.width * (0.9 * blocks[block] + 0.1 * share(random));
    });
    const Volume volume(array);
    CellGrid cells = volume.cells();
    const ValueRange all = volume.value_range();
    for (ValueRange& cell : cells.stored) cell = all;  // so that none can be left out
    const Volume without_skipping(array, cells, {}, {});
    const TransferFunction function({{all.min, {0, 0, 0, 1}}, {all.max, {1, 1, 1, 1}}});
    const CastView view = view_aslant(volume, {96, 80}, 80);
    CastStyle style;
    style.mode = CastMode::maximum;
    for (const CastFamily family : families()) {
      CAPTURE(name_of(family), range.least);
      VolumeCaster caster(volume, family);
      caster.set_style(function, style);
      CastPixels pixels(whole(view));
      const std::uint64_t taken = caster.cast(view, whole(view), pixels.view());
      VolumeCaster of_all(without_skipping, family);
      of_all.set_style(function, style);
      CastPixels expected(whole(view));
      const std::uint64_t most = of_all.cast(view, whole(view), expected.view());
      CHECK(picture_light(expected) > 10000);
      CHECK(pixels.bytes == expected.bytes);
      CHECK(taken < most * 4 / 5);
    }
  }
}

TEST_CASE("the sparse scene's voxels are those of its formula, in each type", "[render][volume]") {
  struct Place {
    std::size_t x, y, z;
    double part;  // by NumPy, from the formula in web_scene.hpp
  };
  const Place places[] = {{0, 0, 0, 0.20832},  {3, 5, 7, 0.18467},   {8, 8, 8, 0.10603},
                          {15, 1, 9, 0.24514}, {1, 14, 12, 0.25112}, {7, 2, 3, 0.26516}};
  const WebScene scene;
  const VoxelArray parts = scene.voxels(VoxelType::f32, 16, 2);
  const VoxelArray bytes = scene.voxels(VoxelType::u8, 16, 1);
  const VoxelArray words = scene.voxels(VoxelType::u16, 16, 3);
  for (const Place& place : places) {
    CAPTURE(place.x, place.y, place.z);
    const std::size_t i = (place.z * 16 + place.y) * 16 + place.x;
    CHECK(double(parts.voxels<float>()[i]) == Approx(place.part).margin(3e-5));
    CHECK(bytes.voxels<std::uint8_t>()[i] == std::lround(place.part * 255));
    CHECK(double(words.voxels<std::uint16_t>()[i]) == Approx(place.part * 65535).margin(3));
  }
}

TEST_CASE("bins hold a function whose points they can, and no other", "[render][volume]") {
  const TransferBins bins = bins_of(fits_bins, 1, {0.5, -0.1});
  CHECK(bins.count == 30);
  CHECK(bins.per_stored == Approx(15));
  CHECK(bins.at_zero == Approx(-3));
  const auto at = [&](const TransferBins::Channel& channel, float place) {
    const int i = static_cast<int>(place);
    return channel.base[i] + channel.slope[i] * place;
  };
  CHECK(at(bins.a, 0.5F * 30) == Approx(0.05));
  CHECK(at(bins.b, 0.2F * 30) == Approx(0.5));
  CHECK(bins_of(fits_no_bins, 1, {}).count == 0);
  CHECK(bins_of(TransferFunction({{3, {}}}, 1), 1, {}).count == 0);
  // Steps: two colours at one value, at the first, a middle or the last place.
  const Rgba some{0.5F, 0.5F, 0.5F, 0.01F};
  const Rgba other{0.5F, 0.5F, 0.25F, 0.01F};
  CHECK(bins_of(TransferFunction({{0, some}, {1, other}, {2, some}}), 1, {}).count > 0);
  CHECK(bins_of(TransferFunction({{0, some}, {0, other}, {2, some}}), 1, {}).count == 0);
  CHECK(bins_of(TransferFunction({{0, some}, {1, some}, {1, other}, {2, some}}), 1, {}).count == 0);
  CHECK(bins_of(TransferFunction({{0, some}, {2, some}, {2, other}}), 1, {}).count == 0);
  CHECK(bins_of(TransferFunction({{0, some}, {1, other}, {1, other}, {2, some}}), 1, {}).count > 0);
  // An opacity near 1 is far from straight where steps are short.
  CHECK(bins_of(TransferFunction({{0, {}}, {1, {1, 1, 1, 1}}}), 0.1, {}).count == 0);
}

TEST_CASE("a family is named, and the scalar one always there", "[render][volume]") {
  CHECK(is_available(CastFamily::scalar));
  CHECK(is_available(best_family()));
  CHECK(std::string_view(name_of(CastFamily::vnni)) == "vnni");
  const Volume volume = waves(VoxelType::u8);
  const CastView view = view_aslant(volume, {20, 20}, 110);
  VolumeCaster caster(volume, CastFamily::scalar);
  caster.set_style(fits_bins, {});
  CHECK(cast_part(caster, view, whole(view)).bytes == reference(volume, fits_bins, {}, view).bytes);
}

}  // namespace
}  // namespace tilewall
