// Requests for timesteps of a live source, and their answers, byte by byte.

#include "net/live/live_request.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "sync/base/error.hpp"
#include "tests/support/hex_bytes.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::array<std::uint32_t, 3> grid = {64, 48, 32};

LiveBlockInfo block(std::array<std::uint32_t, 3> begin, std::array<std::uint32_t, 3> end) {
  return {{begin, end}, LiveType::f32, 0, -1, 2.5};
}

std::vector<std::byte> answer_bytes(LiveAnswerStatus status, std::uint64_t timestep,
                                    std::span<const std::byte> body) {
  const LiveAnswerHeader header = live_answer_header(status, timestep, body.size());
  std::vector<std::byte> bytes(sizeof header + body.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::ranges::copy(body, bytes.begin() + sizeof header);
  return bytes;
}

}  // namespace

TEST_CASE("requests for a timestep's head and planes have these bytes", "[live]") {
  CHECK(test::hex(bytes_of(live_head_request(3, 258))) ==
        "54574c5201000300"
        "0201000000000000"
        "0000000000000000"
        "0000000000000000");
  const auto voxels = live_voxel_requests(1, 7, 2, {{0, 0, 4}, {64, 48, 9}}, LiveType::u16);
  REQUIRE(voxels.size() == 1);
  CHECK(test::hex(bytes_of(voxels[0])) ==
        "54574c5202000100"
        "0700000000000000"
        "0200000000000000"
        "0500000000780000");
  for (const LiveRequest& request : {live_head_request(3, 258), voxels[0]}) {
    const LiveRequest parsed = parse_live_request(bytes_of(request));
    CHECK(std::memcmp(&parsed, &request, sizeof request) == 0);
  }
}

TEST_CASE("a block is asked for by the MiB, each plane once", "[live]") {
  const auto check = [](const LiveBox& box, std::size_t count, std::uint32_t planes) {
    const auto requests = live_voxel_requests(0, 1, 0, box, LiveType::f32);
    CHECK(requests.size() == count);
    const std::uint32_t plane_bytes = box.side(0) * box.side(1) * 4;
    std::uint32_t plane = 0;
    for (const LiveRequest& request : requests) {
      REQUIRE(request.plane_begin == plane);
      REQUIRE(request.plane_end == std::min(plane + planes, box.side(2)));
      REQUIRE(request.bytes == (request.plane_end - request.plane_begin) * plane_bytes);
      plane = request.plane_end;
    }
    CHECK(plane == box.side(2));
  };
  check({{0, 0, 10}, {300, 250, 35}}, 9, 3);      // three planes of 300,000 bytes each
  check({{0, 0, 10}, {1024, 1000, 35}}, 25, 1);   // of 4,096,000 bytes, more than a MiB
  check({{0, 0, 0}, {512, 512, 8192}}, 1024, 8);  // of a MiB: 8 GiB in as many as there is room for
  CHECK(live_voxel_requests(0, 1, 0, {{0, 0, 0}, {1, 1, 1}}, LiveType::u8).size() == 1);
}

