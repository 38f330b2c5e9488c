// Which bricks are read for the tiles of a picture, and that the tiles have the file's voxels.

#include "player/volume/caster/tile_loader.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>

#include "player/volume/caster/tile_detail.hpp"
#include "player/volume/tile_choice.hpp"
#include "render/volume/occupancy.hpp"
#include "render/volume/tiled_voxels.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::volume;

namespace {
namespace tile_loader_test {

/// A file in bricks, of voxels that look random. Counts how often each brick is unpacked.
class CountingFile final : public VoxelReader {
 public:
  CountingFile(VolumeSize size, std::array<int, 3> brick) {
    info_.size = size;
    info_.type = VoxelType::u8;
    info_.tile_voxels = {brick[0], brick[1]};
    info_.slab_voxels = brick[2];
    std::mt19937 random(7);
    voxels_.resize(size.voxels());
    for (std::uint8_t& voxel : voxels_) voxel = static_cast<std::uint8_t>(random());
  }

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const VolumeInfo& info() const noexcept override { return info_; }
  [[nodiscard]] bool is_lost() const noexcept override { return false; }
  void read_box(int /*grid*/, int /*timestep*/, const GridBox& box, const VoxelTarget& into,
                const std::stop_token& /*stop*/) override {
    const std::array<int, 3> side = info_.grid(0).chunk;
    for (int z = box.begin[2] / side[2]; z * side[2] < box.end[2]; ++z)
      for (int y = box.begin[1] / side[1]; y * side[1] < box.end[1]; ++y)
        for (int x = box.begin[0] / side[0]; x * side[0] < box.end[0]; ++x) ++read[{x, y, z}];
    for (int z = box.begin[2]; z < box.end[2]; ++z)
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        const auto from =
            static_cast<std::size_t>((z * info_.size.y + y) * info_.size.x + box.begin[0]);
        std::memcpy(into.first + static_cast<std::size_t>(z - box.begin[2]) * into.slice_bytes +
                        static_cast<std::size_t>(y - box.begin[1]) * into.row_bytes,
                    &voxels_[from], static_cast<std::size_t>(box.end[0] - box.begin[0]));
      }
  }
  [[nodiscard]] std::size_t window_bytes() const noexcept override { return 1 << 20; }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return 0; }
  [[nodiscard]] Work work() const noexcept override { return {}; }

  /// Beyond the ends the last voxel stands again.
  [[nodiscard]] std::uint8_t voxel(int x, int y, int z) const {
    const VolumeSize& size = info_.size;
    return voxels_[static_cast<std::size_t>(
        (std::min(z, size.z - 1) * size.y + std::min(y, size.y - 1)) * size.x +
        std::min(x, size.x - 1))];
  }

  std::map<std::array<int, 3>, int> read;

 private:
  const std::string path_ = "counted";
  VolumeInfo info_;
  std::vector<std::uint8_t> voxels_;
};

/// A choice of the whole volume's tiles; `use` says what the picture has of each.
template <typename Use>
DetailChoice choice_of(VolumeSize size, Use&& use, const std::array<int, 3>& begin = {}) {
  TileNeeds needs;
  const std::array<int, 3> count = tiles_along(size);
  for (int z = 0; z < count[2]; ++z)
    for (int y = 0; y < count[1]; ++y)
      for (int x = 0; x < count[0]; ++x) {
        needs.uses.push_back(use(x, y, z));
        needs.count += needs.uses.back() == TileUse::needed ? 1U : 0U;
      }
  DetailChoice choice;
  choice.box = {begin, {begin[0] + size.x, begin[1] + size.y, begin[2] + size.z}};
  choice.needed = choice.box;
  choice.tiles_bytes = 2 * tiled_bytes(size, needs.uses.size());
  choice.tiles = std::make_shared<const TileNeeds>(std::move(needs));
  return choice;
}

Volume empty(VolumeSize size, const DetailChoice& choice) {
  return empty_tiled_volume({0, 1, size, {}}, choice, {});
}

