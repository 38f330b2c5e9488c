#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "player/movie/frames/orientation.hpp"
#include "player/movie/source/frame_timing.hpp"

using namespace tilewall;
using namespace tilewall::movie;

namespace {

std::vector<FrameSpan> spans_of(Rational time_base, Rational fps,
                                const std::vector<std::int64_t>& stamps, std::int64_t duration,
                                TimingCounters* counters = nullptr) {
  FrameTiming timing(time_base, fps);
  std::vector<FrameSpan> spans;
  for (const std::int64_t pts : stamps)
    if (const auto span = timing.add(pts, duration)) spans.push_back(*span);
  if (const auto span = timing.finish()) spans.push_back(*span);
  if (counters != nullptr) *counters = timing.counters();
  return spans;
}

}  // namespace

TEST_CASE("stamps rounded to milliseconds map one to one at any usual rate", "[source]") {
  for (const Rational fps : {Rational{24000, 1001}, Rational{24, 1}, Rational{30000, 1001},
                             Rational{60, 1}, Rational{120, 1}}) {
    CAPTURE(to_string(fps));
    std::vector<std::int64_t> stamps;
    for (int i = 0; i < 5000; ++i)
      stamps.push_back(700 + static_cast<std::int64_t>(i * 1000 / fps.value() + 0.5));
    TimingCounters counters;
    const auto spans = spans_of({1, 1000}, fps, stamps, 0, &counters);
    REQUIRE(spans.size() == stamps.size());
    for (std::size_t i = 0; i < spans.size(); ++i)
      REQUIRE(spans[i] == FrameSpan{static_cast<std::int64_t>(i), 1});
    CHECK(counters.repeated_frames + counters.dropped_frames + counters.repaired_stamps == 0);
  }
}

TEST_CASE("a pause repeats the picture before it and a crowd keeps the latest", "[source]") {
  TimingCounters counters;
  // 10 fps out; the pictures at 0.5 and 0.51 s fall on one frame
  const auto spans = spans_of({1, 1000}, {10, 1}, {0, 100, 500, 510, 600}, 100, &counters);
  CHECK(spans == std::vector<FrameSpan>{{0, 1}, {1, 4}, {5, 0}, {5, 1}, {6, 1}});
  CHECK(counters.repeated_frames == 3);
  CHECK(counters.dropped_frames == 1);
}

TEST_CASE("half the rate keeps every second picture, at its own instant", "[source]") {
  std::vector<std::int64_t> stamps;
  for (int i = 0; i < 60; ++i) stamps.push_back(i);
  const auto spans = spans_of({1, 60}, {30, 1}, stamps, 1);
  for (std::size_t i = 0; i < spans.size(); ++i) CHECK(spans[i].count == (i % 2 == 0 ? 1 : 0));
}

TEST_CASE("broken stamps are repaired and never make millions of frames", "[source]") {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() - 5;
  TimingCounters counters;
  const auto spans =
      spans_of({1, 90000}, {25, 1}, {0, 3600, far, -far, 7200, 7200, 3600}, 3600, &counters);
  REQUIRE(spans.size() == 7);
  std::int64_t frames = 0;
  for (const FrameSpan& span : spans) frames += span.count;
  CHECK(frames == 7);
  CHECK(counters.repaired_stamps == 5);
}

TEST_CASE("pictures without stamps follow each other by their durations", "[source]") {
  FrameTiming timing({1, 1000}, {25, 1});
  CHECK_FALSE(timing.add(std::nullopt, 40));
  CHECK(timing.add(std::nullopt, 40) == FrameSpan{0, 1});
  CHECK(timing.add(std::nullopt, 80) == FrameSpan{1, 1});
  CHECK(timing.finish() == FrameSpan{2, 2});
  CHECK_FALSE(FrameTiming({1, 1000}, {25, 1}).finish());
}

