// The loader for Python: what a simulation puts is what a wall gets.

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "net/live/live_messages.hpp"
#include "net/slab/slab_client.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

using Json = nlohmann::json;

constexpr std::array<std::uint32_t, 3> grid = {7, 6, 5};
const std::filesystem::path python = TILEWALL_SOURCE_DIR "/net/source/python";

ProgramOptions with_loader(const std::filesystem::path& packages) {
  ProgramOptions options;
  options.environment = {{"PYTHONPATH", packages.string()},
                         {"PYTHONDONTWRITEBYTECODE", "1"},
                         {"TILEWALL_SOURCE_LIBRARY", build_folder().string()}};
  return options;
}

/// A Python with NumPy; "" if there is none.
std::string python_with_numpy() {
  for (const char* program : {"python3", "/usr/bin/python3"})
    if (run_program({program, "-c", "import numpy"}).exit_code == 0) return program;
  WARN("skipped: there is no python3 with NumPy (Debian: python3-numpy)");
  return "";
}

SlabBuffer fetch(SlabClient& client, const LiveRequest& request) {
  const auto bytes = bytes_of(request);
  const auto ticket =
      client.fetch({bytes.begin(), bytes.end()}, SlabClient::no_deadline, RequestKind::standing);
  for (const LocalInstant until = local_now() + Nanos(20s); local_now() < until;) {
    const std::uint64_t known = client.news();
    if (auto slab = client.take(ticket)) return std::move(*slab);
    client.wait_for_news(known, std::min(until, local_now() + Nanos(10ms)));
  }
  FAIL("no answer");
  return {};
}

/// Compares all blocks of a timestep with x + 10 y + 100 z.
void check_timestep(SlabClient& client, std::uint64_t timestep, const LiveHeadInfo& head) {
  std::uint64_t voxels = 0;
  for (std::uint32_t i = 0; i < head.blocks.size(); ++i) {
    const LiveBox& box = head.blocks[i].box;
    const LiveRequest request = live_voxel_requests(0, timestep, i, box, LiveType::f32).front();
    const SlabBuffer slab = fetch(client, request);
    const LiveAnswer answer = parse_live_answer(slab.bytes(), request);
    REQUIRE(answer.status == LiveAnswerStatus::found);
    const std::byte* at = answer.body.data();
    for (std::uint32_t z = box.begin[2]; z < box.end[2]; ++z)
      for (std::uint32_t y = box.begin[1]; y < box.end[1]; ++y)
        for (std::uint32_t x = box.begin[0]; x < box.end[0]; ++x, at += sizeof(float)) {
          float value = 0;
          std::memcpy(&value, at, sizeof value);
          if (value != static_cast<float>(x + 10 * y + 100 * z)) FAIL("another value");
        }
    voxels += box.voxels();
  }
  CHECK(voxels == 7 * 6 * 5);
}

}  // namespace

TEST_CASE("arrays of NumPy reach a wall in any layout", "[source]") {
  const std::string program = python_with_numpy();
  if (program.empty()) return;
  const TemporaryFolder folder;
  RunningProgram simulation(
      {program, TILEWALL_SOURCE_DIR "/tests/unit/net/source/feed.py", folder.path().string()},
      with_loader(python));
  REQUIRE(eventually([&] { return std::filesystem::exists(folder.path() / "port"); }, 20s));
  std::string port;
  std::ifstream(folder.path() / "port") >> port;
  {
    SlabClientOptions options;
    options.servers = {resolve("127.0.0.1:" + port, "test")};
    SlabClient client(options);
    const LiveDescription description =
        live_description_from_json(client.call({{"type", "describe"}}, 20s));
    CHECK(description.name == "feed");
    CHECK(description.rank == 2);
    CHECK(description.ranks == 3);
    CHECK(description.grid == grid);
    CHECK(description.spacing == std::array<double, 3>{1, 2, 3});
    CHECK(description.units == "mm");
    // The simulation counts on until it waits for this wall, which may miss some timesteps first.
    std::uint64_t timestep = 0;
    for (std::size_t shown = 0; shown < 8;) {
      const Json answered =
          client.call(to_json(LiveWant{"u", timestep, LivePolicy::every, 20, 1, {}}), 20s);
      const LiveRequest request = live_head_request(0, timestep);
      const SlabBuffer slab = fetch(client, request);
      const LiveAnswer answer = parse_live_answer(slab.bytes(), request);
      if (shown == 0 && answer.status == LiveAnswerStatus::passed) {
        timestep = answered.at("reached").get<std::uint64_t>() + 1;
        continue;
      }
      REQUIRE(answer.status == LiveAnswerStatus::found);
      const LiveHeadInfo head = parse_live_head(answer.body, grid);
      CHECK(head.time == static_cast<double>(shown));
      CHECK(head.blocks.size() == (shown == 7 ? 2 : 1));
      check_timestep(client, timestep++, head);
      ++shown;
    }
  }
  const ProgramResult result = simulation.wait(30s);
  CHECK(result.out == "");
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("a source in Python is closed once no call of another thread uses it", "[source]") {
  const std::string program = python_with_numpy();
  if (program.empty()) return;
  const ProgramResult result = run_program(
      {program, "-W", "ignore", TILEWALL_SOURCE_DIR "/tests/unit/net/source/close_late.py"}, 60s,
      with_loader(python));
  CHECK(result.out == "");
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("the example in Python runs from the tree without being installed", "[source]") {
  const std::string program = python_with_numpy();
  if (program.empty()) return;
  const ProgramResult heat =
      run_program({program, (python / "examples/heat.py").string(), "listen:127.0.0.1:0", "3"}, 20s,
                  with_loader(""));
  CHECK(heat.err == "");
  CHECK(heat.exit_code == 0);
}

TEST_CASE("pip installs the loader without a compiler, and the example runs", "[source]") {
  const std::string program = python_with_numpy();
  if (program.empty()) return;
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "source";  // pip builds in the folder
  std::filesystem::copy(python, copy, std::filesystem::copy_options::recursive);
  const std::string packages = (folder.path() / "packages").string();
  const ProgramResult pip =
      run_program({program, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                   "--no-deps", "--root-user-action=ignore", "--target", packages, copy.string()},
                  60s);
  if (pip.err.find("No module named") != std::string::npos) {
    WARN("skipped: python3-pip, python3-setuptools and python3-wheel are not installed");
    return;
  }
  CAPTURE(pip.out, pip.err);
  REQUIRE(pip.exit_code == 0);
  const ProgramResult heat =
      run_program({program, (python / "examples/heat.py").string(), "listen:127.0.0.1:0", "3"}, 20s,
                  with_loader(packages));
  CHECK(heat.err == "");
  CHECK(heat.exit_code == 0);
}
