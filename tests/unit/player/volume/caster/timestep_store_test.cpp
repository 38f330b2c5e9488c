// Timesteps of a volume as the caster reads them: which range of values colours are for.

#include "player/volume/caster/timestep_store.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::volume;
using namespace tilewall::test;

namespace {

constexpr std::size_t voxel_count = 8 * 8 * 8;

/// step-0000.nrrd: `greatest` at its first voxel, else 0, and so many bytes of it.
void write_step(const TemporaryFolder& folder, int step, char greatest, std::size_t bytes) {
  std::string voxels(voxel_count, '\0');
  voxels.front() = greatest;
  std::ofstream(folder / ("step-000" + std::to_string(step) + ".nrrd"), std::ios::binary)
      << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 8 8 8\nencoding: raw\n\n"
      << voxels.substr(0, bytes);
}

VolumeJob job_of(const TemporaryFolder& folder) {
  VolumeJob job;
  job.path = (folder / "step-%04d.nrrd").string();
  job.memory_bytes = std::size_t{64} << 20;
  return job;
}

/// A pyramid of two levels that takes 125 MiB to show. All its voxels are 0 but those of the first
/// chunks, which are 200 at the finest level and 90 at the other one.
void write_large_pyramid(const std::filesystem::path& zarr) {
  namespace fs = std::filesystem;
  std::string datasets;
  for (const int level : {0, 1}) {
    const fs::path at = zarr / std::to_string(level);
    const int chunk = 96 >> level;
    const std::string side = std::to_string(288 >> level);
    fs::create_directories(at / "0" / "0");
    const std::string chunks = std::to_string(chunk);
    std::ofstream(at / ".zarray") << "{\"zarr_format\":2,\"shape\":[" << side << "," << side << ","
                                  << side << "],\"chunks\":[" << chunks << "," << chunks << ","
                                  << chunks
                                  << "],\"dtype\":\"|u1\",\"order\":\"C\",\"filters\":null,"
                                     "\"fill_value\":0,\"dimension_separator\":\"/\","
                                     "\"compressor\":null}";
    std::ofstream(at / "0" / "0" / "0", std::ios::binary)
        << std::string(static_cast<std::size_t>(chunk) * static_cast<std::size_t>(chunk) *
                           static_cast<std::size_t>(chunk),
                       static_cast<char>(level == 0 ? 200 : 90));
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

/// Once it is there. Throws what reading it threw.
ReadyTimestepPtr awaited(TimestepStore& store, std::int64_t timestep) {
  ReadyTimestepPtr ready;
  eventually([&] { return (ready = store.get(timestep)) != nullptr; });
  return ready;
}

}  // namespace

TEST_CASE("a timestep that cannot be read takes no other's colours", "[view][bad-input]") {
  const TemporaryFolder folder;
  write_step(folder, 0, 0, voxel_count);
  write_step(folder, 1, 50, 100);
  write_step(folder, 2, 90, voxel_count);
  write_step(folder, 3, 120, voxel_count);
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job_of(folder), gpu, 1);
  for (const int step : {3, 2}) {
    const ReadyTimestepPtr ready = awaited(store, step);
    REQUIRE(ready);
    CHECK(ready->whole.values == ValueRange{0, 90});
  }
  CHECK_THROWS_WITH(awaited(store, 1), Catch::Contains("step-0001.nrrd"));
}

TEST_CASE("a large volume that fits is there coarsely before all its voxels are", "[view]") {
  const TemporaryFolder folder;
  write_large_pyramid(folder / "large.zarr");
  HostGpu gpu(CasterChoice::cpu);
  VolumeJob job;
  job.path = (folder / "large.zarr").string();
  job.memory_bytes = std::size_t{256} << 20;
  job.stretch = {1, 1, 2};
  TimestepStore store(job, gpu, 1);
  REQUIRE(awaited(store, 0));
  const ReadyTimestepPtr preview = store.preview();
  REQUIRE(preview);
  CHECK(preview->level == 1);
  CHECK(preview->volume.size() == render::VolumeSize{144, 144, 144});
  CHECK(preview->whole.size == render::VolumeSize{288, 288, 288});
  CHECK(preview->whole.values == ValueRange{0, 90});
  CHECK(preview->whole.stretch == Vec3d{1, 1, 2});
  REQUIRE(eventually([&] { return store.get(0)->level == 0; }));
  CHECK(store.get(0)->whole.values == ValueRange{0, 200});
  CHECK(store.preview() == preview);  // panels may show it until all of them have the other
  const std::uint64_t both = store.figures().held_bytes;
  CHECK(both <= job.memory_bytes);
  store.drop_preview();
  CHECK(store.preview() == nullptr);
  CHECK(store.figures().held_bytes < both);

  job.memory_bytes = std::size_t{135} << 20;  // there is no room for both
  TimestepStore small(job, gpu, 1);
  REQUIRE(awaited(small, 0));
  CHECK(small.preview() == nullptr);
  CHECK(small.get(0)->level == 0);
}

TEST_CASE("a timestep of one value gets the colours of all once they are known", "[view]") {
  const TemporaryFolder folder;
  write_step(folder, 0, 0, voxel_count);
  write_step(folder, 1, 90, voxel_count);
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job_of(folder), gpu, 1);
  REQUIRE(awaited(store, 1));
  CHECK(eventually([&] {
    const ReadyTimestepPtr first = store.get(0);
    return first && first->whole.values == ValueRange{0, 90};
  }));
}

TEST_CASE("quantiles are those of all timesteps, shown or not", "[view]") {
  const TemporaryFolder folder;
  for (int step = 0; step < 4; ++step) write_step(folder, step, 50, voxel_count);
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job_of(folder), gpu, 1);
  REQUIRE(awaited(store, 0));
  const QuantileQuestion all{{0, 100}, {}};
  const QuantileQuestion most{{0, 99}, {}};
  std::optional<TimestepStore::QuantileAnswer> answer;
  CHECK(eventually([&] { return (answer = store.quantiles(all)).has_value(); }));
  CHECK(answer->range == ValueRange{0, 50});
  CHECK(eventually([&] { return (answer = store.quantiles(most)).has_value(); }));
  CHECK(answer->range == ValueRange{0, 0});  // 4 of 2048 voxels are 50
}

TEST_CASE("a logarithm's least value is that of the first timestep that has one", "[view]") {
  const TemporaryFolder folder;
  write_step(folder, 0, 40, voxel_count);
  write_step(folder, 1, 90, voxel_count);
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job_of(folder), gpu, 1);
  const ReadyTimestepPtr ready = awaited(store, 1);
  REQUIRE(ready);
  CHECK(ready->whole.least_above_zero == 40);
  CHECK(ready->whole.low.zeros == voxel_count - 1);
  CHECK(ready->whole.low.least_above_zero == 90);
}
