// Since when the pictures of regions stay, as the director hears it.

#include "player/panel/region_stays.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::panel;
using scene::FrameDamage;

namespace {

struct TwoRegions {
  TwoRegions() {
    regions[0].name = "left";
    regions[1].name = "right";
    for (const scene::Region& region : regions) {
      RegionPart part;
      part.region = &region;
      composition.push_back(part);
    }
  }

  std::vector<std::int64_t> since_ns() const {
    std::vector<std::int64_t> since_ns;
    for (const scene::RegionStay& stay : stays.report()) since_ns.push_back(stay.since_ns);
    return since_ns;
  }

  scene::Region regions[2];
  Composition composition;
  RegionStays stays;
};

using Instants = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a region stays since its first picture that is damaged or repeated", "[panel]") {
  TwoRegions two;
  const auto note = [&](std::int64_t due_ns, FrameDamage left, FrameDamage right) {
    two.stays.note(GlobalInstant{Nanos(due_ns)}, two.composition, {left, right});
    return two.since_ns();
  };
  CHECK(note(100, FrameDamage::none, FrameDamage::none) == Instants{0, 0});
  CHECK(note(200, FrameDamage::none, FrameDamage::repeated) == Instants{0, 200});
  CHECK(note(300, FrameDamage::repeated, FrameDamage::repeated) == Instants{300, 200});
  CHECK(note(400, FrameDamage::repeated, FrameDamage::none) == Instants{300, 0});
}

TEST_CASE("a picture that is drawn before the show starts tells no instant", "[panel]") {
  TwoRegions two;
  const auto note = [&](GlobalInstant due) {
    two.stays.note(due, two.composition, {FrameDamage::repeated, FrameDamage::none});
    // The director refuses a message with an instant that no clock shows.
    scene::ShownBatch batch;
    batch.regions = two.stays.report();
    CHECK(scene::batch_from_json(scene::to_json(batch)).regions.size() == 2);
    return two.since_ns();
  };
  CHECK(note(scene::never + Nanos(200)) == Instants{0, 0});
  CHECK(note(GlobalInstant{Nanos(500)}) == Instants{500, 0});
}