TEST_CASE("requests that are no requests are refused by their field", "[live][bad-input]") {
  const auto fault = [](LiveRequest request) -> std::string {
    try {
      static_cast<void>(parse_live_request(bytes_of(request)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const LiveRequest head = live_head_request(0, 5);
  const LiveRequest voxels =
      live_voxel_requests(0, 5, 0, {{0, 0, 0}, {8, 8, 8}}, LiveType::u8).front();
  CHECK(fault(head).empty());
  CHECK(fault(voxels).empty());
  const auto changed = [&](LiveRequest request, auto change) {
    change(request);
    return fault(request);
  };
  using Request = LiveRequest&;
  CHECK_THAT(changed(head, [](Request r) { r.magic = 1; }), Catch::Contains("magic"));
  CHECK_THAT(changed(head, [](Request r) { r.kind = 3; }), Catch::Contains("kind"));
  CHECK_THAT(changed(head, [](Request r) { r.kind = 0; }), Catch::Contains("kind"));
  CHECK_THAT(changed(head, [](Request r) { r.reserved = 1; }), Catch::Contains("reserved"));
  CHECK_THAT(changed(head, [](Request r) { r.field = 64; }), Catch::Contains("field"));
  CHECK_THAT(changed(head, [](Request r) { r.bytes = 1; }), Catch::Contains("bytes"));
  CHECK_THAT(changed(voxels, [](Request r) { r.block = 4096; }), Catch::Contains("block"));
  CHECK_THAT(changed(voxels, [](Request r) { r.plane_end = 0; }), Catch::Contains("planes"));
  CHECK_THAT(changed(voxels, [](Request r) { r.plane_end = 8193; }), Catch::Contains("planes"));
  CHECK_THAT(changed(voxels, [](Request r) { r.bytes = 0; }), Catch::Contains("bytes"));
  CHECK_THAT(changed(voxels, [](Request r) { r.bytes = (8U << 20) + 1; }),
             Catch::Contains("bytes"));
  const auto bytes = bytes_of(head);
  CHECK_THROWS_AS(parse_live_request(bytes.first(31)), InputError);
  CHECK_THROWS_AS(parse_live_request({}), InputError);
}

TEST_CASE("a head has these bytes, and is parsed to the same blocks", "[live]") {
  const LiveHeadInfo head{0.5, {block({0, 0, 0}, {64, 48, 16}), block({0, 0, 16}, {64, 48, 32})}};
  const std::vector<std::byte> bytes = to_bytes(head);
  CHECK(test::hex(bytes).substr(0, 112) ==
        "000000000000e03f"
        "0200000000000000"
        "000000000000000000000000"
        "400000003000000010000000"
        "0200000000000000"
        "000080bf00002040");
  const LiveHeadInfo parsed = parse_live_head(bytes, grid);
  CHECK(parsed.time == 0.5);
  REQUIRE(parsed.blocks.size() == 2);
  CHECK(parsed.blocks[1].box == head.blocks[1].box);
  CHECK(parsed.blocks[1].greatest == 2.5F);
}

TEST_CASE("a head whose blocks cannot be shown is refused by its cause", "[live][bad-input]") {
  const auto fault = [](const LiveHeadInfo& head) -> std::string {
    try {
      static_cast<void>(parse_live_head(to_bytes(head), grid));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto of = [&](const LiveBlockInfo& one) { return fault({0, {one}}); };
  CHECK(fault({0, {}}).empty());
  CHECK(of(block({0, 0, 0}, {64, 48, 32})).empty());
  CHECK_THAT(of(block({0, 0, 0}, {65, 48, 32})),
             Catch::Contains("within the grid of 64 x 48 x 32"));
  CHECK_THAT(of(block({0, 9, 0}, {64, 9, 32})), Catch::Contains("[0, 9, 0] to [64, 9, 32]"));
  CHECK_THAT(of(block({4'000'000'000, 0, 0}, {64, 48, 32})), Catch::Contains("within the grid"));
  LiveBlockInfo odd = block({0, 0, 0}, {1, 1, 1});
  odd.type = static_cast<LiveType>(3);
  CHECK_THAT(of(odd), Catch::Contains("type: expected 0 to 2, found 3"));
  odd = block({0, 0, 0}, {1, 1, 1});
  odd.least = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(of(odd), Catch::Contains("least, greatest"));
  odd.least = 3;
  CHECK_THAT(of(odd), Catch::Contains("least, greatest"));
  CHECK_THAT(fault({HUGE_VAL, {}}), Catch::Contains("time"));
  CHECK_THAT(fault({0,
                    {block({0, 0, 0}, {9, 9, 9}), block({20, 0, 0}, {30, 9, 9}),
                     block({8, 8, 8}, {9, 9, 10})}}),
             Catch::Contains("do not overlap") && Catch::Contains("[8, 8, 8] to [9, 9, 10]"));
  CHECK(fault({0, {block({0, 0, 0}, {9, 9, 9}), block({9, 0, 0}, {12, 9, 9})}}).empty());
  CHECK_THAT(fault({0, std::vector(4097, block({0, 0, 0}, {1, 1, 1}))}),
             Catch::Contains("4096 at most"));
  std::vector<std::byte> cut = to_bytes({0, {block({0, 0, 0}, {1, 1, 1})}});
  cut.pop_back();
  CHECK_THROWS_WITH(parse_live_head(cut, grid), Catch::Contains("size: expected 56, found 55"));
  CHECK_THROWS_AS(parse_live_head({}, grid), InputError);
  // Planes of more than 8 MiB cannot be asked for.
  CHECK_THAT(fault_of({{0, 0, 0}, {2048, 2048, 1}}, {8192, 8192, 1}, LiveType::f32),
             Catch::Contains("8388608 bytes a plane, found 16777216"));
}

TEST_CASE("an answer is taken only for its own request", "[live]") {
  const LiveRequest request =
      live_voxel_requests(0, 5, 0, {{0, 0, 0}, {4, 2, 1}}, LiveType::u8).front();
  const std::vector<std::byte> body(8, std::byte{9});
  const auto parse = [&](LiveAnswerStatus status, std::uint64_t timestep,
                         std::span<const std::byte> part) {
    // The answer views the bytes, so these must live on; its fields are compared at once.
    const std::vector<std::byte> bytes = answer_bytes(status, timestep, part);
    LiveAnswer answer = parse_live_answer(bytes, request);
    answer.body = answer.body.empty() ? answer.body : part;
    return answer;
  };
  CHECK(parse(LiveAnswerStatus::found, 5, body).status == LiveAnswerStatus::found);
  CHECK(parse(LiveAnswerStatus::found, 5, body).body.size() == 8);
  CHECK(parse(LiveAnswerStatus::passed, 5, {}).status == LiveAnswerStatus::passed);
  CHECK(parse(LiveAnswerStatus::changed, 5, {}).status == LiveAnswerStatus::changed);
  CHECK(parse(LiveAnswerStatus::closed, 5, {}).status == LiveAnswerStatus::closed);
  CHECK(parse(LiveAnswerStatus::found, 6, body).line == "the rank's answer is malformed");
  for (const std::size_t size : {0U, 7U, 9U, 16U}) {
    CAPTURE(size);
    const std::vector<std::byte> other(size, std::byte{9});
    CHECK(parse(LiveAnswerStatus::found, 5, other).line == "the rank's answer is malformed");
  }
  CHECK(parse_live_answer({}, request).line == "the rank refused the request");
  const std::string text = "no\nroom";
  CHECK(parse(LiveAnswerStatus::failed, 5, std::as_bytes(std::span(text))).line == "no room");
  std::vector<std::byte> odd = answer_bytes(LiveAnswerStatus::passed, 5, {});
  odd[4] = std::byte{5};
  CHECK(parse_live_answer(odd, request).status == LiveAnswerStatus::failed);
}
