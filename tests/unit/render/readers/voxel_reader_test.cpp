// How a box of a file is read piece by piece.

#include "render/readers/voxel_reader.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tilewall;
using namespace tilewall::render;

namespace {

using Sides = std::array<int, 3>;

std::vector<GridBox> pieces_of(const GridBox& box, const Sides& chunk, std::size_t voxel_bytes,
                               std::size_t most) {
  BoxPieces pieces(box, chunk, voxel_bytes, most);
  std::vector<GridBox> all;
  while (const auto piece = pieces.next()) all.push_back(*piece);
  return all;
}

}  // namespace

TEST_CASE("a box meets the chunks that it begins and ends in, and those between", "[readers]") {
  VolumeGrid grid;
  grid.size = {10, 10, 10};
  grid.chunk = {4, 4, 4};
  CHECK(bricks_in({{3, 0, 4}, {5, 4, 8}}, grid) == 2);
  CHECK(bricks_in({{0, 0, 0}, {10, 10, 10}}, grid) == 27);
  CHECK(bricks_in({{4, 3, 7}, {8, 9, 8}}, grid) == 1 * 3 * 1);
  CHECK(bricks_in({{7, 7, 7}, {9, 8, 9}}, grid) == 2 * 1 * 2);
  grid.chunk = {10, 10, 1};  // whole slices are no chunks
  CHECK(bricks_in({{0, 0, 0}, {10, 10, 10}}, grid) == 0);
  grid.chunk = {10, 10, 2};
  CHECK(bricks_in({{0, 0, 1}, {10, 10, 3}}, grid) == 2);
  grid.chunk = VolumeGrid{}.chunk;
  CHECK(bricks_in({{0, 0, 0}, {10, 10, 10}}, grid) == 0);
}

TEST_CASE("pieces grow along x, then y, then z, and shrink the other way round", "[readers]") {
  const Sides extent = {100, 100, 100};
  const Sides unit = {32, 32, 32};  // 32768 voxels
  CHECK(piece_sides(extent, unit, 1, 1, 32'768) == Sides{32, 32, 32});
  CHECK(piece_sides(extent, unit, 1, 1, 65'535) == Sides{32, 32, 32});
  CHECK(piece_sides(extent, unit, 1, 1, 65'536) == Sides{64, 32, 32});
  CHECK(piece_sides(extent, unit, 1, 2, 65'536) == Sides{32, 32, 32});
  CHECK(piece_sides(extent, unit, 1, 1, 4 * 32'768) == Sides{128, 32, 32});
  CHECK(piece_sides(extent, unit, 1, 1, 12 * 32'768) == Sides{128, 96, 32});
  CHECK(piece_sides(extent, unit, 1, 1, 1'000'000'000) == Sides{128, 128, 128});
  CHECK(piece_sides(extent, unit, 1, 1, 8192) == Sides{32, 32, 8});
  CHECK(piece_sides(extent, unit, 1, 1, 512) == Sides{32, 16, 1});
  CHECK(piece_sides(extent, unit, 8, 1, 512) == Sides{8, 8, 8});
  CHECK(piece_sides({5, 100, 100}, unit, 1, 1, 32 * 32 * 5) == Sides{5, 32, 32});
}

TEST_CASE("pieces of a box begin where chunks do, and cover it once", "[readers]") {
  const GridBox box = {{10, 0, 1}, {70, 5, 4}};
  const Sides chunk = {32, 4, 2};
  const auto small = pieces_of(box, chunk, 1, 256);
  REQUIRE(small.size() == 12);
  CHECK(small[0] == GridBox{{10, 0, 1}, {32, 4, 2}});
  CHECK(small[1] == GridBox{{32, 0, 1}, {64, 4, 2}});
  CHECK(small[2] == GridBox{{64, 0, 1}, {70, 4, 2}});
  CHECK(small[3] == GridBox{{10, 4, 1}, {32, 5, 2}});
  CHECK(small[6] == GridBox{{10, 0, 2}, {32, 4, 4}});
  CHECK(small[11] == GridBox{{64, 4, 2}, {70, 5, 4}});
  const auto rows = pieces_of(box, chunk, 1, 1024);  // whole rows of chunks: 96 x 4 x 2 bytes
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == GridBox{{10, 0, 1}, {70, 4, 2}});
  CHECK(rows[1] == GridBox{{10, 4, 1}, {70, 5, 2}});
  CHECK(rows[3] == GridBox{{10, 4, 2}, {70, 5, 4}});
  CHECK(pieces_of({{3, 3, 3}, {3, 9, 9}}, chunk, 1, 256).empty());
}

TEST_CASE("of a chunk that is too large the parts before the box are left out", "[readers]") {
  const auto parts = pieces_of({{50, 0, 0}, {100, 1, 1}}, {64, 1, 1}, 4, 64);  // of 16 voxels
  REQUIRE(parts.size() == 4);
  CHECK(parts[0] == GridBox{{50, 0, 0}, {64, 1, 1}});
  CHECK(parts[1] == GridBox{{64, 0, 0}, {80, 1, 1}});
  CHECK(parts[3] == GridBox{{96, 0, 0}, {100, 1, 1}});
}

TEST_CASE("a piece's voxels go to their place in a box with padding", "[readers]") {
  const GridBox box = {{1, 2, 3}, {5, 5, 5}};  // 4 x 3 x 2
  const GridBox piece = {{2, 3, 4}, {4, 5, 5}};
  const std::uint16_t voxels[] = {11, 12, 21, 22};
  std::vector<std::uint16_t> into(2 * 20);  // rows of 5, slices of 20
  place_piece(reinterpret_cast<const std::byte*>(voxels), piece, box, 2,
              {reinterpret_cast<std::byte*>(into.data()), 10, 40});
  std::vector<std::uint16_t> expected(40);
  expected[20 + 5 + 1] = 11;
  expected[20 + 5 + 2] = 12;
  expected[20 + 10 + 1] = 21;
  expected[20 + 10 + 2] = 22;
  CHECK(into == expected);
  const GridBox rows = {{1, 3, 3}, {5, 5, 4}};  // whole rows, copied at once
  const std::uint16_t more[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint16_t> tight(24);
  place_piece(reinterpret_cast<const std::byte*>(more), rows, box, 2,
              {reinterpret_cast<std::byte*>(tight.data()), 8, 24});
  for (std::size_t i = 0; i < 24; ++i) CHECK(tight[i] == (i >= 4 && i < 12 ? i - 3 : 0));
}
