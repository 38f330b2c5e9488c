// Memory that timesteps take in turn: what is kept, what is freed, and the limit.

#include "net/source/step_memory.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::size_t part = 65'536;  // whole pages, and less than a huge one

/// Gives a buffer back, as its last reader does.
void give_back(StepMemory& memory, SlabBuffer buffer) {
  static_cast<void>(memory.share(std::move(buffer), memory.lease()));
}

}  // namespace

TEST_CASE("buffers are freed, or kept for the next timestep where a wall is there", "[source]") {
  StepMemory memory(0);
  give_back(memory, memory.take(part));
  CHECK(memory.bytes() == 0);
  CHECK(memory.most_bytes() >= part);
  memory.keep_unused();
  give_back(memory, memory.take(part));
  const std::uint64_t kept = memory.bytes();
  CHECK(kept >= part);
  SlabBuffer again = memory.take(part);
  CHECK(memory.bytes() == kept);
  give_back(memory, std::move(again));
  CHECK(memory.free_unused().size() == 1);
  CHECK(memory.bytes() == 0);
  give_back(memory, memory.take(part));  // nothing is kept any more
  CHECK(memory.bytes() == 0);
}

TEST_CASE("a buffer of another size takes an old one's place", "[source]") {
  StepMemory memory(0);
  memory.keep_unused();
  give_back(memory, memory.take(part));
  SlabBuffer larger = memory.take(4 * part);  // does not fit into the one that is kept
  CHECK(memory.bytes() < 5 * part);
  give_back(memory, std::move(larger));
  SlabBuffer smaller = memory.take(part);  // would leave most of the kept one unused
  CHECK(memory.bytes() < 2 * part);
  give_back(memory, std::move(smaller));
}

TEST_CASE("what is kept makes room below the limit, and what is in use does not", "[source]") {
  StepMemory memory(4 * part);
  memory.keep_unused();
  SlabBuffer first = memory.take(part);
  SlabBuffer second = memory.take(part);
  const SlabBuffer used = memory.take(part);
  give_back(memory, std::move(first));
  give_back(memory, std::move(second));
  const SlabBuffer large = memory.take(3 * part);
  CHECK(memory.bytes() <= 4 * part);
  CHECK_THROWS_AS(memory.take(part), JobError);
  CHECK_THROWS_WITH(StepMemory(part).take(part + 1), Catch::Contains("65536 bytes"));
  CHECK_NOTHROW(StepMemory(part).take(part));
}

TEST_CASE("a timestep is counted until its last buffer is given back", "[source]") {
  StepMemory memory(0);
  CHECK(memory.leases() == 0);
  StepMemory::Lease lease = memory.lease();
  auto shared = memory.share(memory.take(part), lease);
  CHECK(memory.leases() == 1);
  lease.reset();
  CHECK(memory.leases() == 1);
  shared.reset();
  CHECK(memory.leases() == 0);
}
