// When content counts as frozen, and what is said about it.

#include "player/director/content_watch.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using test::at_ms;

namespace {

ShownFrame picture_at(std::int64_t ms, FrameDamage damage) {
  return {ms / 100, ms / 100, at_ms(ms).since_epoch.count(), 0, damage};
}

/// Frames of a tenth of a second each, from `from_ms` to before `end_ms`.
std::vector<ShownFrame> pictures(std::int64_t from_ms, std::int64_t end_ms, FrameDamage damage) {
  std::vector<ShownFrame> all;
  for (std::int64_t ms = from_ms; ms < end_ms; ms += 100) all.push_back(picture_at(ms, damage));
  return all;
}

/// The line at `ms`, when the panels have settled.
std::optional<std::string> news_at(ContentWatch& watch, std::int64_t ms) {
  const auto early = watch.news(at_ms(ms) - ContentWatch::settle_time);
  CHECK_FALSE(early);
  return watch.news(at_ms(ms));
}

}  // namespace

TEST_CASE("a picture that stays for a second is frozen until another one comes", "[content]") {
  ContentWatch watch({"left", "right"});
  watch.take(0, true, pictures(0, 500, FrameDamage::none));
  watch.take(0, true, pictures(500, 1500, FrameDamage::missing));
  watch.take(1, true, pictures(0, 1500, FrameDamage::none));
  CHECK(watch.frozen().empty());  // 0.9 s so far
  CHECK_FALSE(news_at(watch, 1400));
  watch.take(0, true, {picture_at(1500, FrameDamage::repeated)});
  CHECK(watch.frozen() == std::vector<std::string>{"left"});
  const auto frozen = news_at(watch, 2000);
  REQUIRE(frozen);
  CHECK(frozen->find("left frozen") != std::string::npos);
  CHECK_FALSE(news_at(watch, 2500));
  watch.take(0, true, {picture_at(2000, FrameDamage::none)});
  CHECK(watch.frozen().empty());
  CHECK(news_at(watch, 3000) == "content: left moves again");
  REQUIRE(watch.report().size() == 1);
  CHECK(watch.report()[0].at("what") == "left");
  CHECK(watch.report()[0].at("from_ns") == at_ms(500).since_epoch.count());
  CHECK(watch.report()[0].at("until_ns") == at_ms(2000).since_epoch.count());
  CHECK(watch.failure() == "content was frozen for 1 s or more on left");
}

TEST_CASE("damaged blocks, pauses, stills and short gaps are no frozen content", "[content]") {
  ContentWatch watch({"left"});
  watch.take(0, true, pictures(0, 3000, FrameDamage::blocks));
  watch.take(0, false, pictures(3000, 6000, FrameDamage::missing));
  for (std::int64_t ms = 6000; ms < 9000; ms += 1000) {
    watch.take(0, true, pictures(ms, ms + 900, FrameDamage::black));
    watch.take(0, true, {picture_at(ms + 900, FrameDamage::none)});
  }
  CHECK(watch.report().empty());
  CHECK(watch.failure().empty());
}

TEST_CASE("a panel whose source does not answer is frozen, as no frames come", "[content]") {
  ContentWatch watch({"left"});
  const auto reports = [&](std::int64_t from_ms, std::int64_t end_ms, std::int64_t since_ms = 0) {
    for (std::int64_t ms = from_ms; ms < end_ms; ms += 200)
      watch.take_none(0, at_ms(since_ms), at_ms(ms), std::chrono::seconds(2));
  };
  reports(0, 5000);
  CHECK(watch.frozen().empty());  // it has shown no picture yet
  watch.take(0, true, {picture_at(5000, FrameDamage::none)});
  SECTION("once its last picture has stayed for the limit") {
    reports(5200, 7000);
    CHECK(watch.frozen().empty());
    reports(7000, 7200);
    CHECK(watch.frozen() == std::vector<std::string>{"left"});
    CHECK(watch.report()[0].at("from_ns") == at_ms(5000).since_epoch.count());
    watch.take(0, true, {picture_at(7300, FrameDamage::none)});
    CHECK(watch.frozen().empty());
  }
  SECTION("not for the time before its scene, such as a pause") {
    reports(5200, 8200, 6200);
    CHECK(watch.frozen().empty());
    reports(8200, 8400, 6200);
    CHECK_FALSE(watch.frozen().empty());
  }
  SECTION("not for time in which it gave no sign itself") {
    reports(8000, 9900);
    CHECK(watch.frozen().empty());
  }
  SECTION("not after it has left") {
    watch.leave(0);
    reports(5200, 9000);
    CHECK(watch.frozen().empty());
  }
}

TEST_CASE("a sound process that stalls is frozen content", "[content]") {
  ContentWatch watch({"left"});
  for (std::int64_t ms = 0; ms <= 1000; ms += 20) watch.take_sound(true, at_ms(ms));
  CHECK(watch.frozen() == std::vector<std::string>{"sound"});
  watch.take_sound(false, at_ms(1020));
  CHECK(watch.frozen().empty());
}

TEST_CASE("a panel that has left is not frozen any more, but the fault stays in the report",
          "[content]") {
  ContentWatch watch({"left"});
  watch.take(0, true, pictures(0, 1100, FrameDamage::missing));
  watch.leave(0);
  CHECK(watch.frozen().empty());
  CHECK(watch.report()[0].at("until_ns").is_null());
  watch.take(0, true, pictures(1100, 1500, FrameDamage::missing));
  CHECK(watch.frozen().empty());  // a new process has its own second
}

TEST_CASE("the next director knows what is frozen and was told", "[content]") {
  ContentWatch before({"left", "right"});
  before.take(1, true, pictures(0, 1100, FrameDamage::missing));
  REQUIRE(news_at(before, 1600));
  ContentWatch after({"left", "right"});
  after.restore(before.checkpoint());
  CHECK(after.frozen() == std::vector<std::string>{"right"});
  CHECK_FALSE(news_at(after, 2100));
  after.take(1, true, {picture_at(1200, FrameDamage::none)});
  CHECK(news_at(after, 2600) == "content: right moves again");
  CHECK(after.report()[0].at("until_ns") == at_ms(1200).since_epoch.count());
}
