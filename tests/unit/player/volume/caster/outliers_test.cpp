// What is told of volumes whose colours are spent on a few numbers far off.

#include "player/volume/caster/outliers.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/render/volume/volume_fields.hpp"

using namespace tilewall;
using namespace tilewall::volume;

namespace {

constexpr VolumeSize size{48, 40, 32};

double from_middle(Vec3d at) { return length(at - Vec3d{20, 20, 16}); }

/// Of the field, but for one voxel.
template <typename Field>
std::optional<ValueRange> without_outliers(VoxelType type, double far_off, Field&& field,
                                           ValueScale scale = {}) {
  const Volume volume(voxels_of(type, size,
                                [&](Vec3d at) {
                                  return at == Vec3d{5, 6, 7} ? far_off : double(field(at));
                                }),
                      {}, scale);
  return range_without_outliers(volume, volume.value_range());
}

}  // namespace

TEST_CASE("where one number takes nearly all colours, where the others lie is known", "[view]") {
  const auto ball = [](Vec3d at) { return std::max(0.0, 200 - 9 * from_middle(at)); };
  for (const VoxelType type : {VoxelType::u16, VoxelType::f32}) {
    const auto found = without_outliers(type, 65535, ball);
    REQUIRE(found);
    CHECK(found->min == 0);
    CHECK(found->max >= 180);
    CHECK(found->max <= 210);
  }
  CHECK(without_outliers(VoxelType::f32, 1e30, ball));
  CHECK(without_outliers(VoxelType::f32, -1e30, ball)->max <= 210);
  CHECK_FALSE(without_outliers(VoxelType::f32, 8000, ball));  // 2.3 %
  CHECK_FALSE(without_outliers(VoxelType::f32, 150, ball));
  CHECK_FALSE(without_outliers(VoxelType::f32, std::nan(""), ball));  // no number at all
  const auto scanned = without_outliers(VoxelType::u16, 65535, ball, {0.5, -1000});
  REQUIRE(scanned);
  CHECK(scanned->min == -1000);
  CHECK(scanned->max <= -890);
  CHECK_THAT(
      outlier_line("a.nrrd", {0, 65535}, {0, 200}),
      Catch::Contains("a.nrrd: colours are for 0 to 65535") && Catch::Contains("--range 0,200"));
}

TEST_CASE("objects in empty space, masks and labels crowd nothing", "[view]") {
  CHECK_FALSE(without_outliers(VoxelType::f32, 1e30, [](Vec3d) { return 3; }));
  CHECK_FALSE(without_outliers(VoxelType::u16, 65535,
                               [](Vec3d at) { return from_middle(at) < 2 ? 9 : 0; }));
  CHECK_FALSE(
      without_outliers(VoxelType::u16, 65535, [](Vec3d at) { return from_middle(at) < 9; }));
  const auto labels = [](Vec3d at) {
    return int(at.x) / 12 + 4 * (int(at.y) / 10) + 16 * (int(at.z) / 8);
  };
  CHECK_FALSE(without_outliers(VoxelType::u16, 20000, labels));
  CHECK_FALSE(without_outliers(VoxelType::f32, 20000, labels));
  // As many numbers, but no regions of them.
  CHECK(without_outliers(VoxelType::u16, 20000,
                         [](Vec3d at) { return int(at.x + at.y + at.z) % 64; }));
  // An object of many numbers in empty space: the space is no label.
  CHECK(without_outliers(VoxelType::u16, 20000, [](Vec3d at) {
    return from_middle(at) < 12 ? 1 + int(7 * at.x + 13 * at.y + 29 * at.z) % 64 : 0;
  }));
}
