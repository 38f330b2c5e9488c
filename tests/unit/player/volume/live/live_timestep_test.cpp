// A timestep of a live source while its blocks arrive.

#include "player/volume/live/live_timestep.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::volume;

namespace {

using Grid = std::array<std::uint32_t, 3>;

/// The value of a voxel, which no other voxel of a small grid has.
std::uint16_t value_at(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return static_cast<std::uint16_t>(x + 16 * y + 256 * z);
}

std::vector<std::byte> planes_of(const LiveBox& box, const LiveRequest& request) {
  std::vector<std::uint16_t> values;
  for (std::uint32_t z = request.plane_begin; z < request.plane_end; ++z)
    for (std::uint32_t y = box.begin[1]; y < box.end[1]; ++y)
      for (std::uint32_t x = box.begin[0]; x < box.end[0]; ++x)
        values.push_back(value_at(x, y, box.begin[2] + z));
  std::vector<std::byte> bytes(values.size() * sizeof(std::uint16_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

LiveHeadInfo head_of(const std::vector<LiveBox>& boxes, LiveType type = LiveType::u16) {
  LiveHeadInfo head{1.5, {}};
  for (const LiveBox& box : boxes) head.blocks.push_back({box, type, 0, 0, 10});
  return head;
}

/// Requests for single planes of a block.
std::vector<LiveRequest> single_planes(std::uint32_t block, const LiveBox& box) {
  std::vector<LiveRequest> requests;
  for (std::uint32_t plane = 0; plane < box.side(2); ++plane) {
    LiveRequest request = live_voxel_requests(0, 0, block, box, LiveType::u16).front();
    request.plane_begin = plane;
    request.plane_end = plane + 1;
    request.bytes = box.side(0) * box.side(1) * 2;
    requests.push_back(request);
  }
  return requests;
}

void place_all(LiveTimestep& timestep, std::uint32_t rank, const std::vector<LiveBox>& boxes) {
  for (std::uint32_t block = 0; block < boxes.size(); ++block)
    for (const LiveRequest& request : single_planes(block, boxes[block]))
      timestep.place(rank, request, planes_of(boxes[block], request));
}

}  // namespace

TEST_CASE("a timestep is whole once each rank's blocks are there, in any order", "[live]") {
  const Grid grid = {7, 6, 5};
  const std::vector<LiveBox> first = {{{0, 0, 0}, {4, 6, 5}}, {{4, 0, 0}, {7, 2, 5}}};
  const std::vector<LiveBox> second = {{{4, 2, 0}, {7, 6, 5}}};
  LiveTimestep timestep(12, grid, 2);
  CHECK(timestep.take_head(1, head_of(second)).empty());
  place_all(timestep, 1, second);
  CHECK(!timestep.is_whole());
  CHECK(timestep.has_all_of(1));
  CHECK(timestep.take_head(0, head_of(first)).empty());
  CHECK(!timestep.has_all_of(0));
  for (std::uint32_t block : {1U, 0U}) {
    std::vector<LiveRequest> requests = single_planes(block, first[block]);
    std::ranges::reverse(requests);
    for (const LiveRequest& request : requests) {
      CHECK(!timestep.is_whole());
      CHECK(!timestep.has_all_of(0));
      timestep.place(0, request, planes_of(first[block], request));
      timestep.place(0, request, planes_of(first[block], request));  // twice is as once
    }
  }
  REQUIRE(timestep.is_whole());
  CHECK(timestep.time() == 1.5);
  CHECK(timestep.type() == render::VoxelType::u16);
  CHECK(timestep.level() == 0);
  const auto voxels = timestep.built().voxels().voxels<std::uint16_t>();
  std::vector<std::uint16_t> expected;
  for (std::uint32_t z = 0; z < 5; ++z)
    for (std::uint32_t y = 0; y < 6; ++y)
      for (std::uint32_t x = 0; x < 7; ++x) expected.push_back(value_at(x, y, z));
  CHECK(std::ranges::equal(voxels, expected));
  CHECK(timestep.memory_bytes() == render::VolumeBuilder::bytes(render::VoxelType::u16, {7, 6, 5}));
}

TEST_CASE("a timestep that does not fit the memory is kept at half the resolution", "[live]") {
  const render::VolumeSize size = {39, 36, 29};
  LiveRoom room;
  room.memory_bytes = room.needed_bytes(0, render::VoxelType::u16, size);
  CHECK(room.level(render::VoxelType::u16, size) == 0);
  --room.memory_bytes;
  CHECK(room.level(render::VoxelType::u16, size) == 1);
  const std::vector<LiveBox> boxes = {{{0, 0, 0}, {39, 36, 29}}};
  LiveTimestep timestep(12, {39, 36, 29}, 1, room);
  CHECK(timestep.take_head(0, head_of(boxes)).empty());
  place_all(timestep, 0, boxes);
  REQUIRE(timestep.is_whole());
  CHECK(timestep.level() == 1);
  // Means of 2 x 2 x 2 voxels, of fewer at the far ends.
  const render::VoxelArray& voxels = timestep.built().voxels();
  REQUIRE(voxels.size() == render::VolumeSize{20, 18, 15});
  const auto halved = voxels.voxels<std::uint16_t>();
  CHECK(halved[0] == (value_at(0, 0, 0) + value_at(1, 1, 1) + 1) / 2);
  CHECK(halved.back() == (value_at(38, 34, 28) + value_at(38, 35, 28) + 1) / 2);
  room.memory_bytes = room.needed_bytes(1, render::VoxelType::u16, size) - 1;
  CHECK(!room.level(render::VoxelType::u16, size));
}

TEST_CASE("blocks that do not make up the grid are a fault of the timestep", "[live][bad-input]") {
  const Grid grid = {8, 8, 8};
  const LiveBox lower{{0, 0, 0}, {8, 8, 4}};
  const LiveBox upper{{0, 0, 4}, {8, 8, 8}};
  {
    LiveTimestep timestep(0, grid, 2);
    CHECK(timestep.take_head(0, head_of({lower})).empty());
    CHECK(timestep.take_head(1, head_of({{{0, 0, 5}, {8, 8, 8}}})) ==
          "the ranks' blocks leave out 64 of 512 voxels");
    CHECK(!timestep.is_whole());
  }
  {
    LiveTimestep timestep(0, grid, 2);
    CHECK(timestep.take_head(1, head_of({upper})).empty());
    CHECK(timestep.take_head(0, head_of({{{0, 0, 0}, {8, 8, 5}}})) ==
          "the blocks of ranks 0 and 1 overlap");
  }
  {
    LiveTimestep timestep(0, grid, 2);
    CHECK(timestep.take_head(0, head_of({lower})).empty());
    CHECK(timestep.take_head(1, head_of({upper}, LiveType::f32)) ==
          "rank 1: expected values of type u16 as other blocks have, found f32");
  }
  {
    LiveTimestep timestep(0, grid, 2);
    CHECK(timestep.take_head(0, head_of({})).empty());  // a rank without a part of the grid
    CHECK(timestep.take_head(1, head_of({lower, upper})).empty());
    place_all(timestep, 1, {lower, upper});
    CHECK(timestep.is_whole());
  }
  {
    LiveTimestep timestep(0, grid, 1);
    CHECK(timestep.take_head(0, head_of({})) ==
          "the ranks' blocks leave out 512 of 512 voxels; no rank put any");
  }
  const auto gap_of = [&](std::uint32_t ranks) {
    LiveTimestep timestep(0, grid, ranks);
    std::string fault = timestep.take_head(0, head_of({lower}));
    for (std::uint32_t rank = 1; rank < ranks; ++rank)
      fault = timestep.take_head(rank, head_of({}));
    return fault;
  };
  CHECK(gap_of(2) == "the ranks' blocks leave out 256 of 512 voxels; rank 1 put none");
  CHECK(gap_of(4) == "the ranks' blocks leave out 256 of 512 voxels; ranks 1, 2, 3 put none");
  CHECK(gap_of(20) ==
        "the ranks' blocks leave out 256 of 512 voxels; 19 ranks put none, rank 1 among them");
  LiveTimestep timestep(0, {8192, 1, 1}, 2);
  std::vector<LiveBox> many;
  for (std::uint32_t x = 0; x < 4096; ++x) many.push_back({{x, 0, 0}, {x + 1, 1, 1}});
  CHECK(timestep.take_head(0, head_of(many)).empty());
  CHECK(timestep.take_head(1, head_of({{{4096, 0, 0}, {8192, 1, 1}}})) ==
        "expected at most 4096 blocks of all ranks, found more");
}

TEST_CASE("a timestep's range is that of the blocks that have values", "[live]") {
  LiveTimestep timestep(3, {4, 4, 4}, 2);
  CHECK(timestep.stored_range().empty());
  LiveHeadInfo empty = head_of({{{0, 0, 0}, {4, 4, 2}}}, LiveType::f32);
  empty.blocks[0].not_shown = 32;  // none of its voxels is a finite number
  empty.blocks[0].least = empty.blocks[0].greatest = 0;
  CHECK(timestep.take_head(0, empty).empty());
  CHECK(timestep.stored_range().empty());
  LiveHeadInfo full = head_of({{{0, 0, 2}, {4, 4, 4}}}, LiveType::f32);
  full.blocks[0].not_shown = 1;
  full.blocks[0].least = 3;
  full.blocks[0].greatest = 5;
  full.time = 9;
  CHECK(timestep.take_head(1, full).empty());
  CHECK(timestep.stored_range() == render::ValueRange{3, 5});
  CHECK(timestep.not_shown() == 33);
  CHECK(timestep.time() == 1.5);  // rank 0's, whichever came first
}

TEST_CASE("a grid of one voxel is whole, and two voxels thick", "[live]") {
  LiveTimestep timestep(0, {1, 1, 1}, 1);
  const LiveBox box{{0, 0, 0}, {1, 1, 1}};
  CHECK(timestep.take_head(0, head_of({box})).empty());
  place_all(timestep, 0, {box});
  CHECK(timestep.is_whole());
  const auto voxels = timestep.built().voxels().voxels<std::uint16_t>();
  CHECK(voxels.size() == 8);
  CHECK(
      std::ranges::all_of(voxels, [](std::uint16_t value) { return value == value_at(0, 0, 0); }));
}