TEST_CASE("the rate of a movie is its rhythm, not its time base", "[source]") {
  CHECK(constant_rate({24, 1}, {24, 1}) == Rational{24, 1});
  CHECK(constant_rate({2997, 100}, {30000, 1001}) == Rational{30000, 1001});
  CHECK(constant_rate({20, 1}, {30, 1}) == Rational{30, 1});             // some pictures left out
  CHECK(constant_rate({296, 10}, {90000, 1}) == Rational{30000, 1001});  // a phone's
  CHECK(constant_rate({90000, 3749}, {90000, 3749}) == Rational{24, 1});
  CHECK(constant_rate({5, 1}, {5, 1}) == Rational{5, 1});
  CHECK(constant_rate({0, 1}, {0, 1}) == Rational{25, 1});
  CHECK(constant_rate({0, 1}, {1000, 1}) == Rational{25, 1});  // stamps in milliseconds
}

TEST_CASE("a fast movie keeps its rate, up to the greatest one", "[source]") {
  CHECK(constant_rate({300, 1}, {300, 1}) == Rational{300, 1});
  CHECK(constant_rate({480, 1}, {480, 1}) == Rational{480, 1});
  CHECK(constant_rate({960, 1}, {90000, 1}) == Rational{960, 1});
  CHECK(constant_rate({1000, 1}, {1000, 1}) == Rational{1000, 1});
  CHECK(constant_rate({2400, 1}, {2400, 1}) == Rational{1000, 1});
}

TEST_CASE("a display matrix turns and mirrors as its numbers say", "[source]") {
  constexpr std::int32_t one = 1 << 16;
  const auto orientation = [](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    return orientation_of_matrix({a, b, 0, c, d, 0, 0, 0, 1 << 30});
  };
  CHECK(orientation(one, 0, 0, one).upright());
  CHECK(orientation(0, one, -one, 0).turn_deg() == 90);
  CHECK(orientation(-one, 0, 0, -one).turn_deg() == 180);
  CHECK(orientation(0, -one, one, 0).turn_deg() == 270);
  CHECK_FALSE(orientation(0, -one, one, 0).mirrored());
  CHECK(orientation(-one, 0, 0, one).mirrored());
  CHECK(orientation(0, one, one, 0).mirrored());
}

TEST_CASE("a displayed rectangle finds its stored pixels through every orientation", "[source]") {
  const SizePx stored{64, 32};
  for (int bits = 0; bits < 8; ++bits) {
    CAPTURE(bits);
    const Orientation orientation{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    PlanarPicture picture(stored, Chroma::gray);
    for (int y = 0; y < stored.height; ++y)
      for (int x = 0; x < stored.width; ++x)
        picture.planes[0].row(y)[x] = static_cast<std::uint8_t>(x + 64 * (y % 4));
    const PlanarPicture shown = turned(picture, orientation);
    const SizePx displayed = displayed_size_px(stored, {1, 1}, orientation);
    REQUIRE(shown.size_px == displayed);
    const RectF pixel = stored_rect_px({5, 9, 1, 1}, displayed, stored, orientation);
    CHECK(shown.planes[0].row(9)[5] ==
          picture.planes[0].row(static_cast<int>(pixel.y + 0.5))[static_cast<int>(pixel.x + 0.5)]);
  }
}

TEST_CASE("pixels that are not square stretch their short side", "[source]") {
  CHECK(displayed_size_px({720, 576}, {16, 11}, {}) == SizePx{1047, 576});
  CHECK(displayed_size_px({720, 480}, {8, 9}, {}) == SizePx{720, 540});
  CHECK(displayed_size_px({720, 480}, {0, 1}, {true, false, false}) == SizePx{480, 720});
}

TEST_CASE("the latest stamp of a frame is less than half a frame behind it", "[source]") {
  // 25 frames a second in ticks of 1 ms from 1000 on: frame n is due at 1000 + 40 n.
  FrameTiming timing({1, 1000}, {25, 1});
  CHECK_FALSE(timing.add(1000, 40));
  CHECK(timing.latest_pts_of(0) == 1016);  // 0.4 of a frame
  CHECK(timing.latest_pts_of(7) == 1296);
  for (const std::int64_t pts : {1296, 1297}) {
    FrameTiming late({1, 1000}, {25, 1});
    CHECK_FALSE(late.add(1000, 40));
    CHECK(late.add(pts, 40) == FrameSpan{0, pts == 1296 ? 7 : 8});
  }
}
