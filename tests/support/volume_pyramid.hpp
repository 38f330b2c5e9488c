// A small multiscale OME-Zarr of u8, without compression: every level holds the means of 2^3 voxels
// of the one above it.
#pragma once

#include <sys/eventfd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/slab/slab_server.hpp"
#include "player/volume/caster/timestep_store.hpp"
#include "render/volume/volume.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/eventually.hpp"

namespace tilewall::test {

/// voxel(x, y, z) gives the finest level, whose spacing is 1 and whose first voxel lies at 0.
/// Chunks have `chunk` voxels a side.
template <typename Voxel>
void write_pyramid(const std::filesystem::path& folder, render::VolumeSize size, int levels,
                   Voxel&& voxel, int chunk = 4) {
  const auto write = [](const std::filesystem::path& file, const std::string& bytes) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  };
  const auto list = [](double z, double y, double x) {
    return "[" + std::to_string(z) + "," + std::to_string(y) + "," + std::to_string(x) + "]";
  };
  const auto index = [](render::VolumeSize of, int x, int y, int z) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(of.y) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(of.x) +
           static_cast<std::size_t>(x);
  };
  std::vector<std::uint8_t> voxels;
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) voxels.push_back(voxel(x, y, z));
  std::string datasets;
  for (int level = 0; level < levels; ++level) {
    const int side = 1 << level;
    const double shift = (side - 1) / 2.0;
    datasets += std::string(level > 0 ? "," : "") + "{\"path\":\"" + std::to_string(level) +
                "\",\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":" +
                list(side, side, side) +
                "},{\"type\":\"translation\",\"translation\":" + list(shift, shift, shift) + "}]}";
    const std::filesystem::path at = folder / std::to_string(level);
    write(at / ".zarray", "{\"zarr_format\":2,\"shape\":[" + std::to_string(size.z) + "," +
                              std::to_string(size.y) + "," + std::to_string(size.x) +
                              "],\"chunks\":[" + std::to_string(chunk) + "," +
                              std::to_string(chunk) + "," + std::to_string(chunk) +
                              "],\"dtype\":\"|u1\",\"order\":\"C\",\"filters\":null,"
                              "\"fill_value\":0,\"dimension_separator\":\"/\","
                              "\"compressor\":null}");
    for (int cz = 0; cz < size.z; cz += chunk)
      for (int cy = 0; cy < size.y; cy += chunk)
        for (int cx = 0; cx < size.x; cx += chunk) {
          std::string bytes;
          for (int z = cz; z < cz + chunk; ++z)
            for (int y = cy; y < cy + chunk; ++y)
              for (int x = cx; x < cx + chunk; ++x)
                bytes += x < size.x && y < size.y && z < size.z
                             ? static_cast<char>(voxels[index(size, x, y, z)])
                             : '\0';
          write(at / std::to_string(cz / chunk) / std::to_string(cy / chunk) /
                    std::to_string(cx / chunk),
                bytes);
        }
    const render::VolumeSize half{(size.x + 1) / 2, (size.y + 1) / 2, (size.z + 1) / 2};
    std::vector<std::uint8_t> means;
    for (int z = 0; z < half.z; ++z)
      for (int y = 0; y < half.y; ++y)
        for (int x = 0; x < half.x; ++x) {
          int sum = 0;
          int count = 0;
          for (int k = 2 * z; k < std::min(2 * z + 2, size.z); ++k)
            for (int j = 2 * y; j < std::min(2 * y + 2, size.y); ++j)
              for (int i = 2 * x; i < std::min(2 * x + 2, size.x); ++i, ++count)
                sum += voxels[index(size, i, j, k)];
          means.push_back(static_cast<std::uint8_t>((sum * 2 + count) / (2 * count)));
        }
    voxels = std::move(means);
    size = half;
  }
  write(folder / ".zgroup", "{\"zarr_format\":2}");
  write(folder / ".zattrs",
        "{\"multiscales\":[{\"version\":\"0.4\",\"axes\":[{\"name\":\"z\"},{\"name\":\"y\"},"
        "{\"name\":\"x\"}],\"datasets\":[" +
            datasets + "]}]}");
}