/// All tiles of the file from `begin` on, each by itself.
Volume loaded_singly(const CountingFile& file, VolumeSize size, const DetailChoice& choice) {
  Volume volume = empty(size, choice);
  const std::array<int, 3>& count = volume.tiles()->tiles();
  const std::array<int, 3>& begin = choice.box.begin;
  std::vector<std::uint8_t> around(17 * 9 * 9);
  for (int z = 0; z < count[2]; ++z)
    for (int y = 0; y < count[1]; ++y)
      for (int x = 0; x < count[0]; ++x) {
        std::uint8_t* to = around.data();
        for (int k = 0; k < 9; ++k)
          for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 17; ++i)
              *to++ = file.voxel(begin[0] + 16 * x + i, begin[1] + 8 * y + j, begin[2] + 8 * z + k);
        volume.load_tile(volume.tiles()->tile_at(x, y, z), {around.data(), 17, 17 * 9});
      }
  return volume;
}

/// Number of loaded tiles whose voxels or cells are not those of `whole`.
int wrong_tiles(const Volume& volume, const Volume& whole) {
  int wrong = 0;
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  const std::size_t quads = tile_bytes / sizeof(std::uint32_t);
  const std::array<int, 3>& count = volume.tiles()->tiles();
  const CellGrid& cells = volume.cells();
  for (std::size_t tile = 0; tile < loaded.size(); ++tile) {
    if (loaded[tile] == 0) continue;
    bool same = std::memcmp(volume.tiles()->layout().quads + tile * quads,
                            whole.tiles()->layout().quads + tile * quads, tile_bytes) == 0;
    const auto at = static_cast<int>(tile);
    const int x = at % count[0] * tile_sides[0] / cells.side;
    const int y = at / count[0] % count[1] * tile_sides[1] / cells.side;
    const int z = at / count[0] / count[1] * tile_sides[2] / cells.side;
    for (int cz = z; cz < std::min(z + tile_sides[2] / cells.side, cells.z); ++cz)
      for (int cy = y; cy < std::min(y + tile_sides[1] / cells.side, cells.y); ++cy)
        for (int cx = x; cx < std::min(x + tile_sides[0] / cells.side, cells.x); ++cx) {
          const ValueRange own = cells.stored[cells.index(cx, cy, cz)];
          const ValueRange other = whole.cells().stored[cells.index(cx, cy, cz)];
          same = same && own.min == other.min && own.max == other.max;
        }
    wrong += same ? 0 : 1;
  }
  return wrong;
}

}  // namespace tile_loader_test
}  // namespace

using namespace tile_loader_test;

TEST_CASE("tiles have the file's voxels, whichever of them are loaded at a time", "[volume]") {
  const VolumeSize all_px = GENERATE(VolumeSize{128, 96, 64}, VolumeSize{130, 71, 67});
  const std::array<int, 3> brick =
      GENERATE(std::array{32, 32, 32}, std::array{64, 64, 64}, std::array{40, 24, 20});
  const std::array<int, 3> begin = GENERATE(std::array{0, 0, 0}, std::array{64, 32, 32});
  const VolumeSize size{all_px.x - begin[0], all_px.y - begin[1], all_px.z - begin[2]};
  CAPTURE(size.x, brick[0], begin[0]);
  CountingFile file(all_px, brick);
  const TileLoading how{0, 0, GENERATE(std::size_t{90000}, std::size_t{1} << 20), 2};
  const DetailChoice all = choice_of(
      size, [](int, int, int) { return TileUse::needed; }, begin);
  const Volume truth = loaded_singly(file, size, all);
  Volume whole = empty(size, all);
  load_tiles(file, all, how, whole, {}, {});
  REQUIRE(whole.tiles()->loaded_tiles() == all.tiles->count);
  REQUIRE(wrong_tiles(whole, truth) == 0);
  std::mt19937 random(11);
  Volume volume = empty(size, all);
  for (int round = 0; round < 6; ++round) {
    const std::uint_fast32_t share = 1 + random() % 12;
    const auto any_use = [&](int, int, int) {
      if (random() % 12 < share) return TileUse::needed;
      return random() % 2 == 0 ? TileUse::unseen : TileUse::nothing;
    };
    const DetailChoice some = choice_of(size, any_use, begin);
    StagedTiles staged;
    if (round % 2 == 1) {
      staged = stage_tiles(file, some, how, volume, how.window_bytes << (round / 2), {});
      CHECK(staged.bytes() <= how.window_bytes << (round / 2));
    }
    load_tiles(file, some, how, volume, std::move(staged), {});
    CHECK(has_tiles(volume, *some.tiles));
    CHECK(wrong_tiles(volume, truth) == 0);
    for (std::size_t tile = 0; tile < some.tiles->uses.size(); ++tile)
      if (random() % 3 == 0) volume.drop_tile(tile);
  }
}

