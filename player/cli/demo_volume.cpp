#include "player/cli/demo_volume.hpp"

#include <fmt/format.h>

#include <string>
#include <thread>

#include "render/volume/web_scene.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

constexpr int side = 128;

}  // namespace

void make_demo_volume(const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return;
  std::filesystem::create_directories(file.parent_path());
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const VoxelArray voxels = WebScene().voxels(VoxelType::u8, side, threads);
  std::string nrrd = fmt::format(
      "NRRD0004\ntype: uint8\ndimension: 3\nsizes: {0} {0} {0}\nencoding: raw\n\n", side);
  nrrd.append(reinterpret_cast<const char*>(voxels.data()), voxels.size_bytes());
  write_file_atomically(file, nrrd);
}

}  // namespace tilewall