/// A ball in 72 x 64 x 64 voxels, on three levels with chunks of 16 voxels a side.
inline void write_ball_pyramid(const std::filesystem::path& folder) {
  write_pyramid(
      folder, {72, 64, 64}, 3,
      [](int x, int y, int z) {
        return static_cast<std::uint8_t>(
            std::max(0.0, 255 - 6 * std::hypot(x - 35.5, y - 31.5, z - 31.5)));
      },
      16);
}

// Choices of a TimestepStore once it has the cell ranges that it asks for first.

/// The detail that the store chooses; empty too where it never gets the ranges.
inline std::optional<volume::DetailChoice> chosen_detail(volume::TimestepStore& store,
                                                         std::int64_t timestep,
                                                         const volume::SeenPart& seen,
                                                         const volume::ShownLook& look) {
  volume::TimestepStore::Choice choice;
  const bool known = eventually([&] {
    choice = store.choose(timestep, seen, look);
    if (choice.lacks) store.want_cells(timestep, *choice.lacks);
    return !choice.lacks;
  });
  return known ? choice.detail : std::nullopt;
}

// A server in the test's own process.

/// Serves `source`, which outlives this, on a given port or on any free one.
class ServedSource {
 public:
  explicit ServedSource(net::SlabSource& source, int port = 0)
      : server_(net::SlabServerOptions{net::resolve("127.0.0.1:" + std::to_string(port), "test")},
                source),
        thread_([this] { server_.run(stop_.get()); }) {}
  ~ServedSource() { ::eventfd_write(stop_.get(), 1); }
  ServedSource(const ServedSource&) = delete;
  ServedSource& operator=(const ServedSource&) = delete;

  [[nodiscard]] int port() const { return server_.port(); }
  [[nodiscard]] std::string url(const std::string& name) const {
    return "tilewall://127.0.0.1:" + std::to_string(port()) + "/" + name;
  }

 private:
  net::SlabServer server_;
  UniqueFd stop_{::eventfd(0, EFD_CLOEXEC)};
  std::jthread thread_;
};

/// A pyramid of two levels that takes 125 MiB to show, so that it is shown in two stages. The
/// voxels of its first `chunks` chunks along each axis, of three, are 200 at the finest level and
/// 90 at the other one. All others are 0.
inline void write_large_pyramid(const std::filesystem::path& zarr, int chunks = 1) {
  namespace fs = std::filesystem;
  std::string datasets;
  for (const int level : {0, 1}) {
    const fs::path at = zarr / std::to_string(level);
    const int chunk = 96 >> level;
    const std::string side = std::to_string(288 >> level);
    fs::create_directories(at);
    const std::string chunk_side = std::to_string(chunk);
    std::ofstream(at / ".zarray") << "{\"zarr_format\":2,\"shape\":[" << side << "," << side << ","
                                  << side << "],\"chunks\":[" << chunk_side << "," << chunk_side
                                  << "," << chunk_side
                                  << "],\"dtype\":\"|u1\",\"order\":\"C\",\"filters\":null,"
                                     "\"fill_value\":0,\"dimension_separator\":\"/\","
                                     "\"compressor\":null}";
    std::string voxels(static_cast<std::size_t>(chunk * chunk * chunk),
                       static_cast<char>(level == 0 ? 200 : 90));
    std::fill(voxels.begin() + static_cast<std::ptrdiff_t>(voxels.size() / 2), voxels.end(),
              static_cast<char>(level == 0 ? 60 : 80));
    for (int i = 0; i < chunks * chunks * chunks; ++i) {
      const fs::path row =
          at / std::to_string(i / chunks / chunks) / std::to_string(i / chunks % chunks);
      fs::create_directories(row);
      std::ofstream(row / std::to_string(i % chunks), std::ios::binary) << voxels;
    }
    const std::string scale = level == 0 ? "[1,1,1]" : "[2,2,2]";
    datasets += std::string(level > 0 ? "," : "") + "{\"path\":\"" + std::to_string(level) +
                "\",\"coordinateTransformations\":[{\"type\":\"scale\",\"scale\":" + scale + "}]}";
  }
  std::ofstream(zarr / ".zgroup") << "{\"zarr_format\":2}";
  std::ofstream(zarr / ".zattrs")
      << "{\"multiscales\":[{\"version\":\"0.4\",\"axes\":[{\"name\":\"z\"},{\"name\":\"y\"},"
         "{\"name\":\"x\"}],\"datasets\":["
      << datasets << "]}]}";
}

}  // namespace tilewall::test