TEST_CASE("a brick is unpacked once for a picture, and hardly more often for one that moves",
          "[volume]") {
  const VolumeSize size{256, 192, 160};
  CountingFile file(size, {32, 32, 32});
  const TileLoading how{0, 0, std::size_t{1} << 20, 2};
  const auto seen_from = [&](int first) {
    return choice_of(size, [&](int x, int y, int z) {
      const bool is_seen = x >= first && x < first + 5 && y > 2 && z > 3;
      return is_seen ? TileUse::needed : TileUse::unseen;
    });
  };
  const auto most_times = [&] {
    int most = 0;
    for (const auto& [brick, times] : file.read) most = std::max(most, times);
    return most;
  };
  Volume volume = empty(size, seen_from(0));
  load_tiles(file, seen_from(0), how, volume, {}, {});
  CHECK(most_times() == 1);
  for (int first = 1; first < 12; ++first) load_tiles(file, seen_from(first), how, volume, {}, {});
  CHECK(most_times() <= 3);  // for the voxels at its edges, and twice for its tiles
}

TEST_CASE("what was read ahead is not read again", "[volume]") {
  const VolumeSize size{128, 96, 64};
  CountingFile file(size, {32, 32, 32});
  const TileLoading how{0, 0, std::size_t{1} << 20, 2};
  const DetailChoice choice =
      choice_of(size, [](int x, int, int) { return x < 5 ? TileUse::needed : TileUse::nothing; });
  Volume volume = empty(size, choice);
  StagedTiles staged = stage_tiles(file, choice, how, volume, std::size_t{1} << 24, {});
  CHECK(volume.tiles()->loaded_tiles() == 0);
  const auto read = file.read;
  load_tiles(file, choice, how, volume, std::move(staged), {});
  CHECK(has_tiles(volume, *choice.tiles));
  CHECK(file.read == read);
}

TEST_CASE("a picture takes the tiles that it needs, whichever others are loaded", "[volume]") {
  const VolumeSize size{96, 64, 64};
  CountingFile file(size, {32, 32, 32});
  const TileLoading how{0, 0, std::size_t{1} << 20, 2};
  const auto needing = [&](int columns) {
    return choice_of(
        size, [&](int x, int, int) { return x < columns ? TileUse::needed : TileUse::nothing; });
  };
  HostGpu none(CasterChoice::cpu);
  ReadyTimestep timestep(empty(size, needing(2)), 1, {}, &none);
  const auto share = [&](int columns) {
    const DetailChoice choice = needing(columns);
    load_tiles(file, choice, how, timestep.volume, {}, {});
    timestep.style = "as before";
    show_tiles(timestep, choice);
    return Occupancy(timestep.volume, 2, [](const ValueRange& values) { return values.max > 0; })
        .share();
  };
  const double two = share(2);
  CHECK(timestep.style.empty());
  CHECK(share(5) > 2 * two);
  CHECK(share(2) == two);
  CHECK(timestep.style.empty());
  CHECK(share(2) == two);
  CHECK(timestep.style == "as before");
}

TEST_CASE("tiles outside of the picture are loaded while there is room, and make it first",
          "[volume]") {
  const VolumeSize size{128, 64, 64};
  CountingFile file(size, {64, 64, 64});
  const TileLoading how{0, 0, std::size_t{1} << 20, 1};
  const auto needing = [&](int columns) {
    DetailChoice choice = choice_of(
        size, [&](int x, int, int) { return x < columns ? TileUse::needed : TileUse::unseen; });
    return choice;
  };
  DetailChoice few = needing(1);
  const std::size_t most = 2 * few.tiles->count;
  few.tiles_bytes = tiled_bytes(size, most);
  Volume volume = empty(size, few);
  load_tiles(file, few, how, volume, {}, {});
  CHECK(volume.tiles()->loaded_tiles() == most - most / 8);
  DetailChoice more = needing(2);
  more.tiles_bytes = tiled_bytes(size, more.tiles->count);
  load_tiles(file, more, how, volume, {}, {});
  CHECK(has_tiles(volume, *more.tiles));
  CHECK(volume.tiles()->loaded_tiles() == more.tiles->count);
}
