#include "player/director/statistics/still_pictures.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using director::StillPictures;
using Counts = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t ms = 1'000'000;

/// Panels 0 and 1 show timestep 5 at 100 ms, 6 at 200 ms and so on, up to 9.
StillPictures shown_up_to_nine(std::size_t panels) {
  StillPictures pictures(panels);
  for (std::int64_t timestep = 5; timestep < 10; ++timestep) {
    pictures.add(0, timestep, (timestep - 4) * 100 * ms);
    pictures.add(1, timestep, (timestep - 4) * 100 * ms + 1);
  }
  return pictures;
}

}  // namespace

TEST_CASE("timesteps that all panels show in time are not mixed", "[director]") {
  const StillPictures pictures = shown_up_to_nine(2);
  CHECK(pictures.counts().mixed == 0);
  CHECK(pictures.counts().late == Counts{0, 0});
  CHECK(pictures.counts().on_time == Counts{0, 0});
}

TEST_CASE("a timestep is late on a panel by more than the limit", "[director]") {
  StillPictures pictures(3);
  pictures.add(0, 5, 100 * ms);
  pictures.add(1, 5, 200 * ms);
  CHECK(pictures.counts().mixed == 0);
  pictures.add(2, 5, 200 * ms + 1);
  CHECK(pictures.counts().mixed == 1);
  CHECK(pictures.counts().late == Counts{0, 0, 1});
  CHECK(pictures.counts().on_time == Counts{1, 1, 0});
}

TEST_CASE("a panel that leaves a timestep out is late with it", "[director]") {
  StillPictures pictures = shown_up_to_nine(3);
  for (const std::int64_t timestep : {5, 6, 8})
    pictures.add(2, timestep, ((timestep - 4) * 100 + 5) * ms);
  CHECK(pictures.counts().mixed == 1);
  CHECK(pictures.counts().late == Counts{0, 0, 1});
  CHECK(pictures.counts().on_time == Counts{1, 1, 0});
  pictures.add(2, 8, 5000 * ms);  // the same picture again
  CHECK(pictures.counts().mixed == 1);
}

TEST_CASE("a timestep that only a slow panel tells of was left out by the others", "[director]") {
  StillPictures pictures(2);
  for (const std::int64_t timestep : {5, 7}) pictures.add(0, timestep, timestep * 10 * ms);
  for (const std::int64_t timestep : {5, 6, 7}) pictures.add(1, timestep, timestep * 10 * ms + 1);
  CHECK(pictures.counts().mixed == 1);
  CHECK(pictures.counts().late == Counts{1, 0});
  CHECK(pictures.counts().on_time == Counts{0, 1});
}

TEST_CASE("what the wall showed before a panel's first picture does not count for it",
          "[director]") {
  StillPictures pictures = shown_up_to_nine(3);
  pictures.add(2, 9, 500 * ms + 7);
  CHECK(pictures.counts().mixed == 0);
}

TEST_CASE("the first picture of a panel that comes back does not count", "[director]") {
  StillPictures pictures = shown_up_to_nine(2);
  pictures.join(1);
  pictures.add(0, 10, 600 * ms);
  pictures.add(0, 11, 700 * ms);
  pictures.add(1, 11, 1700 * ms);
  CHECK(pictures.counts().mixed == 0);
  pictures.add(0, 12, 1800 * ms);
  pictures.add(0, 13, 1850 * ms);
  pictures.add(1, 13, 1850 * ms);
  CHECK(pictures.counts().mixed == 1);  // 12, which it left out
  CHECK(pictures.counts().late == Counts{0, 1});
}

TEST_CASE("a panel that comes back to the picture that it showed shows nothing new", "[director]") {
  StillPictures pictures = shown_up_to_nine(2);
  pictures.join(1);
  pictures.add(1, 9, 3000 * ms);
  pictures.join(1);
  pictures.add(1, 12, 3400 * ms);  // as the first panel
  for (const std::size_t panel : {0U, 1U}) pictures.add(panel, 13, 3500 * ms);
  CHECK(pictures.counts().mixed == 0);
}

TEST_CASE("a timestep that comes again is another picture", "[director]") {
  StillPictures pictures(2);
  for (const std::int64_t timestep : {5, 6, 5}) pictures.add(0, timestep, 100 * ms);
  for (const std::int64_t timestep : {5, 6}) pictures.add(1, timestep, 100 * ms);
  CHECK(pictures.counts().mixed == 0);
  pictures.add(1, 5, 200 * ms + 1);
  CHECK(pictures.counts().mixed == 1);
  CHECK(pictures.counts().late == Counts{0, 1});
}

TEST_CASE("timesteps of long ago are forgotten, and their counts kept", "[director]") {
  StillPictures pictures(2);
  for (std::int64_t timestep = 0; timestep < 40; ++timestep)
    pictures.add(0, timestep, timestep * 10 * ms);
  pictures.add(1, 0, 1);  // forgotten
  CHECK(pictures.counts().mixed == 0);
  pictures.add(1, 39, 390 * ms);
  CHECK(pictures.counts().mixed == 31);  // older ones than the newest 32 are forgotten
  CHECK(pictures.counts().late == Counts{0, 31});
  for (std::int64_t timestep = 40; timestep < 80; ++timestep)
    for (const std::size_t panel : {0U, 1U}) pictures.add(panel, timestep, timestep * 10 * ms);
  CHECK(pictures.counts().mixed == 31);
}

TEST_CASE("another director goes on with the pictures that stay", "[director]") {
  StillPictures pictures = shown_up_to_nine(3);
  pictures.add(2, 7, 300 * ms);
  pictures.join(1);
  StillPictures restored = StillPictures::restored(pictures.checkpoint(), 3);
  CHECK(restored.checkpoint() == pictures.checkpoint());
  for (StillPictures* one : {&pictures, &restored}) {
    one->add(2, 9, 700 * ms);
    one->add(1, 10, 950 * ms);
    one->add(0, 10, 960 * ms);
    CHECK(one->counts().late == Counts{0, 0, 2});
    CHECK(one->counts().on_time == Counts{2, 2, 0});
  }
  nlohmann::json wrong = pictures.checkpoint();
  CHECK_THROWS_AS(StillPictures::restored(wrong, 2), InputError);
  wrong["pictures"][0][2] = 3;  // a panel that the wall lacks
  CHECK_THROWS_AS(StillPictures::restored(wrong, 3), InputError);
  wrong = pictures.checkpoint();
  wrong["pictures"][0][3] = 3;  // an unknown mark
  CHECK_THROWS_AS(StillPictures::restored(wrong, 3), InputError);
}
