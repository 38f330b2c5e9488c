// A volume that is built slice by slice is the one that is loaded at once.

#include "render/volume/volume_builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "render/volume/cell_ranges.hpp"
#include "render/volume/volume_caster.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace volume_builder_test {

template <typename T>
T voxel_at(int x, int y, int z) {
  return static_cast<T>((x * 7 + y * 31 + z * 101) % 251);
}

/// Writes the slices in a random order.
template <typename T>
void fill(VolumeBuilder& builder, VolumeSize size, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(size.z));
  for (int z = 0; z < size.z; ++z) order[static_cast<std::size_t>(z)] = z;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  for (const int z : order) {
    CHECK(!builder.is_whole());
    const VolumeBuilder::Slice slice = builder.slice(z);
    for (int y = 0; y < size.y; ++y) {
      T* const row =
          reinterpret_cast<T*>(slice.first + static_cast<std::size_t>(y) * slice.row_bytes);
      for (int x = 0; x < size.x; ++x) row[x] = voxel_at<T>(x, y, z);
    }
    builder.finish_slice(z);
  }
  CHECK(builder.is_whole());
}

/// What is loaded at once, with axes of one voxel doubled.
template <typename T>
VoxelArray at_once(VoxelType type, VolumeSize size) {
  VoxelArray array(type, thickened(size));
  const VolumeSize thick = array.size();
  for (int z = 0; z < thick.z; ++z)
    for (int y = 0; y < thick.y; ++y)
      for (int x = 0; x < thick.x; ++x)
        array.voxels<T>()[(static_cast<std::size_t>(z) * static_cast<std::size_t>(thick.y) +
                           static_cast<std::size_t>(y)) *
                              static_cast<std::size_t>(thick.x) +
                          static_cast<std::size_t>(x)] =
            voxel_at<T>(std::min(x, size.x - 1), std::min(y, size.y - 1), std::min(z, size.z - 1));
  return array;
}

template <typename T>
void check_same(VoxelType type, VolumeSize size, unsigned seed) {
  CAPTURE(size.x, size.y, size.z, seed, name_of(type));
  VolumePool pool;
  VolumeBuilder builder(type, size, true, pool);
  fill<T>(builder, size, seed);
  const VoxelArray expected = at_once<T>(type, size);
  CHECK(std::ranges::equal(builder.voxels().voxels<T>(), expected.voxels<T>()));
  const Volume volume = builder.volume({}, {2, 1});
  const Volume loaded(expected, thickened(VolumePlace{}, size), {2, 1});
  CHECK(volume.cells().stored == loaded.cells().stored);
  CHECK(volume.value_range() == loaded.value_range());
  CHECK(volume.centre_world().x == loaded.centre_world().x);
  const auto packed = builder.take_packed();
  const bool packs = type == VoxelType::u8 && best_family() != CastFamily::scalar;
  REQUIRE((packed != nullptr) == packs);
  if (!packs) return;
  const auto packed_at_once = pack_voxels(expected, 1);
  CHECK(packed->loaded() == packed_at_once->loaded());
  int wrong = 0;
  for (int z = 0; z < volume.size().z; ++z)
    for (int y = 0; y < volume.size().y; ++y)
      for (int x = 0; x < volume.size().x; ++x)
        wrong += packed->voxel(x, y, z) == packed_at_once->voxel(x, y, z) ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(!builder.take_packed());
}

}  // namespace volume_builder_test

using volume_builder_test::check_same;

TEST_CASE("a volume built from slices in any order is the one that is loaded at once", "[volume]") {
  for (const VolumeSize size : {VolumeSize{20, 9, 33},
                                {16, 8, 8},
                                {17, 9, 9},
                                {5, 5, 4},
                                {6, 7, 16},
                                {2, 2, 2},
                                {1, 9, 11},
                                {9, 1, 11},
                                {9, 11, 1},
                                {1, 1, 1}})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      check_same<std::uint8_t>(VoxelType::u8, size, seed);
      check_same<std::uint16_t>(VoxelType::u16, size, seed);
      check_same<float>(VoxelType::f32, size, seed);
    }
}

TEST_CASE("only u8 voxels are packed while they arrive, and only where that is asked for",
          "[volume]") {
  VolumePool pool;
  const bool fast = best_family() != CastFamily::scalar;
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32})
    for (const bool packs : {false, true}) {
      CAPTURE(name_of(type), packs);
      VolumeBuilder builder(type, {4, 4, 4}, packs, pool);
      for (int z = 0; z < 4; ++z) {
        std::fill_n(builder.slice(z).first, 4 * builder.slice(z).row_bytes, std::byte{0});
        builder.finish_slice(z);
      }
      CHECK((builder.take_packed() != nullptr) == (fast && packs && type == VoxelType::u8));
    }
}

TEST_CASE("infinite voxels of slices become empty ones", "[volume]") {
  VolumePool pool;
  VolumeBuilder builder(VoxelType::f32, {4, 4, 4}, true, pool);
  for (int z = 0; z < 4; ++z) {
    auto* const first = reinterpret_cast<float*>(builder.slice(z).first);
    std::fill(first, first + 16, 3.0F);
    first[0] = std::numeric_limits<float>::infinity();
    builder.finish_slice(z);
  }
  const Volume volume = builder.volume({}, {});
  CHECK(std::isnan(volume.voxels<float>()[0]));
  CHECK(volume.value_range() == ValueRange{3, 3});
}

TEST_CASE("memory of volumes that are gone serves the next ones of their size", "[volume]") {
  VolumePool pool;
  const std::byte* first = nullptr;
  {
    const VoxelArray voxels = pool.voxels(VoxelType::u8, {20, 20, 20});
    first = voxels.data();
    const VoxelArray other = pool.voxels(VoxelType::u8, {20, 20, 20});
    CHECK(other.data() != first);
  }
  CHECK(pool.voxels(VoxelType::u8, {20, 20, 20}).data() == first);
  const TiledVoxels* const packed = pool.packed({20, 20, 20}).get();
  CHECK(pool.packed({20, 20, 20}).get() == packed);
  // Two volumes that are gone are kept, and the oldest of three is not.
  {
    std::vector<VoxelArray> three;
    std::vector<const std::byte*> places;
    for (int i = 0; i < 3; ++i) three.push_back(pool.voxels(VoxelType::u8, {20, 20, 20}));
    for (const VoxelArray& one : three) places.push_back(one.data());
    while (!three.empty()) three.erase(three.begin());
    const VoxelArray newest = pool.voxels(VoxelType::u8, {20, 20, 20});
    const VoxelArray before = pool.voxels(VoxelType::u8, {20, 20, 20});
    CHECK(newest.data() == places[2]);
    CHECK(before.data() == places[1]);
  }
  // Another size frees what is kept, and has memory of its own.
  const VoxelArray larger = pool.voxels(VoxelType::f32, {20, 20, 20});
  std::ranges::fill(larger.voxels<float>(), 1.0F);
  // Voxels may outlive the pool.
  std::optional<VolumePool> gone(std::in_place);
  const VoxelArray orphan = gone->voxels(VoxelType::u8, {4, 4, 4});
  gone.reset();
  CHECK(orphan.voxels<std::uint8_t>().size() == 64);
}
