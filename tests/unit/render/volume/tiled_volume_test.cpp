// Volumes of which only the tiles that show something are in memory, beside all of them in rows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "render/volume/cell_ranges.hpp"
#include "render/volume/tile_needs.hpp"
#include "render/volume/volume_caster.hpp"
#include "tests/unit/render/volume/cast_pixels.hpp"

namespace tilewall {

using namespace render;
namespace {

/// Balls and a shell in nothing, and a ridge that is as empty in a style of two peaks.
Volume balls(VolumeSize size) {
  return Volume(voxels_of(VoxelType::u8, size, [&](Vec3d p) {
    const auto ball = [&](Vec3d middle, double radius) {
      return std::max(0.0, 1 - length(p - middle) / radius);
    };
    const double at = std::max(
        {ball({14, 12, 17}, 9), ball({40, 30, 30}, 13), ball({size.x - 4.0, 8, size.z - 3.0}, 11)});
    return 255 * at * (0.75 + 0.25 * std::sin(p.x * 1.1 + p.y));
  }));
}

CellPairs pairs_of(const Volume& volume) {
  const VolumeSize size = volume.size();
  CellPairs cells;
  cells.side = cell_side_of(size);
  const auto along = [&](int voxels) { return (voxels + cells.side - 1) / cells.side; };
  cells.count = {along(size.x), along(size.y), along(size.z)};
  cells.least.assign(VolumeSize{cells.count[0], cells.count[1], cells.count[2]}.voxels(), 255);
  cells.greatest.assign(cells.least.size(), 0);
  cells.stored = volume.value_range();
  std::size_t i = 0;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x, ++i) {
        const int s = cells.side;
        const auto cell =
            static_cast<std::size_t>((z / s * cells.count[1] + y / s) * cells.count[0] + x / s);
        const std::uint8_t voxel = volume.voxels<std::uint8_t>()[i];
        cells.least[cell] = std::min(cells.least[cell], voxel);
        cells.greatest[cell] = std::max(cells.greatest[cell], voxel);
      }
  return cells;
}

void load_from(const Volume& all, Volume& tiled, std::size_t tile) {
  const VolumeSize size = all.size();
  const auto& tiles = tiled.tiles()->tiles();
  const int number = static_cast<int>(tile);
  const int x = number % tiles[0] * 16;
  const int y = number / tiles[0] % tiles[1] * 8;
  const int z = number / (tiles[0] * tiles[1]) * 8;
  std::vector<std::uint8_t> around(17 * 9 * 9);
  for (int k = 0; k < 9; ++k)
    for (int j = 0; j < 9; ++j)
      for (int i = 0; i < 17; ++i) {
        const int from =
            (std::min(z + k, size.z - 1) * size.y + std::min(y + j, size.y - 1)) * size.x +
            std::min(x + i, size.x - 1);
        around[static_cast<std::size_t>((k * 9 + j) * 17 + i)] =
            all.voxels<std::uint8_t>()[static_cast<std::size_t>(from)];
      }
  tiled.load_tile(tile, {around.data(), 17, 17 * 9});
}

Volume empty_tiles(const Volume& like, std::uint8_t fill) {
  return Volume(std::make_unique<TiledVoxels>(like.size(), fill), like.size(), like.place(),
                like.scale(), like.value_range());
}

struct Look {
  const char* name;
  TransferFunction function;
  double least_share;  ///< Share of the tiles: at most so many are needed
};
const Look looks[] = {
    {"above", TransferFunction({{0, {}}, {60, {}}, {200, {1, 0.5F, 0, 0.5F}}}), 0.7},
    {"below", TransferFunction({{0, {0, 1, 0, 0.1F}}, {60, {}}, {200, {}}}), 1},
    {"between", TransferFunction({{0, {}}, {40, {}}, {60, {1, 0, 0, 0.4F}}, {80, {}}, {255, {}}}),
     0.7},
    {"all", TransferFunction({{0, {1, 1, 1, 0.01F}}, {255, {0, 1, 1, 0.3F}}}), 1}};

void check_same(const Volume& volume, const Look& look, const CastStyle& style,
                const CastView& view) {
  const CellPairs cells = pairs_of(volume);
  const TransferTable table(look.function, opacity_step(style, look.function));
  const QuietNumbers quiet = quiet_numbers(cells, table, style, volume.scale());
  const TileNeeds needs = needed_tiles(
      shown_tiles(cells, {{}, volume.size()}, quiet, sample_reach(style, volume.place())), {});
  Volume tiled = empty_tiles(volume, needs.fill);
  for (std::size_t tile = 0; tile < needs.uses.size(); ++tile)
    if (needs.uses[tile] == TileUse::needed) load_from(volume, tiled, tile);
  CHECK(tiled.tiles()->loaded_tiles() == needs.count);
  if (style.mode == CastMode::composite)
    CHECK(double(needs.count) <= look.least_share * double(needs.uses.size()));
  for (const CastFamily family :
       {CastFamily::scalar, CastFamily::avx2, CastFamily::avx512, CastFamily::vnni}) {
    if (!is_available(family)) continue;
    CAPTURE(look.name, name_of(family), static_cast<int>(style.mode), needs.count,
            needs.uses.size(), static_cast<int>(needs.fill));
    VolumeCaster whole_caster(volume, family);
    VolumeCaster tiled_caster(tiled, family);
    whole_caster.set_style(look.function, style);
    tiled_caster.set_style(look.function, style);
    const CastPixels expected = cast_part(whole_caster, view, whole(view));
    if (style.mode == CastMode::composite)  // something is to be seen
      CHECK(std::count(expected.bytes.begin(), expected.bytes.end(), 0) <
            std::ptrdiff_t(expected.bytes.size() * 3 / 4) - 50);
    CHECK(cast_part(tiled_caster, view, whole(view)).bytes == expected.bytes);
  }
}

TEST_CASE("an empty tile's number is an end of all numbers where that end shows nothing",
          "[volume]") {
  const CellPairs cells = pairs_of(balls({61, 53, 57}));
  // The numbers show nothing, and either neighbour would show something.
  const auto quiet_of = [&](const TransferFunction& function) {
    const CastStyle style;
    const TransferTable table(function, opacity_step(style, function));
    const QuietNumbers quiet = quiet_numbers(cells, table, style, {});
    const auto shows = [&](int first, int last) {
      return is_needed({static_cast<float>(first), static_cast<float>(last)}, table, style);
    };
    CHECK_FALSE(shows(quiet.first, quiet.last));
    if (quiet.first > 0) CHECK(shows(quiet.first - 1, quiet.last));
    if (quiet.last < 255) CHECK(shows(quiet.first, quiet.last + 1));
    return quiet;
  };
  const QuietNumbers low = quiet_of(TransferFunction({{60, {}}, {61, {1, 1, 1, 1}}}));
  CHECK(low.first == 0);
  CHECK(low.last < 61);
  CHECK(low.fill == 0);
  const QuietNumbers high =
      quiet_of(TransferFunction({{0, {1, 1, 1, 1}}, {200, {1, 1, 1, 1}}, {201, {}}}));
  CHECK(high.first > 200);
  CHECK(high.last == 255);
  CHECK(high.fill == 255);
  const QuietNumbers between =
      quiet_of(TransferFunction({{0, {1, 1, 1, 1}}, {100, {}}, {150, {}}, {255, {1, 1, 1, 1}}}));
  CHECK(between.first >= 100);
  CHECK(between.last <= 150);
  CHECK(between.fill == 125);
}

TEST_CASE("a cell is needed for an isosurface where its values meet it, ends included",
          "[volume]") {
  CastStyle style;
  style.mode = CastMode::isosurface;
  const TransferFunction function({{0, {}}, {255, {1, 1, 1, 1}}});
  const TransferTable table(function, opacity_step(style, function));
  const auto meets = [&](ValueRange values, double iso) {
    style.iso_value = iso;
    return is_needed(values, table, style);
  };
  for (const double iso : {10.0, 15.0, 20.0}) CHECK(meets({10, 20}, iso));
  for (const double iso : {9.9, 20.1}) CHECK_FALSE(meets({10, 20}, iso));
  CHECK(meets({-20, -10}, -10));
  CHECK_FALSE(meets({-20, -10}, -9.9));
  CHECK(meets({0, 0}, 0));
  style.mode = CastMode::maximum;
  CHECK(is_needed({10, 20}, table, style));
}

TEST_CASE("samples reach the next slice, and further for gradients and between two samples",
          "[volume]") {
  CastStyle style;
  VolumePlace place;
  place.spacing = {0.5, 1, 2};
  style.step = 1.2;
  const auto reaches = [&](const std::array<int, 3>& before, const std::array<int, 3>& after) {
    const SampleReach reach = sample_reach(style, place);
    CHECK(reach.before == before);
    CHECK(reach.after == after);
  };
  reaches({0, 0, 0}, {0, 0, 1});
  style.shading = Shading::headlight;
  reaches({1, 1, 1}, {1, 1, 2});
  style.mode = CastMode::isosurface;
  reaches({4, 3, 2}, {4, 3, 3});
  style.shading = Shading::none;
  reaches({4, 3, 2}, {4, 3, 3});
  style.mode = CastMode::composite;
  style.refine = true;
  reaches({3, 2, 1}, {3, 2, 2});
}

TEST_CASE("a volume in tiles is drawn as one in rows, to the bit", "[render][volume]") {
  const Volume volume = balls({61, 53, 57});
  CastView view = view_aslant(volume, {60, 50}, 110);
  CastView inside = view_aslant(volume, {40, 40}, 3);
  inside.camera.fov_rad = 1.6;
  inside.clip.planes = {{{0.1, 0.2, 1}, -20}};
  for (const Look& look : looks)
    for (const CastMode mode :
         {CastMode::composite, CastMode::maximum, CastMode::average, CastMode::isosurface})
      for (const Shading shading : {Shading::none, Shading::headlight}) {
        if (shading == Shading::headlight && mode != CastMode::composite) continue;
        CastStyle style;
        style.mode = mode;
        style.shading = shading;
        style.iso_value = 90;
        style.step = 0.7;
        check_same(volume, look, style, view);
        if (&look == &looks[0]) check_same(volume, look, style, inside);
        if (mode != CastMode::composite) continue;
        style.refine = true;
        check_same(volume, look, style, view);
      }
}

TEST_CASE("large cells and tiles of a long volume", "[render][volume]") {
  const Volume volume = balls({800, 36, 44});
  CHECK(volume.cells().side == 8);
  CastView view = view_aslant(volume, {64, 40}, 60);
  view.camera.look_at = {40, 20, 20};
  view.camera.eye = {60, 40, -70};
  CastStyle style;
  style.shading = Shading::headlight;
  check_same(volume, looks[0], style, view);
}

TEST_CASE("tiles take memory while they are loaded, and none after", "[render][volume]") {
  const Volume volume = balls({64, 64, 64});
  Volume tiled = empty_tiles(volume, 7);
  CHECK(tiled.tiles()->voxel(40, 30, 30) == 7);
  const std::size_t tile = tiled.tiles()->tile_at(2, 3, 3);
  load_from(volume, tiled, tile);
  CHECK(tiled.tiles()->voxel(40, 30, 30) ==
        volume.voxels<std::uint8_t>()[(30 * 64 + 30) * 64 + 40]);
  const std::size_t cell = tiled.cells().index(10, 7, 7);
  CHECK(tiled.cells().stored[cell] == volume.cells().stored[cell]);
  CHECK(tiled.tiles()->loaded_tiles() == 1);
  tiled.drop_tile(tile);
  CHECK(tiled.tiles()->loaded_tiles() == 0);
  CHECK(tiled.tiles()->voxel(40, 30, 30) == 7);
  CHECK(tiled.cells().stored[cell] == ValueRange{7, 7});
}

}  // namespace
}  // namespace tilewall

