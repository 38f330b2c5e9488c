#include "player/director/live/late_timesteps.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using director::LateTimesteps;
using Counts = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t ms = 1'000'000;

/// Panels that showed timestep 0 at the beginning.
LateTimesteps begun(std::size_t panels) {
  LateTimesteps late(panels);
  for (std::size_t panel = 0; panel < panels; ++panel) late.add(panel, 0, 0);
  return late;
}

/// Of panels that all showed timestep 0, panels 0 and 1 show timestep 5 at 100 ms, 6 at 200 ms and
/// so on, up to 9.
LateTimesteps shown_up_to_nine(std::size_t panels) {
  LateTimesteps late = begun(panels);
  for (std::int64_t timestep = 5; timestep < 10; ++timestep) {
    late.add(0, timestep, (timestep - 4) * 100 * ms);
    late.add(1, timestep, (timestep - 4) * 100 * ms + 1);
  }
  return late;
}

}  // namespace

TEST_CASE("timesteps that all panels show in time are not late", "[director][live]") {
  const LateTimesteps late = shown_up_to_nine(2);
  CHECK(late.count() == 0);
  CHECK(late.by_panel() == Counts{0, 0});
}

TEST_CASE("a timestep is late on a panel by more than the limit", "[director][live]") {
  LateTimesteps late = begun(4);
  late.add(0, 5, 1100 * ms);
  late.add(1, 5, 1200 * ms);
  CHECK(late.count() == 0);
  late.add(2, 5, 1200 * ms + 1);
  CHECK(late.count() == 1);
  late.add(3, 5, 1300 * ms);
  CHECK(late.count() == 1);
  CHECK(late.by_panel() == Counts{0, 0, 1, 1});
  // The first panel's report may come last.
  late.add(0, 6, 2100 * ms);
  late.add(1, 6, 1999 * ms);
  CHECK(late.count() == 2);
  CHECK(late.by_panel() == Counts{1, 0, 1, 1});
}

TEST_CASE("a timestep that a panel leaves out is late on it", "[director][live]") {
  LateTimesteps late = shown_up_to_nine(3);
  for (const std::int64_t timestep : {5, 6, 8})
    late.add(2, timestep, ((timestep - 4) * 100 + 5) * ms);
  CHECK(late.count() == 1);
  CHECK(late.by_panel() == Counts{0, 0, 1});
  late.add(2, 8, 5000 * ms);  // the same timestep, drawn again
  CHECK(late.count() == 1);
}

TEST_CASE("a timestep that only a slow panel tells of was left out by the others",
          "[director][live]") {
  LateTimesteps late = begun(2);
  for (const std::int64_t timestep : {5, 7}) late.add(0, timestep, timestep * 10 * ms);
  for (const std::int64_t timestep : {5, 6, 7}) late.add(1, timestep, timestep * 10 * ms + 1);
  CHECK(late.count() == 1);
  CHECK(late.by_panel() == Counts{1, 0});
}

TEST_CASE("the first timestep of a panel, and those before it, are not judged",
          "[director][live]") {
  LateTimesteps late(3);
  for (const std::int64_t timestep : {1, 2}) {
    late.add(0, timestep, timestep * 1000 * ms);
    late.add(1, timestep, timestep * 1000 * ms);
  }
  late.add(2, 2, 2900 * ms);
  CHECK(late.count() == 0);
  late.add(2, 3, 3200 * ms);
  late.add(0, 3, 3000 * ms);
  CHECK(late.by_panel() == Counts{0, 0, 1});
}

TEST_CASE("what others showed as a panel began is not judged on it", "[director][live]") {
  LateTimesteps late(2);
  late.add(0, 0, 0);
  late.add(1, 7, 100 * ms);
  late.add(0, 8, 100 * ms);
  late.add(1, 9, 200 * ms);
  late.add(0, 9, 200 * ms);
  CHECK(late.count() == 0);
}

TEST_CASE("the first timestep of a panel that comes back is not judged", "[director][live]") {
  LateTimesteps late = shown_up_to_nine(2);
  late.join(1);
  late.add(0, 10, 600 * ms);
  late.add(0, 11, 700 * ms);
  late.add(1, 11, 1700 * ms);
  CHECK(late.count() == 0);
  late.add(0, 12, 1800 * ms);
  late.add(0, 13, 1850 * ms);
  late.add(1, 13, 1850 * ms);
  CHECK(late.count() == 1);  // 12, which it left out
  CHECK(late.by_panel() == Counts{0, 1});
}

TEST_CASE("a panel that comes back to the timestep that it showed shows nothing new",
          "[director][live]") {
  LateTimesteps late = shown_up_to_nine(2);
  late.join(1);
  late.add(1, 9, 3000 * ms);
  late.join(1);
  late.add(1, 12, 3400 * ms);  // before the other panel
  for (const std::size_t panel : {0U, 1U}) late.add(panel, 13, 3500 * ms);
  CHECK(late.count() == 0);
}

TEST_CASE("a timestep that others showed sooner than the one before it is the same one",
          "[director][live]") {
  LateTimesteps late = begun(3);
  late.add(0, 4, 100 * ms);
  late.add(1, 3, 105 * ms);  // panels 0 and 2 leave it out
  late.add(2, 4, 110 * ms);
  late.add(1, 4, 120 * ms);
  for (const std::size_t panel : {0U, 1U, 2U}) late.add(panel, 5, 130 * ms);
  CHECK(late.count() == 1);
  CHECK(late.by_panel() == Counts{1, 0, 1});
}

TEST_CASE("a timestep that comes again is judged again", "[director][live]") {
  LateTimesteps late = begun(2);
  for (const std::int64_t timestep : {5, 6, 5}) late.add(0, timestep, 100 * ms);
  for (const std::int64_t timestep : {5, 6}) late.add(1, timestep, 100 * ms);
  CHECK(late.count() == 0);
  late.add(1, 5, 200 * ms + 1);
  CHECK(late.count() == 1);
  CHECK(late.by_panel() == Counts{0, 1});
}

TEST_CASE("timesteps of long ago are forgotten, and their counts kept", "[director][live]") {
  LateTimesteps late = begun(2);
  for (std::int64_t timestep = 1; timestep < 41; ++timestep)
    late.add(0, timestep, timestep * 10 * ms);
  late.add(1, 1, 1);  // is forgotten
  CHECK(late.count() == 0);
  late.add(1, 40, 400 * ms);
  CHECK(late.count() == 31);  // older ones than the newest 32 are forgotten
  CHECK(late.by_panel() == Counts{0, 31});
  for (std::int64_t timestep = 41; timestep < 80; ++timestep)
    for (const std::size_t panel : {0U, 1U}) late.add(panel, timestep, timestep * 10 * ms);
  CHECK(late.count() == 31);
}
