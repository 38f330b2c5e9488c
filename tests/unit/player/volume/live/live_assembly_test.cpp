// The wall's view of a live source, with ranks made up.

#include "player/volume/live/live_assembly.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "sync/base/error.hpp"
#include "tests/unit/player/volume/live/made_up_ranks.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::volume;
using namespace tilewall::volume::made_up;
using std::chrono::milliseconds;

TEST_CASE("timesteps that are wanted come whole from all ranks", "[live]") {
  Simulation sim(4);
  CHECK(sim.source.waits_for() == "no rank is connected");
  sim.join(sim.ranks[2]);
  CHECK(sim.source.waits_for() == "1 of 4 ranks are connected");
  for (const std::size_t rank : {0U, 1U, 3U}) sim.join(sim.ranks[rank]);
  CHECK(sim.source.waits_for().empty());
  for (std::uint64_t timestep = 0; timestep < 20; timestep += timestep % 3 + 1) {
    sim.source.want(timestep, sim.now);
    sim.carry_out();
    for (FakeRank& rank : sim.ranks) {
      CHECK(rank.wants == timestep);
      CHECK(!rank.asked.empty());  // before it is there
    }
    for (const std::size_t rank : {3U, 0U, 2U, 1U}) sim.reach(sim.ranks[rank], timestep);
    const std::vector<LiveNews> news = sim.source.take_news();
    REQUIRE(news.size() == 1);
    REQUIRE(news[0].whole != nullptr);
    CHECK(news[0].timestep == timestep);
    CHECK(news[0].whole->number() == timestep);
    CHECK(news[0].whole->time() == static_cast<double>(timestep));
    CHECK(all_are(news[0].whole->built().voxels(), timestep));
    CHECK(sim.source.reached() == timestep);
  }
  CHECK(sim.source.counters().received == sim.source.counters().wanted);
  CHECK(sim.source.counters().received_bytes == sim.source.counters().received * 512);
}

TEST_CASE("after the first timestep a rank is asked for all its planes ahead", "[live]") {
  Simulation sim(2);
  sim.join_all();
  sim.source.want(0, sim.now);
  sim.carry_out();
  CHECK(sim.ranks[0].asked.size() == 1);  // the head, as nothing is known of its blocks
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 0);
  CHECK(sim.source.take_news().size() == 1);
  sim.source.want(1, sim.now);
  sim.carry_out();
  CHECK(sim.ranks[0].asked.size() == 2);
}

TEST_CASE("blocks may be others at each timestep", "[live]") {
  Simulation sim(2);
  sim.join_all();
  for (std::uint64_t timestep = 0; timestep < 8; ++timestep) {
    CAPTURE(timestep);
    const auto border = static_cast<std::uint32_t>(timestep % 5 + 1);
    sim.ranks[0].box = {{0, 0, 0}, {8, 8, border}};
    sim.ranks[1].box = {{0, 0, border}, {8, 8, 8}};
    sim.source.want(timestep, sim.now);
    sim.carry_out();
    for (FakeRank& rank : sim.ranks) sim.reach(rank, timestep);
    const std::vector<LiveNews> news = sim.source.take_news();
    REQUIRE(news.size() == 1);
    INFO(news[0].cause);
    REQUIRE(news[0].whole != nullptr);
    CHECK(all_are(news[0].whole->built().voxels(), timestep));
  }
}

TEST_CASE("a timestep that a rank passed, refused or lost is skipped with its cause", "[live]") {
  Simulation sim(2);
  sim.join_all();
  const auto want = [&](std::uint64_t timestep) {
    sim.source.want(timestep, sim.now);
    sim.carry_out();
    sim.reach(sim.ranks[0], timestep);
    REQUIRE(!sim.ranks[1].asked.empty());
  };
  const auto skipped = [&]() -> LiveNews {
    const std::vector<LiveNews> news = sim.source.take_news();
    sim.carry_out();
    REQUIRE(news.size() == 1);
    CHECK(news[0].whole == nullptr);
    return news[0];
  };
  const auto answer = [&](const std::vector<std::byte>& bytes) {
    const LiveRequest request = sim.ranks[1].asked.front();
    sim.source.take_answer(2, request, bytes, sim.now);
  };
  want(0);
  answer(status_answer(LiveAnswerStatus::passed, 0));
  CHECK(skipped().cause == "rank 1 is past it");
  CHECK(sim.ranks[1].asked.empty());  // it was cancelled
  want(1);
  answer(status_answer(LiveAnswerStatus::failed, 1, "no memory"));
  CHECK(skipped().cause == "rank 1: no memory");
  want(2);
  answer({});
  CHECK(skipped().cause == "rank 1: the rank refused the request");
  want(3);
  answer(sim.ranks[0].answer(sim.ranks[1].asked.front()));
  CHECK(skipped().cause == "the blocks of ranks 0 and 1 overlap");
  want(4);
  sim.source.leave(2);
  CHECK(skipped().cause == "rank 1 is gone");
  const LiveCounters& counters = sim.source.counters();
  CHECK(counters.skipped[static_cast<std::size_t>(scene::LiveSkip::passed)] == 1);
  CHECK(counters.skipped[static_cast<std::size_t>(scene::LiveSkip::refused)] == 2);
  CHECK(counters.skipped[static_cast<std::size_t>(scene::LiveSkip::blocks)] == 1);
  CHECK(counters.skipped[static_cast<std::size_t>(scene::LiveSkip::rank_gone)] == 1);
  CHECK(sim.source.waits_for() == "1 of 2 ranks are connected");
}

