#include "tests/support/live_simulation.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "net/source/tilewall_source.h"
#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/controlled_show.hpp"

namespace tilewall::test {
namespace {

using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::volume;
using Json = nlohmann::json;

constexpr VolumeSize live_size{24, 20, 16};

/// The value of a voxel in a timestep: each cell of 4 x 4 x 4 voxels says which timestep it is of.
/// All timesteps have the same least and greatest value, and so the same colours.
std::uint8_t live_voxel(int x, int y, int z, std::int64_t timestep) {
  if (x + y + z == 0) return 0;
  if (x == 1 && y + z == 0) return 255;
  const std::int64_t cell = x / 4 + 6 * (y / 4) + 30 * (z / 4);
  return static_cast<std::uint8_t>((timestep * 53 + cell * 29) % 251);
}

VolumeCamera live_camera() {
  VolumeCamera camera;
  camera.eye = {30, -60, 25};
  camera.look_at = {11.5, 9.5, 7.5};
  camera.up = {0, 0, 1};
  camera.fov_rad = 25 * 3.14159265358979323846 / 180;
  return camera;
}

}  // namespace

LiveSimulation::LiveSimulation(const std::string& where, int ranks, const std::string& key_file,
                               const std::string& network) {
  for (int rank = 0; rank < ranks; ++rank)
    threads_.emplace_back([this, place = Place{where, key_file, network, ranks},
                           rank](const std::stop_token& stop) { run(place, rank, stop); });
}

void LiveSimulation::run(const Place& place, int rank, const std::stop_token& stop) {
  const std::int64_t grid[3] = {live_size.x, live_size.y, live_size.z};
  if (!place.network.empty()) {
    const UniqueFd network(::open(place.network.c_str(), O_RDONLY | O_CLOEXEC));
    if (::setns(network.get(), CLONE_NEWNET) != 0) failed_ = true;
  }
  tilewall_options options;
  tilewall_options_init(&options);
  if (!place.key_file.empty()) options.key_file = place.key_file.c_str();
  tilewall_source* source = nullptr;
  if (tilewall_open(place.where.c_str(), "sim", rank, place.ranks, grid, &options, &source) !=
      TILEWALL_OK) {
    failed_ = true;
    return;
  }
  const tilewall_box box = {{0, 0, live_size.z * rank / place.ranks},
                            {live_size.x, live_size.y, live_size.z * (rank + 1) / place.ranks}};
  std::minstd_rand random(static_cast<unsigned>(rank));
  std::vector<std::uint8_t> voxels;
  for (std::int64_t step = 0; !stop.stop_requested(); ++step) {
    voxels.clear();
    for (auto z = static_cast<int>(box.begin[2]); z < box.end[2]; ++z)
      for (int y = 0; y < live_size.y; ++y)
        for (int x = 0; x < live_size.x; ++x) voxels.push_back(live_voxel(x, y, z, step));
    if (tilewall_put(source, "u", &box, nullptr, nullptr, TILEWALL_U8, voxels.data()) !=
            TILEWALL_OK ||
        tilewall_end_step(source, static_cast<double>(step)) != TILEWALL_OK)
      failed_ = true;
    if (rank == 0) steps_ = step;
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + random() % 4));
    // Ranks of a real simulation wait for their neighbours.
    while (rank != 0 && step > steps_ + 2 && !stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  tilewall_close(source);
}

void write_live_camera(const std::filesystem::path& file) {
  std::ofstream(file)
      << "eye = [30, -60, 25]\nlook_at = [11.5, 9.5, 7.5]\nup = [0, 0, 1]\nfov_deg = 25\n";
}

std::string live_hash(std::int64_t timestep, const std::string& panel) {
  static std::map<std::int64_t, std::map<std::string, std::string>> known;
  auto& hashes = known[timestep];
  if (hashes.empty()) {
    VoxelArray voxels(VoxelType::u8, live_size);
    std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
    for (int z = 0; z < live_size.z; ++z)
      for (int y = 0; y < live_size.y; ++y)
        for (int x = 0; x < live_size.x; ++x) *to++ = live_voxel(x, y, z, timestep);
    ReadyTimestep ready(Volume(std::move(voxels)), 1);
    VolumeStyle style;
    style.transfer = named_transfer("default").value();
    CastMessage request;
    set_camera(request, live_camera());
    request.picture_width = request.width = pair_canvas_px.width;
    request.picture_height = request.height = pair_canvas_px.height;
    TestPicture picture(pair_canvas_px);
    make_picture(ready, {to_json(style).dump(), style}, request, picture.view(), 1);
    for (const std::string& one : pair_panels) hashes[one] = hash_on_panel(picture, one);
  }
  return hashes.at(panel);
}

std::vector<std::int64_t> checked_timesteps(const Json& report, const std::string& panel) {
  std::vector<std::int64_t> timesteps;
  for (const Json& one : report.at("live_shown")) {
    if (one.at("panel") != panel) continue;
    for (const Json& frame : one.at("frames")) {
      const auto timestep = frame.at("timestep").get<std::int64_t>();
      CAPTURE(panel, timestep);
      // A panel or a caster that came back may lack the timestep on the wall, which is told.
      if (frame.contains("damage") && !report.at("restarts").empty()) continue;
      CHECK(frame.at("hash") == live_hash(timestep, panel));
      if (timesteps.empty() || timesteps.back() != timestep) timesteps.push_back(timestep);
    }
  }
  return timesteps;
}

}  // namespace tilewall::test
