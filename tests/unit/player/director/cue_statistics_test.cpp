// What a presentation's report says of each cue.
#include "player/director/cue_statistics.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t period_ms = 100;

/// Statistics of a wall of two panels, whose cues play at 10 frames per second.
struct CuesOfPair {
  ShowLedger ledger{2, false};
  CueStatistics cues{{"left", "right"}, ledger};

  /// Begins a cue in an epoch of its own, `asked_ms` after the one before was there.
  void begin(const std::string& cue, std::uint64_t epoch, std::int64_t since,
             std::int64_t asked_ms = 0) {
    CueStatistics::Begin begin;
    begin.cue = cue;
    begin.index = epoch - 1;
    begin.epoch = epoch;
    begin.since = at_ms(since);
    begin.at_s = 1 + static_cast<double>(since) / 1e3;
    begin.asked = at_ms(asked_ms);
    cues.begin(std::move(begin));
    if (epoch > 1) ledger.close_epoch(epoch - 1, at_ms(since));
    sync::Timeline line;
    line.start = at_ms(since);
    line.rate_fps = {10, 1};
    line.end_frame = 1000;
    ledger.open_epoch(epoch, sync::own_ticks(line));
    starts_ms[epoch] = since;
  }

  /// The panel has shown a tick so much after its instant.
  void show(std::size_t panel, std::uint64_t epoch, std::int64_t tick, std::int64_t late_us) {
    const Nanos stamp = at_ms(starts_ms.at(epoch) + tick * period_ms).since_epoch +
                        std::chrono::microseconds(late_us);
    scene::ShownBatch batch;
    batch.epoch = epoch;
    batch.frames = {{tick, tick, stamp.count(), 7}};
    batch.host_memory_bytes = memory_bytes.at(panel);
    ledger.add(panel, epoch, batch.frames.front());
    ledger.settle_passed();
    cues.take(panel, "host" + std::to_string(panel), batch);
  }
  void show_on_both(std::uint64_t epoch, std::int64_t ticks) {
    for (std::int64_t tick = 0; tick < ticks; ++tick) {
      show(0, epoch, tick, 10);
      show(1, epoch, tick, 60);
    }
  }

  [[nodiscard]] Json entry(std::size_t index) const { return cues.report().at(index); }

  std::map<std::uint64_t, std::int64_t> starts_ms{};
  std::vector<std::uint64_t> memory_bytes = {1000, 3000};
};

ArmingStatus arming_status(ArmingState state, std::int64_t since) {
  ArmingStatus status;
  status.state = state;
  status.token = 5;
  status.since = at_ms(since);
  return status;
}

}  // namespace

