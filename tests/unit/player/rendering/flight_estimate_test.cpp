// How an estimate divides its time. The figures are worked out by hand.

#include "player/rendering/flight_estimate.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <utility>
#include <vector>

using namespace tilewall;
using namespace tilewall::rendering;

namespace {

constexpr double million = 1e6;
constexpr SizePx frame_px{1000, 1000};

}  // namespace

TEST_CASE("an estimate draws whole frames where many fit into its time", "[ranks]") {
  const auto whole = [](std::int64_t frames, double frame_s) {
    const SamplePlan plan = plan_samples(frame_px, frames, frame_s / million, 8, million);
    CHECK(plan.columns == 1);
    CHECK(plan.rows == 1);
    return plan.samples;
  };
  CHECK(whole(100, 0.01) == 100);  // each at most once
  CHECK(whole(100'000, 0.01) == 500);
  CHECK(whole(100'000, 0.1) == 80);
}

TEST_CASE("an estimate draws parts of frames that take long, or are drawn in bands", "[ranks]") {
  // A frame takes a second, and each of 24 parts may take a quarter of one.
  const SamplePlan slow = plan_samples(frame_px, 100, 1 / million, 6, million);
  CHECK(slow.columns == 4);
  CHECK(slow.rows == 1);
  CHECK(slow.samples == 96);  // as time is left, since parts in the middle take longest
  // However long a frame takes, 24 parts take the time that is left.
  for (const double frame_s : {10.0, 1e3, 1e5}) {
    CAPTURE(frame_s);
    const SamplePlan plan = plan_samples(frame_px, 100, frame_s / million, 6, million);
    const double part_s = frame_s / plan.columns / plan.rows;
    CHECK(24 * part_s <= 6);
    CHECK(24 * part_s > 2);
  }
  const SamplePlan slowest = plan_samples(frame_px, 100, 1, 8, million);  // a second for a pixel
  CHECK(slowest.columns == 1000);
  CHECK(slowest.rows == 1000);
  // Where a band has a fifth of the frame, no part has more.
  const SamplePlan banded = plan_samples(frame_px, 100, 0.01 / million, 8, million / 5);
  CHECK(banded.columns * banded.rows >= 5);
  CHECK(banded.columns * banded.rows <= 6);
}

TEST_CASE("the parts of an estimate come evenly from all over the frame", "[ranks]") {
  const SamplePlan plan{3, 2, 96};
  std::set<std::pair<int, int>> corners;
  int pixels = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const RectPx part = part_of_sample(plan, {10, 7}, i);
    CHECK(part.x >= 0);
    CHECK(part.y >= 0);
    CHECK(part.right() <= 10);
    CHECK(part.bottom() <= 7);
    if (corners.insert({part.x, part.y}).second) pixels += part.width * part.height;
  }
  CHECK(corners.size() == 6);
  CHECK(pixels == 70);
  CHECK(part_of_sample({}, {10, 7}, 5) == RectPx{0, 0, 10, 7});
}

TEST_CASE("the frames of an estimate are spread over the flight, whenever it ends", "[ranks]") {
  std::vector<std::int64_t> frames = frames_of_samples(5, 10, 100);
  CHECK((frames[0] < 60) != (frames[1] < 60));
  std::ranges::sort(frames);
  CHECK(frames == std::vector<std::int64_t>{20, 40, 60, 80, 100});
  CHECK(frames_of_samples(3, 7, 1) == std::vector<std::int64_t>{7, 7, 7});
  CHECK(frames_of_samples(0, 7, 10) == std::vector<std::int64_t>{12});
  std::vector<std::int64_t> all = frames_of_samples(500, 0, 500);
  for (int quarter = 0; quarter < 4; ++quarter)
    CHECK(std::ranges::count_if(all.begin(), all.begin() + 40,
                                [&](std::int64_t frame) { return frame / 125 == quarter; }) >= 8);
  std::ranges::sort(all);
  CHECK(all.front() == 0);
  CHECK(all.back() == 499);
  CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("the error of an estimate is that of a mean, times the frames", "[ranks]") {
  CHECK(error_of_sum({2, 4}, 10) == Approx(10));
  CHECK(error_of_sum({3, 3, 3}, 10) == 0);
  CHECK(error_of_sum({5}, 10) == 50);  // nothing is known about others
  CHECK(error_of_sum({}, 10) == 0);
}

TEST_CASE("what a picture takes whatever its size counts once for the whole", "[ranks]") {
  // Of a part of 4000 pixels in 0.14 s and a little one of 400 in 0.05 s, a pixel takes 25 us and a
  // picture 0.05 s less 400 of them.
  CHECK(whole_draw_s(0.14, 4000, 0.05, 400, 100'000) == Approx(0.04 + 2.5));
  CHECK(whole_draw_s(0.14, 4000, 0.05, 400, 4000) == Approx(0.14));
  // A part that is hardly larger than the little one tells nothing but its own pace.
  CHECK(whole_draw_s(0.1, 1000, 0.09, 400, 100'000) == Approx(10));
  // Where the part was quicker by chance, its pixels take nothing.
  CHECK(whole_draw_s(0.04, 4000, 0.05, 400, 100'000) == Approx(0.04));
}

TEST_CASE("each host opens the volume for itself, and draws its share of the frames", "[ranks]") {
  FlightEstimate estimate;
  estimate.frames = 10;
  estimate.seconds = 52;
  estimate.fixed_s = 2;
  estimate.error_s = 5;
  estimate.read_bytes = 1700;
  estimate.fixed_read_bytes = 700;
  const HostShare alone = share_of_host(estimate, 1);
  CHECK(alone.frames == 10);
  CHECK(alone.seconds == Approx(52));
  CHECK(alone.read_bytes_of_all == Approx(1700));
  const HostShare third = share_of_host(estimate, 3);
  CHECK(third.frames == 4);
  CHECK(third.seconds == Approx(2 + 20));
  CHECK(third.error_s == Approx(2));
  CHECK(third.read_bytes_of_all == Approx(1700 + 2 * 700));
  // One frame cannot be shared, and the other hosts have nothing to open.
  estimate.frames = 1;
  const HostShare one = share_of_host(estimate, 4);
  CHECK(one.frames == 1);
  CHECK(one.seconds == Approx(52));
  CHECK(one.read_bytes_of_all == Approx(1700));
}
