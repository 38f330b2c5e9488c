// Timesteps of a volume as the caster reads them: which range of values colours are for.

#include "player/volume/caster/timestep_store.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

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
  CHECK(store.last_stage() == 1);
  const ReadyTimestepPtr preview = store.stage(0).ready;
  REQUIRE(preview);
  CHECK(store.stage(0).number == 0);
  CHECK(preview->level == 1);
  CHECK(preview->volume.size() == render::VolumeSize{144, 144, 144});
  CHECK(preview->whole.size == render::VolumeSize{288, 288, 288});
  CHECK(preview->whole.values == ValueRange{0, 90});
  CHECK(preview->whole.stretch == Vec3d{1, 1, 2});
  REQUIRE(eventually([&] { return store.get(0)->level == 0; }));
  CHECK(store.get(0)->whole.values == ValueRange{0, 200});
  CHECK(store.stage(0).ready == preview);  // panels may show it until all of them have the other
  CHECK(store.stage(7).ready == store.get(0));
  CHECK(store.stage(0).newest == 1);
  CHECK(eventually([&] { return !store.progress(); }));
  const std::uint64_t both = store.figures().held_bytes;
  CHECK(both <= job.memory_bytes);
  store.drop_stages_before(7);
  CHECK(store.stage(0).ready == store.get(0));  // the coarsest one that is held
  CHECK(store.stage(0).number == 1);
  CHECK(store.figures().held_bytes < both);

  job.memory_bytes = std::size_t{135} << 20;  // there is no room for both
  TimestepStore small(job, gpu, 1);
  REQUIRE(awaited(small, 0));
  CHECK(small.last_stage() == 0);
  CHECK(small.get(0)->level == 0);
  job.memory_bytes = std::size_t{256} << 20;
  TimestepStore whole(job, gpu, 1, TimestepStore::Previews::left_out);
  REQUIRE(awaited(whole, 0));
  CHECK(whole.get(0)->level == 0);
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

TEST_CASE("a timestep that was read before the values were known gets their colours, too",
          "[view]") {
  const TemporaryFolder folder;
  write_step(folder, 0, 0, voxel_count);
  write_step(folder, 1, 90, voxel_count);
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job_of(folder), gpu, 1);
  REQUIRE(awaited(store, 0));
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
