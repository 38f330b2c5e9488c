// The example simulation, as a wall sees its ranks.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/live/live_messages.hpp"
#include "net/slab/slab_client.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::uint32_t, 3> grid = {24, 24, 24};
constexpr std::size_t ranks = 2;

/// The first of two ports that follow each other, where nobody listens now.
int free_ports() {
  for (;;) {
    const UniqueFd one = listen_tcp(resolve("127.0.0.1:0", "test"));
    const int port = local_address(one.get()).port();
    if (port == 65535) continue;
    try {
      static_cast<void>(listen_tcp(resolve("127.0.0.1:" + std::to_string(port + 1), "test")));
      return port;
    } catch (const JobError&) {  // the second one is taken
    }
  }
}

std::unique_ptr<SlabClient> client_of(int port) {
  std::unique_ptr<SlabClient> client;
  SlabClientOptions options;
  options.servers = {resolve("127.0.0.1:" + std::to_string(port), "test")};
  REQUIRE(eventually(
      [&] {
        try {
          client = std::make_unique<SlabClient>(options);
        } catch (const std::exception&) {  // the rank has not begun yet
        }
        return client != nullptr;
      },
      30s));
  return client;
}

SlabBuffer fetch(SlabClient& client, const LiveRequest& request) {
  const auto bytes = bytes_of(request);
  const auto ticket =
      client.fetch({bytes.begin(), bytes.end()}, SlabClient::no_deadline, RequestKind::standing);
  for (const LocalInstant until = local_now() + Nanos(30s); local_now() < until;) {
    const std::uint64_t known = client.news();
    if (auto slab = client.take(ticket)) return std::move(*slab);
    client.wait_for_news(known, std::min(until, local_now() + Nanos(10ms)));
  }
  FAIL("no answer");
  return {};
}

/// The values of field v in a rank's blocks; empty if the rank is past the timestep.
std::vector<float> values_of(SlabClient& client, std::uint64_t timestep) {
  const LiveRequest ask = live_head_request(0, timestep);
  const SlabBuffer head_slab = fetch(client, ask);
  const LiveAnswer found = parse_live_answer(head_slab.bytes(), ask);
  if (found.status == LiveAnswerStatus::passed) return {};
  REQUIRE(found.status == LiveAnswerStatus::found);
  const LiveHeadInfo head = parse_live_head(found.body, grid);
  std::vector<float> values;
  for (std::uint32_t i = 0; i < head.blocks.size(); ++i) {
    const LiveRequest request =
        live_voxel_requests(0, timestep, i, head.blocks[i].box, LiveType::f32).front();
    const SlabBuffer slab = fetch(client, request);
    const LiveAnswer answer = parse_live_answer(slab.bytes(), request);
    REQUIRE(answer.status == LiveAnswerStatus::found);
    const std::size_t before = values.size();
    values.resize(before + answer.body.size() / sizeof(float));
    std::memcpy(values.data() + before, answer.body.data(), answer.body.size());
  }
  return values;
}

}  // namespace

TEST_CASE("the ranks of the example give whole timesteps, in which the pattern grows", "[source]") {
  const int port = free_ports();
  // It is killed at the end, and would leave its shared memory behind.
  RunningProgram simulation({"mpirun", "--mca", "btl", "self,tcp", "--oversubscribe", "-n", "2",
                             program_path("gray_scott"), "--grid", "24", "--steps", "1000000",
                             "--every", "20", "--listen", "127.0.0.1:" + std::to_string(port)});
  std::vector<std::unique_ptr<SlabClient>> walls;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    walls.push_back(client_of(port + static_cast<int>(rank)));
  // Ranks wait for each other's ghosts, and so for a wall that makes one of them wait.
  std::uint64_t timestep = 0;
  std::vector<std::ptrdiff_t> grown;
  for (int turn = 0; turn < 200 && grown.size() < 12; ++turn) {
    std::uint64_t reached = 0;
    for (const auto& wall : walls) {
      const auto answer = wall->call(to_json(LiveWant{"v", timestep, LivePolicy::every, 20, 1, {}}),
                                     30s)["reached"];
      if (answer.is_number()) reached = std::max(reached, answer.get<std::uint64_t>());
    }
    std::vector<float> all;
    for (const auto& wall : walls) {
      const std::vector<float> part = values_of(*wall, timestep);
      all.insert(all.end(), part.begin(), part.end());
    }
    if (all.size() == std::size_t{24} * 24 * 24)
      grown.push_back(std::ranges::count_if(all, [](float v) { return v > 0.1F; }));
    timestep = grown.empty() ? reached + 2 : timestep + 1;
  }
  REQUIRE(grown.size() == 12);
  CHECK(grown.front() > 0);
  CHECK(grown.back() > grown.front() + grown.front() / 4);
}
