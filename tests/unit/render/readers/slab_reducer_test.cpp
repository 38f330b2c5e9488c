// Voxels that become one: means of boxes of any side, what is not finite left out.

#include "render/readers/slab_reducer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilewall;
using namespace tilewall::render;

namespace {

constexpr float nan_voxel = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite_voxel = std::numeric_limits<float>::infinity();

template <typename T>
std::vector<T> reduced(VoxelType type, VolumeSize size, const std::vector<T>& voxels, int side) {
  const VolumeSize to = reduced_size({size.x, size.y, 1}, side);
  std::vector<T> out(to.voxels(), T{77});
  reduce_slab(type, size, reinterpret_cast<const std::byte*>(voxels.data()), size.z, side,
              reinterpret_cast<std::byte*>(out.data()));
  return out;
}

}  // namespace

TEST_CASE("boxes at the far ends are means of the voxels that they have", "[readers]") {
  // Two slices of 4 x 3 voxels, reduced by 3: boxes of 3 x 3 and 1 x 3 voxels in each slice.
  const std::vector<std::uint8_t> voxels = {1, 2, 3, 10, 4, 5, 6, 20, 7, 8, 9,  30,
                                            2, 3, 4, 11, 5, 6, 7, 21, 8, 9, 10, 33};
  // Sums of 45 + 54 over 18 voxels are 5.5; 60 + 65 over 6 are 20.83.
  CHECK(reduced<std::uint8_t>(VoxelType::u8, {4, 3, 2}, voxels, 3) ==
        std::vector<std::uint8_t>{6, 21});
  const std::vector<std::uint16_t> wide = {1, 2, 3, 10, 4,   5,   6,   20,
                                           7, 8, 9, 30, 100, 200, 301, 400};
  // One slice of 4 x 4, by 3: 5, 20, (100 + 200 + 301) / 3 and 400.
  CHECK(reduced<std::uint16_t>(VoxelType::u16, {4, 4, 1}, wide, 3) ==
        std::vector<std::uint16_t>{5, 20, 200, 400});
}

TEST_CASE("voxels that are not finite take no part, and a box of them alone is empty",
          "[readers]") {
  const std::vector<float> voxels = {1,         nan_voxel, infinite_voxel, nan_voxel,
                                     nan_voxel, 4,         nan_voxel,      -infinite_voxel};
  for (const int side : {2, 3}) {
    CAPTURE(side);
    const std::vector<float> out = reduced<float>(VoxelType::f32, {4, 2, 1}, voxels, side);
    CHECK(out[0] == 2.5F);
    CHECK(std::isnan(out[1]));
  }
  const std::vector<float> single = {nan_voxel, 7, nan_voxel, nan_voxel, 5, nan_voxel};
  CHECK(reduced<float>(VoxelType::f32, {3, 2, 1}, single, 2)[0] == 6);
  CHECK(std::isnan(reduced<float>(VoxelType::f32, {3, 2, 1}, single, 2)[1]));
  CHECK(reduced<float>(VoxelType::f32, {2, 2, 1}, {nan_voxel, 7, nan_voxel, nan_voxel}, 2)[0] == 7);
}

TEST_CASE("halving gives the same as reducing by hand, of one and of two slices", "[readers]") {
  // Of 3 x 3 voxels: means of four, two, two and one, halves rounded up.
  CHECK(reduced<std::uint8_t>(VoxelType::u8, {3, 3, 1}, {1, 2, 9, 3, 4, 10, 5, 6, 255}, 2) ==
        std::vector<std::uint8_t>{3, 10, 6, 255});
  CHECK(reduced<std::uint8_t>(VoxelType::u8, {3, 1, 2}, {1, 2, 9, 3, 4, 12}, 2) ==
        std::vector<std::uint8_t>{3, 11});
  CHECK(reduced<std::uint8_t>(VoxelType::u8, {2, 2, 2}, {255, 255, 255, 255, 255, 255, 255, 254},
                              2) == std::vector<std::uint8_t>{255});
}

TEST_CASE("a part of a slab is reduced to its own place", "[readers]") {
  // 6 x 4 voxels of column + 10 * row, by 2: only the boxes from column 2 and row 2 on.
  std::vector<std::uint8_t> voxels;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) voxels.push_back(static_cast<std::uint8_t>(x + 10 * y));
  for (const int side : {1, 2}) {
    CAPTURE(side);
    const VolumeSize to = reduced_size({6, 4, 1}, side);
    std::vector<std::uint8_t> out(to.voxels(), 99);
    reduce_slab(VoxelType::u8, {6, 4, 1}, reinterpret_cast<const std::byte*>(voxels.data()), 1,
                side, {2, 4, 2, 4}, reinterpret_cast<std::byte*>(out.data()));
    CHECK(std::count(out.begin(), out.end(), 99) == static_cast<int>(out.size()) - 4 / side / side);
    if (side == 1) CHECK(out[2 * 6 + 2] == 22);
    if (side == 1) CHECK(out[3 * 6 + 3] == 33);
    if (side == 2) CHECK(out[1 * 3 + 1] == 28);  // the mean of 22, 23, 32 and 33 is 27.5
  }
}

TEST_CASE("the first coarse voxel lies in the middle of those that it stands for", "[readers]") {
  VolumePlace place;
  place.spacing = {1, 2, 3};
  place.origin = {10, 20, 30};
  place.axes[0] = {0, 1, 0};
  place.axes[1] = {-1, 0, 0};
  const VolumePlace coarse = reduced_place(place, {5, 4, 1}, 4);
  CHECK(coarse.spacing == Vec3d{4, 8, 3});  // one slice stays as thick as it is
  CHECK(coarse.origin == Vec3d{10 - 3, 20 + 1.5, 30});
  CHECK(reduced_place(place, {5, 4, 2}, 2).origin == Vec3d{10 - 1, 20 + 0.5, 30 + 1.5});
  CHECK(reduced_size({5, 4, 1}, 4).x == 2);
  CHECK(reduced_size({5, 4, 1}, 4).y == 1);
  CHECK(reduced_size({5, 4, 1}, 4).z == 1);
}
