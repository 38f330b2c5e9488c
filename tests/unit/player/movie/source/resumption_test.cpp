#include "player/movie/source/resumption.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "player/movie/source/seek_landing.hpp"

using namespace tilewall::movie;

namespace {

using Verdict = Resumption::Verdict;
constexpr double tick_s = 0.01;
constexpr std::optional<std::int64_t> unknown;

Resumption after(std::initializer_list<std::optional<std::int64_t>> stamps) {
  Resumption place;
  for (const auto& pts : stamps) place.note(pts);
  place.begin();
  return place;
}

}  // namespace

TEST_CASE("before the first picture there is nothing to look for", "[source][resumption]") {
  Resumption place = after({});
  CHECK_FALSE(place.next_seek(tick_s));
  CHECK(place.judge(0) == Verdict::new_picture);
  CHECK_FALSE(place.looks_for_picture());
}

TEST_CASE("rising stamps lead to the picture after the last one", "[source][resumption]") {
  Resumption place = after({0, 10, 20});
  CHECK(place.next_seek(tick_s) == 20);
  CHECK(place.judge(30) == Verdict::landed_behind);
  CHECK(place.looks_for_picture());
  CHECK(place.next_seek(tick_s) == 20 - 50);
  CHECK(place.judge(10) == Verdict::handed_out);
  CHECK(place.judge(20) == Verdict::handed_out);
  CHECK_FALSE(place.looks_for_picture());
  CHECK(place.judge(30) == Verdict::new_picture);
  place.note(30);
  CHECK(place.judge(5) == Verdict::new_picture);
}

TEST_CASE("seeks go back 0.5, 4 and 20 s, then to the start", "[source][resumption]") {
  Resumption place = after({0, 10'000});
  CHECK(place.next_seek(tick_s) == 10'000);
  CHECK(place.next_seek(tick_s) == 10'000 - 50);
  CHECK(place.next_seek(tick_s) == 10'000 - 400);
  CHECK(place.next_seek(tick_s) == 10'000 - 2'000);
  CHECK_FALSE(place.next_seek(tick_s));
  CHECK_FALSE(place.looks_for_picture());
  CHECK(place.judge(10'010) == Verdict::new_picture);
}

TEST_CASE("pictures are counted from the start where stamps do not rise", "[source][resumption]") {
  for (const auto& second : {std::optional<std::int64_t>(5), unknown}) {
    Resumption place = after({10, second});
    CHECK_FALSE(place.next_seek(tick_s));
    CHECK(place.judge(unknown) == Verdict::handed_out);
    CHECK(place.judge(99) == Verdict::handed_out);
    CHECK(place.judge(5) == Verdict::new_picture);
  }
}

TEST_CASE("after a seek stamps decide even where they do not rise", "[source][resumption]") {
  Resumption place;
  place.sought_pts = 100;
  place.note(120);
  place.note(110);
  place.begin();
  CHECK(place.next_seek(tick_s) == 110);
  CHECK(place.judge(110) == Verdict::handed_out);
  CHECK(place.judge(130) == Verdict::new_picture);
}

TEST_CASE("a seek leaves out packets up to a key one, and pictures before it",
          "[source][resumption]") {
  SeekLanding landing;
  CHECK_FALSE(landing.skips_packet(false, 0));
  CHECK_FALSE(landing.skips_picture(false, 0));
  landing.begin();
  CHECK(landing.skips_packet(false, 90));
  CHECK_FALSE(landing.skips_packet(true, 100));
  CHECK_FALSE(landing.skips_packet(false, 95));
  CHECK(landing.skips_picture(false, 95));
  CHECK(landing.skips_picture(false, unknown));
  CHECK_FALSE(landing.skips_picture(false, 100));
  CHECK_FALSE(landing.skips_picture(false, 99));
}

TEST_CASE("a key picture ends what a seek leaves out, whatever its stamp", "[source][resumption]") {
  SeekLanding landing;
  landing.begin();
  CHECK_FALSE(landing.skips_packet(true, unknown));
  CHECK(landing.skips_picture(false, 200));
  CHECK_FALSE(landing.skips_picture(true, unknown));
  CHECK_FALSE(landing.skips_picture(false, 1));
  landing.begin();
  landing.end();
  CHECK_FALSE(landing.skips_packet(false, 1));
  CHECK_FALSE(landing.skips_picture(false, 1));
}
