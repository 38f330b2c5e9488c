#include "player/cli/source/demo_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "player/command/demo_movie.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "render/volume/web_scene.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

constexpr int demo_volume_side = 128;

/// Makes the demo's own volume, a small universe of filaments and halos, unless `file` exists. It
/// is an ordinary file, so that it is read like a user's volume. Takes about a second. Throws
/// JobError if the file cannot be written; no partial file remains.
void make_demo_volume(const fs::path& file) {
  if (fs::exists(file)) return;
  fs::create_directories(file.parent_path());
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const render::VoxelArray voxels =
      render::WebScene().voxels(render::VoxelType::u8, demo_volume_side, threads);
  std::string nrrd =
      fmt::format("NRRD0004\ntype: uint8\ndimension: 3\nsizes: {0} {0} {0}\nencoding: raw\n\n",
                  demo_volume_side);
  nrrd.append(reinterpret_cast<const char*>(voxels.data()), voxels.size_bytes());
  write_file_atomically(file, nrrd);
}

}  // namespace

std::string demo_input(const std::string& input, movie::CacheUses& uses,
                       const std::stop_token& stop) {
  if (!input.starts_with(demo_scheme)) return input;
  const std::string name = input.substr(demo_scheme.size());
  if (name != "movie" && name != "volume")
    throw InputError({input}, "", "demo:movie or demo:volume", '"' + name + '"');
  const fs::path file = movie::cache_folder() / (name == "volume" ? "demo.nrrd" : "demo.mp4");
  // Lock the cache entry first, so that no cleaning removes the file while it is written.
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  uses.add_if_cached(file);
  name == "volume" ? make_demo_volume(file) : command::make_demo_movie(file, stop);
  return file.string();
}

}  // namespace tilewall::cli