TEST_CASE("each cue has its own frames, skew and time", "[cues]") {
  CuesOfPair wall;
  wall.ledger.join(0);
  wall.ledger.join(1);
  wall.begin("one", 1, 0);
  wall.show_on_both(1, 5);
  wall.begin("two", 2, 500, 450);
  wall.show_on_both(2, 2);
  wall.show(0, 2, 2, 10);
  wall.show(1, 2, 2, 70'000);  // later than half a period
  wall.show(0, 2, 3, 10);      // the other panel and all of tick 4 are missing
  wall.ledger.close_epoch(2, at_ms(1000));
  wall.cues.end(at_ms(1000));
  const Json one = wall.entry(0);
  CHECK(one.at("cue") == "one");
  CHECK(one.at("index") == 0);
  CHECK(one.at("at_s") == 1.0);
  CHECK(one.at("for_s") == 0.5);
  CHECK(one.at("frames_scheduled") == 5);
  CHECK(one.at("frames_shown") == 5);
  CHECK(one.at("frames_late") == 0);
  CHECK(one.at("skew_us").at("p50").get<double>() == Approx(50).epsilon(0.04));
  CHECK(one.at("armed") ==
        Json({{"state", "start"}, {"after_s", nullptr}, {"missing", Json::array()}}));
  const Json two = wall.entry(1);
  CHECK(two.at("for_s").get<double>() == Approx(0.5));
  CHECK(two.at("frames_scheduled") == 5);
  CHECK(two.at("frames_shown") == 3);
  CHECK(two.at("frames_shown_by_any") == 4);
  CHECK(two.at("frames_late") == 3);
  CHECK(two.at("skew_us").at("max").get<double>() == Approx(69'990));
  CHECK(two.at("go_to_swap_ms").get<double>() == Approx(50.06));
  CHECK(two.at("memory_bytes") == 4000);
  CHECK(two.at("memory_most") == Json({{"host", "host1"}, {"memory_bytes", 3000}}));
}

TEST_CASE("what is not known of a cue is null", "[cues]") {
  CuesOfPair wall;
  wall.memory_bytes = {1000, 0};
  wall.ledger.join(0);
  wall.ledger.join(1);
  wall.begin("one", 1, 0);
  wall.show(1, 1, 0, 10);
  const Json one = wall.entry(0);
  for (const char* const key : {"for_s", "go_to_swap_ms", "skew_us", "memory_bytes", "memory_most"})
    CHECK(one.at(key).is_null());
  wall.show(0, 1, 1, 10);  // the memory of one host does not tell that of all
  CHECK(wall.entry(0).at("memory_bytes").is_null());
  CHECK(wall.entry(0).at("memory_most").is_null());
  wall.memory_bytes = {1000, 500};
  wall.show(1, 1, 1, 10);
  CHECK(wall.entry(0).at("memory_bytes") == 1500);
  CHECK(wall.entry(0).at("memory_most").at("host") == "host0");
  wall.memory_bytes = {1000, 300};
  wall.show(1, 1, 2, 10);
  CHECK(wall.entry(0).at("memory_bytes") == 1500);  // the most at a time
}

TEST_CASE("the last cue ends with the show, once", "[cues]") {
  CuesOfPair wall;
  wall.begin("one", 1, 0);
  wall.begin("two", 2, 500);
  wall.cues.end(at_ms(800));
  wall.cues.end(at_ms(1000));
  CHECK(wall.entry(0).at("for_s") == 0.5);
  CHECK(wall.entry(1).at("for_s").get<double>() == Approx(0.3));
}

TEST_CASE("the time to arm counts from when panels were asked, for the cue that was armed",
          "[cues]") {
  CuesOfPair wall;
  wall.begin("one", 1, 0);
  wall.cues.note_arming("two", arming_status(ArmingState::arming, 100), at_ms(100));
  wall.cues.note_arming("two", arming_status(ArmingState::armed, 350), at_ms(400));
  wall.begin("two", 2, 500, 500);
  CHECK(wall.entry(1).at("armed").at("state") == "armed");
  CHECK(wall.entry(1).at("armed").at("after_s").get<double>() == Approx(0.25));

  ArmingStatus amber = arming_status(ArmingState::amber, 700);
  amber.token = 6;
  amber.panels = {{1, {"clip.mp4: is playing now"}}};
  wall.cues.note_arming("three", amber, at_ms(700));
  wall.begin("three", 3, 900, 900);
  const Json armed = wall.entry(2).at("armed");
  CHECK(armed.at("state") == "amber");
  CHECK(armed.at("after_s").is_null());
  CHECK(armed.at("missing") ==
        Json({{{"panel", "right"}, {"missing", {"clip.mp4: is playing now"}}}}));

  wall.begin("four", 4, 1000, 1000);  // panels were not asked to get ready for it
  CHECK(wall.entry(3).at("armed").at("state") == "idle");
}

TEST_CASE("what panels lack is cut to a few short lines, between letters", "[cues]") {
  CuesOfPair wall;
  wall.begin("one", 1, 0);
  ArmingStatus status = arming_status(ArmingState::amber, 100);
  std::string line = "x";
  for (int i = 0; i < 300; ++i) line += "\xc3\xa9";  // letters of two bytes
  status.panels.push_back({1, std::vector<std::string>(9, line)});
  wall.cues.note_arming("two", status, at_ms(100));
  wall.begin("two", 2, 500, 450);
  const Json missing = wall.entry(1).at("armed").at("missing").at(0).at("missing");
  REQUIRE(missing.size() == 4);
  CHECK(missing.at(0).get<std::string>().size() < line.size());
  CHECK_FALSE(missing.dump().empty());  // it throws for half a letter
}

TEST_CASE("late frames count for the cue of their epoch, and an absence for that of its begin",
          "[cues]") {
  CuesOfPair wall;
  wall.begin("one", 1, 0);
  wall.begin("two", 2, 500);
  LateEvent event;
  event.at_s = 2;
  event.panel = "left";
  event.frames = 2;
  wall.cues.add_late(1, event);
  wall.cues.add_late(2, event);
  wall.cues.add_late(2, event);
  event.cause = scene::LateCause::swap;
  event.panel = "right";
  event.frames = 7;
  wall.cues.add_late(3, event);  // a later epoch of the same cue
  event.cause = scene::LateCause::gone;
  event.at_s = 1.2;
  wall.cues.add_late(std::nullopt, event);
  event.frames = 0;
  event.cause = scene::LateCause::level_down;
  wall.cues.add_late(2, event);  // no late frame
  CHECK(wall.entry(0).at("late") ==
        Json({{{"panel", "right"}, {"cause", "gone"}, {"frames", 7}},
              {{"panel", "left"}, {"cause", "decode"}, {"frames", 2}}}));
  CHECK(wall.entry(1).at("late") ==
        Json({{{"panel", "right"}, {"cause", "swap"}, {"frames", 7}},
              {{"panel", "left"}, {"cause", "decode"}, {"frames", 4}}}));
}

TEST_CASE("a cue keeps the frames of epochs that the ledger has forgotten", "[cues]") {
  CuesOfPair wall;
  wall.ledger.join(0);
  wall.ledger.join(1);
  wall.begin("one", 1, 0);
  constexpr std::uint64_t epochs = 40;  // as after many seeks
  for (std::uint64_t epoch = 1; epoch <= epochs; ++epoch) {
    const auto since = static_cast<std::int64_t>(epoch - 1) * 200;
    if (epoch > 1) {
      wall.ledger.close_epoch(epoch - 1, at_ms(since));
      sync::Timeline line;
      line.start = at_ms(since);
      line.rate_fps = {10, 1};
      line.end_frame = 1000;
      wall.ledger.open_epoch(epoch, sync::own_ticks(line));
      wall.starts_ms[epoch] = since;
    }
    wall.show_on_both(epoch, 2);
  }
  wall.ledger.close_epoch(epochs, at_ms(static_cast<std::int64_t>(epochs) * 200));
  CHECK(wall.entry(0).at("frames_scheduled") == 2 * epochs);
  CHECK(wall.entry(0).at("frames_shown") == 2 * epochs);
  CHECK(wall.entry(0).at("frames_late") == 0);
}

TEST_CASE("the first thousand cues are kept, and the others counted", "[cues]") {
  CuesOfPair wall;
  for (std::uint64_t i = 1; i <= CueStatistics::most_entries + 5; ++i)
    wall.begin("cue", i, static_cast<std::int64_t>(i) * 10);
  const Json report = wall.cues.report();
  CHECK(report.size() == CueStatistics::most_entries);
  CHECK(report.front().at("index") == 0);
  CHECK(wall.cues.left_out() == 5);
}

TEST_CASE("a second begin of the same cue changes nothing", "[cues]") {
  CuesOfPair wall;
  wall.begin("one", 1, 0);
  wall.begin("one", 1, 0);
  CHECK(wall.cues.report().size() == 1);
}

TEST_CASE("the statistics of cues survive the director", "[cues]") {
  CuesOfPair wall;
  wall.ledger.join(0);
  wall.ledger.join(1);
  for (std::uint64_t epoch = 1; epoch <= 6; ++epoch) {
    wall.begin("cue " + std::to_string(epoch), epoch, static_cast<std::int64_t>(epoch) * 300);
    wall.show_on_both(epoch, 3);
  }
  LateEvent event;
  event.panel = "left";
  event.frames = 2;
  wall.cues.add_late(6, event);
  const Json report = wall.cues.report();

  CuesOfPair next;
  next.ledger.restore(wall.ledger.checkpoint(), {});
  next.cues.restore(wall.cues.checkpoint());
  CHECK(next.cues.report() == report);
  next.begin("cue 6", 6, 6 * 300);  // the cue goes on
  CHECK(next.cues.report().size() == report.size());
  next.show(0, 6, 3, 10);
  next.show(1, 6, 3, 10);
  CHECK(next.cues.report().back().at("frames_shown") == 4);

  Json broken = wall.cues.checkpoint();
  broken["open"][0]["first_ns"] = Json::array();
  CHECK_THROWS_AS(next.cues.restore(broken), InputError);
}
