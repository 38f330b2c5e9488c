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
