// Which samples a beam of pixels needs, and which of them lie well inside of the volume.

#include "render/volume/beam_list.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/render/volume/volume_fields.hpp"

namespace tilewall {

using namespace render;
namespace {

constexpr VolumeSize size = {43, 37, 50};

Volume even() {
  return Volume(voxels_of(VoxelType::u8, size, [](Vec3d) { return 100.0; }));
}

Occupancy all_of(const Volume& volume) {
  return {volume, 1, [](const ValueRange&) { return true; }};
}

}  // namespace

TEST_CASE("samples of an interior run have their neighbours in the volume", "[volume]") {
  const Volume volume = even();
  const Occupancy occupancy = all_of(volume);
  const CastView view = view_aslant(volume, {128, 96}, 90);
  const PixelRays rays(view.camera, view.picture_px, volume, 0.25, view.tilt);
  const VoxelClip clip({}, volume);
  for (const bool is_lit : {false, true}) {
    CAPTURE(is_lit);
    const BeamLister lister(rays, clip, volume, occupancy, {false, is_lit, false});
    const double margin = is_lit ? 1 : 0;
    std::vector<BeamRun> runs;
    std::size_t interior = 0;
    std::size_t wrong = 0;
    for (int y = 0; y < 96; y += 16)
      for (int x = 0; x < 128; x += 16) {
        lister.list(x, y, 1000, runs);
        for (const BeamRun& run : runs) {
          if (!run.interior) continue;
          ++interior;
          for (const double px : {x + 0.5, x + 15.5})
            for (const double py : {y + 0.5, y + 15.5}) {
              const SampledRay ray = rays.through(px, py);
              for (const int sample : {run.first, run.end - 1}) {
                const Vec3d at = ray.start + sample * ray.advance;
                const bool is_inside = std::min({at.x, at.y, at.z}) >= margin &&
                                       at.x <= size.x - 1 - margin && at.y <= size.y - 1 - margin &&
                                       at.z <= size.z - 1 - margin;
                wrong += is_inside ? 0U : 1U;
              }
            }
        }
      }
    CHECK(interior > 20);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a beam's runs hold every sample of its rays in needed cells", "[volume]") {
  const Volume volume = even();
  const Occupancy occupancy = all_of(volume);
  const CastView view = view_aslant(volume, {64, 48}, 90);
  const PixelRays rays(view.camera, view.picture_px, volume, 0.5, view.tilt);
  const VoxelClip clip({}, volume);
  const BeamLister lister(rays, clip, volume, occupancy, {});
  std::vector<BeamRun> runs;
  for (int y = 0; y < 48; y += 16)
    for (int x = 0; x < 64; x += 16) {
      CAPTURE(x, y);
      CHECK(lister.list(x, y, 1000, runs));
      for (const int px : {x, x + 7, x + 15}) {
        const SampleSpan span = clip.span_of(rays.through(px + 0.5, y + 8.5));
        for (int sample = span.first; sample <= span.last; ++sample) {
          const bool is_held = std::ranges::any_of(
              runs, [&](const BeamRun& run) { return run.first <= sample && sample < run.end; });
          if (!is_held) FAIL("sample " << sample << " of pixel " << px);
        }
      }
    }
}

TEST_CASE("a box meets the cells that it touches, the last voxels being the last cell's",
          "[volume]") {
  // Nine voxels along x: two cells of four, and a voxel that begins a third one.
  const Volume volume(voxels_of(VoxelType::u8, {9, 8, 8}, [](Vec3d p) { return p.x < 5 ? 0 : 9; }));
  REQUIRE(volume.cells().x == 2);
  const Occupancy occupancy(volume, 1, [](const ValueRange& values) { return values.max > 5; });
  const auto any = [&](float from, float to) {
    return occupancy.any_in({{from, 1, 1}, {to, 2, 2}});
  };
  CHECK_FALSE(any(0, 3.5F));
  CHECK(any(3, 4));
  CHECK(any(5, 6));
  CHECK(any(8, 8));
  CHECK_FALSE(any(-3, -1));
  CHECK_FALSE(any(12.5F, 13));
  CHECK_FALSE(occupancy.any_in({{5, -3, 1}, {6, -1, 2}}));
  CHECK(occupancy.share() == 0.5);
}

}  // namespace tilewall