TEST_CASE("ranks are told why a timestep is not shown, at most once a second",
          "[live][bad-input]") {
  Simulation sim(2);
  sim.join_all();
  std::uint64_t timestep = 0;
  // The line that both ranks are told; "" if none.
  const auto told = [&](std::int64_t ms, std::uint32_t layers_of_rank_1) -> std::string {
    sim.now = at_ms(ms);
    sim.ranks[1].box.end[2] = 4 + layers_of_rank_1;
    sim.source.want(++timestep, sim.now);
    sim.carry_out();
    sim.told.clear();
    for (FakeRank& rank : sim.ranks) sim.reach(rank, timestep);
    static_cast<void>(sim.source.take_news());
    if (sim.told.empty()) return "";
    REQUIRE(sim.told.size() == 2);
    CHECK(sim.told[0] == sim.told[1]);
    return sim.told[0];
  };
  CHECK(told(0, 4).empty());
  CHECK(told(0, 3) ==
        "live source sim: timestep 2 of field u: the ranks' blocks leave out 64 of 512 voxels");
  CHECK(told(900, 2).empty());
  CHECK(told(1000, 2) ==
        "live source sim: timestep 4 of field u: the ranks' blocks leave out 128 of 512 voxels");
  CHECK(told(10'900, 2).empty());  // the same cause
  CHECK(told(11'000, 2) ==
        "live source sim: timestep 6 of field u: the ranks' blocks leave out 128 of 512 voxels");
  CHECK(told(13'000, 4).empty());
}

TEST_CASE("a rank that never put the field has no block of it", "[live]") {
  for (const bool others_fill_grid : {true, false}) {
    CAPTURE(others_fill_grid);
    Simulation sim(2);
    LiveDescription without = sim.volume_description(1, "0000000000000001");
    without.fields.clear();
    sim.join(sim.ranks[0]);
    sim.source.describe(2, without, sim.now);
    if (others_fill_grid) sim.ranks[0].box.end[2] = 8;
    CHECK(sim.source.waits_for() == "rank 1 has put no field");
    for (std::uint64_t timestep = 0; timestep < 3; ++timestep) {
      CAPTURE(timestep);
      sim.source.want(timestep, sim.now);
      sim.carry_out();
      sim.reach(sim.ranks[0], timestep);
      // Its answer is from before it ended this timestep, so it is asked again.
      sim.source.take_reached(2, {timestep, 0}, sim.now);
      sim.source.describe(2, without, sim.now);
      CHECK(sim.source.take_news().empty());
      const auto orders = sim.source.take_orders();
      CHECK(std::ranges::count(orders, Kind::describe, &RankOrder::kind) == 2);
      without.reached = timestep;
      sim.source.describe(2, without, sim.now);
      sim.carry_out();
      sim.give(sim.ranks[0]);
      const std::vector<LiveNews> news = sim.source.take_news();
      REQUIRE(news.size() == 1);
      CHECK((news[0].whole != nullptr) == others_fill_grid);
      if (!others_fill_grid)
        CHECK(news[0].cause == "the ranks' blocks leave out 256 of 512 voxels; rank 1 put none");
    }
    CHECK(sim.source.waits_for() == (others_fill_grid ? "" : "rank 1 has put no field"));
    CHECK(sim.told.size() == (others_fill_grid ? 0 : 2));
  }
}

TEST_CASE("ranks are told where rank 0 ends timesteps without a field", "[live][bad-input]") {
  Simulation sim(2);
  LiveDescription without = sim.volume_description(0, "0000000000000001");
  without.fields.clear();
  sim.source.describe(1, without, sim.now);
  sim.join(sim.ranks[1]);
  sim.source.take_reached(1, {0, 0}, sim.now);
  without.reached = 0;
  sim.source.describe(1, without, sim.now);
  sim.carry_out();
  CHECK(sim.told == std::vector<std::string>(
                        2, "live source sim: rank 0 has ended timestep 0 and put no field"));
}

TEST_CASE("a timestep that does not come in time is skipped", "[live]") {
  LiveAssemblyOptions options;
  options.whole_limit = milliseconds(100);
  options.rank_limit = milliseconds(1000);
  Simulation sim(2, options);
  sim.join_all();
  const auto cause = [&] {
    const std::vector<LiveNews> news = sim.source.take_news();
    return news.size() == 1 ? news[0].cause : "";
  };
  sim.source.want(0, sim.now);
  sim.carry_out();
  CHECK(sim.source.due() == LocalInstant{Nanos::max()});  // nobody has reached it
  sim.reach(sim.ranks[0], 0);
  CHECK(sim.source.due() == at_ms(1000));
  sim.source.step(at_ms(999));
  CHECK(cause().empty());
  sim.source.step(at_ms(1000));
  CHECK(cause() == "rank 1 has not reached it in time");
  sim.carry_out();

  sim.now = at_ms(2000);
  sim.source.want(1, sim.now);
  sim.carry_out();
  sim.reach(sim.ranks[0], 1);
  sim.now = at_ms(2500);
  sim.ranks[1].reached = 1;
  sim.source.take_reached(2, {1, 0}, sim.now);
  CHECK(sim.source.due() == at_ms(2600));
  const LiveRequest head = sim.ranks[1].asked.front();
  sim.source.take_answer(2, head, sim.ranks[1].answer(head), sim.now);
  sim.source.step(at_ms(2600));
  CHECK(cause() == "rank 1 has not sent all its voxels in time");
}

TEST_CASE("a timestep that does not fit the memory is refused in words", "[live][bad-input]") {
  LiveAssemblyOptions options;
  options.room.memory_bytes = 500;
  Simulation sim(1, options);
  sim.join_all();
  sim.source.want(0, sim.now);
  sim.carry_out();
  sim.reach(sim.ranks[0], 0);
  const std::vector<LiveNews> news = sim.source.take_news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].cause ==
        "timesteps of 8 x 8 x 8 need 0 MiB at half the resolution, and --memory gives 0 MiB");
}

TEST_CASE("newer timesteps supersede those that do not come", "[live]") {
  Simulation sim(2);
  sim.join_all();
  for (std::uint64_t timestep = 0; timestep < 5; ++timestep) {
    sim.source.want(timestep, sim.now);
    sim.carry_out();
    sim.reach(sim.ranks[0], timestep);
  }
  const std::vector<LiveNews> news = sim.source.take_news();
  REQUIRE(news.size() == 3);
  for (const LiveNews& one : news) CHECK(one.skip == scene::LiveSkip::superseded);
  sim.source.want(2, sim.now);  // no timestep is wanted twice
  CHECK(sim.source.counters().wanted == 5);
}

TEST_CASE("whatever ranks do, no timestep mixes two", "[live]") {
  std::minstd_rand random(20261124);
  const auto dice = [&](unsigned sides) { return random() % sides; };
  LiveAssemblyOptions options;
  options.rank_limit = milliseconds(50);
  Simulation sim(4, options);
  sim.join_all();
  std::uint64_t wanted = 0;
  std::size_t whole = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    sim.now = at_ms(turn);
    sim.source.step(sim.now);
    if (dice(6) == 0)
      sim.source.want(wanted = sim.source.reached().value_or(0) + 1 + dice(2), sim.now);
    sim.carry_out();
    FakeRank& rank = sim.ranks[dice(4)];
    if (dice(200) == 0) {  // it connects again
      sim.source.leave(rank.connection);
      sim.carry_out();
      rank.connection += 100;
      rank.asked.clear();
      sim.join(rank);
      sim.carry_out();
    } else {
      rank.reached = rank.reached.value_or(0) + (dice(3) == 0 ? 1 : 0);
      const std::uint64_t slowest =
          std::ranges::min_element(sim.ranks, {}, [](const FakeRank& one) {
            return one.reached.value_or(0);
          })->reached.value_or(0);
      rank.reached = std::min(*rank.reached, slowest + 3);
      sim.source.take_reached(rank.connection, {*rank.reached, 0}, sim.now);
      sim.carry_out();
      sim.give(rank);
    }
    for (const LiveNews& news : sim.source.take_news()) {
      if (!news.whole) {
        CHECK(!news.cause.empty());
        continue;
      }
      ++whole;
      REQUIRE(all_are(news.whole->built().voxels(), news.timestep % 256));
    }
  }
  CHECK(whole > 20);
}