TEST_CASE("a tile is seen unless it is beyond one of the picture's sides", "[volume]") {
  using namespace tilewall::render;
  ShownTiles tiles;
  tiles.count = {9, 13, 11};
  tiles.shown.assign(9 * 13 * 11, 1);
  tiles.reach = {{1, 0, 1}, {1, 1, 2}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int round = 0; round < 20; ++round) {
    std::vector<ClipPlane> sides;
    for (int i = 0; i < 4; ++i)
      sides.push_back({{any(random), any(random), any(random)}, 60 * any(random) + 20});
    const TileNeeds needs = needed_tiles(tiles, sides);
    std::size_t seen = 0;
    std::size_t wrong = 0;
    for (int z = 0; z < 11; ++z)
      for (int y = 0; y < 13; ++y)
        for (int x = 0; x < 9; ++x) {
          const bool is_seen = std::ranges::all_of(sides, [&](const ClipPlane& side) {
            const auto most = [](double normal, int tile, int along, int before, int after) {
              return normal *
                     (normal > 0 ? (tile + 1) * along + before + 1 : tile * along - after - 1);
            };
            return side.offset + most(side.normal.x, x, 16, 1, 1) +
                       most(side.normal.y, y, 8, 0, 1) + most(side.normal.z, z, 8, 1, 2) >=
                   0;
          });
          const TileUse use = needs.uses[static_cast<std::size_t>((z * 13 + y) * 9 + x)];
          seen += is_seen ? 1U : 0U;
          wrong += use != (is_seen ? TileUse::needed : TileUse::unseen) ? 1U : 0U;
        }
    CHECK(wrong == 0);
    CHECK(needs.count == seen);
  }
}
