// The timesteps of a live source in its caster.

#include "player/volume/caster/live_store.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "player/scene/live_messages.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::volume;
using scene::live_frame;
using test::eventually;

namespace live_store_test {

constexpr std::uint32_t side = 16;

/// A whole timestep whose voxels are all `value`, with a range from `value` to 200.
std::shared_ptr<LiveTimestep> timestep(std::uint64_t number, std::uint8_t value,
                                       std::uint32_t sides = side) {
  const net::LiveBox box{{0, 0, 0}, {sides, sides, sides}};
  auto made = std::make_shared<LiveTimestep>(number, std::array{sides, sides, sides}, 1);
  const net::LiveHeadInfo head{1.0,
                               {{box, net::LiveType::u8, 0, static_cast<float>(value), 200.0F}}};
  REQUIRE(made->take_head(0, head).empty());
  for (const net::LiveRequest& request :
       net::live_voxel_requests(0, number, 0, box, net::LiveType::u8)) {
    const std::vector<std::byte> planes(request.bytes, std::byte{value});
    made->place(0, request, planes);
  }
  REQUIRE(made->is_whole());
  return made;
}

struct Caster {
  explicit Caster(std::size_t memory_bytes = std::size_t{64} << 20)
      : job(job_with(memory_bytes)), store(job, gpu, 1) {}
  static VolumeJob job_with(std::size_t memory_bytes) {
    VolumeJob job;
    job.memory_bytes = memory_bytes;
    job.live.emplace();
    job.live->name = "gs";
    return job;
  }
  void add(std::uint64_t run, std::uint64_t number, std::uint8_t value,
           std::uint32_t sides = side) {
    store.add(run, timestep(number, value, sides), {"gs", "u", "", {}, {}});
    REQUIRE(eventually([&] {
      const auto kept = store.kept().timesteps;
      return !kept.empty() && kept.back() == static_cast<std::int64_t>(number);
    }));
  }
  [[nodiscard]] int value_of(std::int64_t frame) {
    return store.get(frame)->volume.voxels<std::uint8_t>()[0];
  }

  const VolumeJob job;
  HostGpu gpu{CasterChoice::cpu};
  LiveStore store;
};

}  // namespace live_store_test

using live_store_test::Caster;

TEST_CASE("a timestep on the wall outlives the new run's timestep of that number", "[live]") {
  Caster caster;
  caster.add(3, 0, 10);
  caster.store.set_on_wall({live_frame(3, 0)});
  caster.add(5, 0, 20);
  CHECK(caster.value_of(live_frame(3, 0)) == 10);
  CHECK(caster.value_of(live_frame(5, 0)) == 20);
  CHECK(caster.store.kept().timesteps == std::vector<std::int64_t>{0});
  caster.store.set_on_wall({live_frame(5, 0)});
  CHECK_THROWS_AS(caster.store.get(live_frame(3, 0)), InputError);
}

TEST_CASE("the memory holds as many timesteps as the newest run's size allows", "[live]") {
  // A timestep of 32^3 takes 40 KiB, and 150 KiB more while it is cast.
  Caster caster(std::size_t{2} << 20);
  caster.add(3, 5000, 10);
  caster.store.set_on_wall({live_frame(3, 5000)});
  for (std::uint64_t number = 0; number < 40; ++number) caster.add(5, number, 20, 32);
  caster.store.set_on_wall({live_frame(5, 39)});
  const auto kept = caster.store.kept().timesteps;
  CHECK(kept.size() >= 3);
  CHECK(kept.size() < 30);
  CHECK(kept.back() == 39);
  CHECK(caster.store.held_bytes() <= caster.job.memory_bytes);
}

TEST_CASE("the colours of a timestep do not depend on when it is drawn", "[live]") {
  Caster caster;
  caster.add(3, 0, 50);
  caster.add(3, 1, 10);
  // It is made ready anew, after one with lower values has come.
  caster.add(3, 2, 60);
  CHECK(caster.store.get(live_frame(3, 0))->whole.values == render::ValueRange{50, 200});
  CHECK(caster.store.get(live_frame(3, 1))->whole.values == render::ValueRange{10, 200});
}

TEST_CASE("a timestep on the wall stays, however many newer ones come", "[live]") {
  Caster caster(std::size_t{2} << 20);
  caster.add(5, 0, 10, 32);
  caster.add(5, 1, 11, 32);
  caster.store.set_on_wall({live_frame(5, 0)});
  for (std::uint64_t number = 2; number < 40; ++number) caster.add(5, number, 20, 32);
  CHECK(caster.value_of(live_frame(5, 0)) == 10);
  CHECK_THROWS_AS(caster.store.get(live_frame(5, 1)), InputError);  // it was the oldest beside it
}

TEST_CASE("a new run has values of its own", "[live]") {
  Caster caster;
  caster.add(3, 0, 10);
  caster.add(3, 1, 40);
  CHECK(caster.store.get(live_frame(3, 1))->whole.least_above_zero == 10);
  caster.add(5, 0, 50);
  const auto first = caster.store.get(live_frame(5, 0));
  CHECK(first->whole.values == render::ValueRange{50, 200});
  CHECK(first->whole.least_above_zero == 50);
}
