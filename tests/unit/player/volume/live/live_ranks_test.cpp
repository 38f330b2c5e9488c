// Ranks of a live source that come, go and come again, and what they say of themselves.

#include <catch2/catch.hpp>
#include <functional>

#include "sync/base/error.hpp"
#include "tests/unit/player/volume/live/made_up_ranks.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::volume;
using namespace tilewall::volume::made_up;
using std::chrono::milliseconds;

TEST_CASE("a source that is started again begins a new run at timestep 0", "[live]") {
  Simulation sim(2);
  sim.join_all();
  sim.source.want(500, sim.now);
  sim.carry_out();
  sim.reach(sim.ranks[0], 500);
  // Rank 1's process is another one, while rank 0's old connection is not known to be dead.
  sim.source.leave(2);
  static_cast<void>(sim.source.take_news());
  sim.source.want(501, sim.now);
  sim.carry_out();
  sim.source.take_reached(1, {501, 0}, sim.now);
  sim.ranks[1].connection = 12;
  sim.join(sim.ranks[1], "0000000000000002");
  sim.carry_out();
  CHECK(sim.dropped == std::vector<LiveConnection>{1});
  const std::vector<LiveNews> news = sim.source.take_news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].skip == scene::LiveSkip::new_run);
  CHECK(!sim.source.reached());
  CHECK(sim.source.counters().runs == 2);
  // What the old rank says still is ignored.
  sim.source.take_reached(1, {501, 0}, sim.now);
  sim.source.leave(1);
  CHECK(!sim.source.reached());
  sim.ranks[0].connection = 11;
  sim.join(sim.ranks[0], "0000000000000002");
  sim.source.want(0, sim.now);
  sim.carry_out();
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 0);
  const std::vector<LiveNews> whole = sim.source.take_news();
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].whole != nullptr);
}

TEST_CASE("a source that is started again waits for each rank's field anew", "[live]") {
  Simulation sim(2);
  sim.join_all();
  sim.source.want(0, sim.now);
  sim.carry_out();
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 0);
  REQUIRE(sim.source.take_news().size() == 1);
  const std::string next_run = "0000000000000002";
  for (const LiveConnection connection : {LiveConnection{1}, LiveConnection{2}})
    sim.source.leave(connection);
  sim.ranks[0].connection = 11;
  sim.join(sim.ranks[0], next_run);
  CHECK(sim.source.waits_for() == "1 of 2 ranks are connected");
  LiveDescription without = sim.volume_description(1, next_run);
  without.fields.clear();
  sim.source.describe(12, without, sim.now);
  CHECK(sim.source.waits_for() == "rank 1 has put no field");
}

TEST_CASE("two sources of one name do not drop each other", "[live]") {
  Simulation sim(2);
  sim.join_all();
  FakeRank other = sim.ranks[0];
  other.connection = 9;
  CHECK_THROWS_WITH(sim.join(other, "0000000000000002"),
                    Catch::Contains("does another source have the same name?"));
  sim.carry_out();
  CHECK(sim.dropped.empty());
  CHECK(sim.source.connected() == 2);
  CHECK(sim.source.counters().runs == 1);
}

TEST_CASE("a process of the run before does not join the new one", "[live]") {
  Simulation sim(2);
  sim.join_all();
  sim.source.leave(1);
  sim.ranks[0].connection = 11;
  sim.join(sim.ranks[0], "0000000000000002");
  sim.carry_out();
  CHECK(sim.source.counters().runs == 2);
  sim.ranks[1].connection = 12;
  CHECK_THROWS_WITH(sim.join(sim.ranks[1]), Catch::Contains("found one of a run before"));
  sim.join(sim.ranks[1], "0000000000000002");
  CHECK(sim.source.connected() == 2);
}

TEST_CASE("a timestep that a simulation ends before is not skipped", "[live]") {
  Simulation sim(2);
  sim.join_all();
  for (FakeRank& rank : sim.ranks) sim.source.take_reached(rank.connection, {4, 0}, sim.now);
  sim.source.want(5, sim.now);
  sim.carry_out();
  for (FakeRank& rank : sim.ranks)
    sim.source.take_answer(rank.connection, rank.asked.front(),
                           status_answer(LiveAnswerStatus::closed, 5), sim.now);
  sim.source.leave(1);
  sim.source.leave(2);
  CHECK(sim.source.take_news().empty());
  // Where a rank only lost its connection, it is asked again.
  for (FakeRank& rank : sim.ranks) {
    rank.connection += 10;
    rank.asked.clear();
    sim.join(rank);
  }
  sim.carry_out();
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 5);
  REQUIRE(sim.source.counters().received == 1);
  static_cast<void>(sim.source.take_news());
  // The next run begins without a word about the timesteps that were wanted of this one.
  sim.source.want(6, sim.now);
  for (const FakeRank& rank : sim.ranks) sim.source.leave(rank.connection);
  sim.ranks[0].connection = 21;
  sim.join(sim.ranks[0], "0000000000000002");
  CHECK(sim.source.counters().runs == 2);
  CHECK(sim.source.take_news().empty());
}

TEST_CASE("a source that ended before all of its ranks came is started again", "[live]") {
  Simulation sim(2);
  sim.join(sim.ranks[0], "000000000000000a");
  sim.source.want(0, sim.now);
  sim.carry_out();
  sim.reach(sim.ranks[0], 0);
  sim.source.leave(1);
  CHECK(sim.source.take_news().empty());  // it has given all of its part
  // Each rank of the next run is a process of its own. Rank 1 comes first.
  sim.ranks[1].connection = 12;
  sim.join(sim.ranks[1], "000000000000000b");
  sim.carry_out();
  sim.reach(sim.ranks[1], 0);
  const std::vector<LiveNews> skipped = sim.source.take_news();
  REQUIRE(skipped.size() == 1);
  CHECK(skipped[0].whole == nullptr);
  CHECK(skipped[0].skip == scene::LiveSkip::rank_gone);
  sim.ranks[0].connection = 11;
  sim.join(sim.ranks[0], "000000000000000c");
  sim.carry_out();
  CHECK(sim.dropped.empty());
  CHECK(sim.source.connected() == 2);
  CHECK(sim.source.counters().runs == 2);
  sim.source.want(1, sim.now);
  sim.carry_out();
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 1);
  const std::vector<LiveNews> whole = sim.source.take_news();
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].whole != nullptr);
}

TEST_CASE("a rank that comes late stays where another one connects again", "[live]") {
  Simulation sim(2);
  sim.join(sim.ranks[0], "000000000000000a");
  sim.source.leave(1);
  sim.ranks[1].connection = 12;
  sim.join(sim.ranks[1], "000000000000000b");
  sim.ranks[0].connection = 11;
  sim.join(sim.ranks[0], "000000000000000a");
  CHECK(sim.source.connected() == 2);
  CHECK(sim.source.counters().runs == 1);
  // It is of this run now, and ends with it.
  sim.source.leave(11);
  sim.ranks[0].connection = 21;
  sim.join(sim.ranks[0], "000000000000000c");
  sim.carry_out();
  CHECK(sim.dropped == std::vector<LiveConnection>{12});
  sim.ranks[1].connection = 22;
  CHECK_THROWS_WITH(sim.join(sim.ranks[1], "000000000000000b"),
                    Catch::Contains("found one of a run before"));
}

TEST_CASE("another grid begins a run also by a rank that never came before", "[live]") {
  Simulation sim(2);
  sim.join(sim.ranks[0], "000000000000000a");
  LiveDescription other = sim.volume_description(1, "000000000000000b");
  other.grid[0] *= 2;
  CHECK_THROWS_WITH(sim.source.describe(12, other, sim.now), Catch::Contains("grid"));
  sim.source.leave(1);
  sim.source.describe(12, other, sim.now);
  CHECK(sim.source.connected() == 1);
  CHECK(sim.source.counters().runs == 2);
  CHECK(sim.source.description()->grid == other.grid);
}

TEST_CASE("a rank without the field is asked once to describe itself", "[live]") {
  LiveAssemblyOptions options;
  options.field = "pressure";
  Simulation sim(1, options);
  sim.join_all();
  for (std::uint64_t timestep = 0; timestep < 20; ++timestep)
    sim.source.take_reached(1, {timestep, 0}, sim.now);
  const auto asked = sim.source.take_orders();
  CHECK(std::ranges::count(asked, Kind::describe, &RankOrder::kind) == 1);
  sim.join(sim.ranks[0]);  // its answer, still without the field
  sim.source.take_reached(1, {20, 0}, sim.now);
  const auto again = sim.source.take_orders();
  CHECK(std::ranges::count(again, Kind::describe, &RankOrder::kind) == 1);
}

TEST_CASE("a rank without the field describes itself once for each timestep that needs it",
          "[live]") {
  Simulation sim(2);
  sim.ranks[0].box.end[2] = 8;
  LiveDescription without = sim.volume_description(1, "0000000000000001");
  without.fields.clear();
  sim.join(sim.ranks[0]);
  sim.source.describe(2, without, sim.now);
  sim.carry_out();
  const auto asked = [&] {
    const auto orders = sim.source.take_orders();
    return std::ranges::count(orders, Kind::describe, &RankOrder::kind);
  };
  const auto end_step = [&](std::uint64_t timestep) {
    without.reached = timestep;
    sim.source.take_reached(2, {timestep, 0}, sim.now);
    return asked();
  };
  CHECK(end_step(0) == 1);  // it may have put its fields by now
  sim.source.describe(2, without, sim.now);
  for (std::uint64_t timestep = 1; timestep < 100; ++timestep) CHECK(end_step(timestep) == 0);

  sim.source.want(102, sim.now);
  sim.carry_out();
  CHECK(end_step(100) == 0);
  CHECK(end_step(101) == 0);
  CHECK(end_step(102) == 1);
  sim.source.describe(2, without, sim.now);
  CHECK(end_step(103) == 0);
  sim.reach(sim.ranks[0], 102);
  CHECK(sim.source.counters().received == 1);

  // It reaches the next timestep before that is wanted, and is asked at once.
  CHECK(end_step(104) == 0);
  sim.source.want(104, sim.now);
  CHECK(asked() == 1);
  sim.source.describe(2, without, sim.now);

  // Its voxels come from the first timestep on in which it puts the field.
  sim.source.want(106, sim.now);
  sim.carry_out();
  CHECK(end_step(106) == 1);
  without.fields = sim.volume_description(1, "0000000000000001").fields;
  sim.source.describe(2, without, sim.now);
  const auto orders = sim.source.take_orders();
  CHECK(std::ranges::count(orders, Kind::fetch, &RankOrder::kind) == 1);
}

TEST_CASE("a rank that connects again in the same run goes on", "[live]") {
  Simulation sim(2);
  sim.join_all();
  sim.source.want(0, sim.now);
  sim.carry_out();
  sim.source.take_reached(1, {0, 0}, sim.now);
  sim.source.leave(2);
  CHECK(sim.source.take_news().size() == 1);
  sim.ranks[1].connection = 7;
  sim.ranks[1].asked.clear();
  sim.join(sim.ranks[1]);
  sim.source.want(3, sim.now);
  sim.carry_out();
  for (FakeRank& rank : sim.ranks) sim.reach(rank, 3);
  const std::vector<LiveNews> news = sim.source.take_news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].whole != nullptr);
  CHECK(sim.source.counters().runs == 1);
}

TEST_CASE("a rank that connects again is asked anew to describe itself", "[live]") {
  LiveAssemblyOptions options;
  options.field = "pressure";
  Simulation sim(2, options);
  sim.join_all();
  const auto asked = [&] {
    sim.source.take_reached(sim.ranks[1].connection, {3, 0}, sim.now);
    const auto orders = sim.source.take_orders();
    return std::ranges::count(orders, Kind::describe, &RankOrder::kind);
  };
  CHECK(asked() == 1);
  CHECK(asked() == 0);  // its answer is awaited
  sim.source.leave(2);
  CHECK(sim.source.connected() == 1);
  sim.ranks[1].connection = 7;
  sim.join(sim.ranks[1]);
  CHECK(asked() == 1);
  CHECK(asked() == 0);
}

TEST_CASE("a rank that leaves takes with it the timesteps that it has not given whole", "[live]") {
  Simulation sim(2);
  sim.join_all();
  for (const std::uint64_t timestep : {0U, 1U}) {
    CAPTURE(timestep);
    sim.source.want(timestep, sim.now);
    sim.carry_out();
    sim.reach(sim.ranks[1], timestep);
    if (timestep == 1) {
      sim.source.leave(1);  // it has given nothing
    } else {
      sim.source.leave(2);  // it has given all that is asked of it
      CHECK(sim.source.take_news().empty());
      sim.reach(sim.ranks[0], timestep);
    }
    const std::vector<LiveNews> news = sim.source.take_news();
    REQUIRE(news.size() == 1);
    CHECK((news[0].whole != nullptr) == (timestep == 0));
    if (timestep == 0) {
      sim.ranks[1].connection = 7;
      sim.ranks[1].asked.clear();
      sim.join(sim.ranks[1]);
      sim.carry_out();
    } else {
      CHECK(news[0].skip == scene::LiveSkip::rank_gone);
    }
  }
}

TEST_CASE("the wall is told the source's name, grid, place, field and ranks", "[live]") {
  LiveAssemblyOptions options;
  LiveAssembly source(options);
  CHECK_FALSE(source.shape());
  LiveDescription description = describe(0, 3);
  description.grid = {8, 16, 32};
  description.spacing = {0.5, 1, 2};
  description.origin = {-1, -2, -3};
  description.fields.clear();
  source.describe(1, description, at_ms(0));
  REQUIRE(source.shape());
  CHECK(source.shape()->name == "sim");
  CHECK(source.shape()->grid == std::array<int, 3>{8, 16, 32});
  CHECK(source.shape()->spacing == std::array<double, 3>{0.5, 1, 2});
  CHECK(source.shape()->origin == std::array<double, 3>{-1, -2, -3});
  CHECK(source.shape()->ranks == 3);
  CHECK(source.shape()->field.empty());
  description.fields = {{"u", LiveType::u8, ""}};
  source.describe(1, description, at_ms(0));
  CHECK(source.shape()->field == "u");
}

TEST_CASE("ranks that do not fit the others are refused by what differs", "[live][bad-input]") {
  Simulation sim(2);
  sim.join(sim.ranks[0]);
  const auto fault = [&](auto change, LiveConnection connection = 9) -> std::string {
    LiveDescription description = describe(1, 2);
    change(description);
    try {
      sim.source.describe(connection, description, sim.now);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  using Description = LiveDescription&;
  CHECK(fault([](Description one) { one.ranks = 3; }) ==
        "live source sim: rank 1: ranks: expected 2 as other ranks have, found 3");
  CHECK(fault([](Description one) {
          one.grid = {8, 8, 9};
        }) ==
        "live source sim: rank 1: grid: expected 8 x 8 x 8 as other ranks have, found 8 x 8 x 9");
  CHECK(fault([](Description one) {
          one.spacing = {1, 2, 3};
          one.origin = {4, 5, 6};
          one.units = "km";
        }) ==
        "live source sim: rank 1: place: expected spacing 1 1 1, origin 0 0 0 as other ranks "
        "have, found spacing 1 2 3, origin 4 5 6 km");
  for (const auto& change : std::vector<std::function<void(Description)>>{
           [](Description one) { one.spacing[2] = 2; }, [](Description one) { one.origin[1] = 2; },
           [](Description one) { one.units = "m"; }})
    CHECK_THAT(fault(change), Catch::Contains("place: expected"));
  CHECK_THAT(fault([](Description one) { one.rank = 0; }),
             Catch::Contains("expected one connection, found a second one"));
  CHECK_THAT(fault([](Description one) { one.rank = 1; }, 1), Catch::Contains("rank: expected 0"));
  CHECK(fault([](Description) {}).empty());
  CHECK(sim.source.connected() == 2);
}

TEST_CASE("the field is rank 0's first one, or the one that was chosen", "[live]") {
  const auto with_fields = [](std::vector<LiveField> fields) {
    LiveDescription description = describe(0, 1);
    description.fields = std::move(fields);
    return description;
  };
  {
    LiveAssembly source{LiveAssemblyOptions{}};
    source.describe(1, with_fields({}), at_ms(0));
    CHECK(!source.can_want());
    CHECK(source.waits_for() == "rank 0 has put no field");
    source.want(0, at_ms(0));
    CHECK(source.take_orders().empty());
    source.take_reached(1, {0, 0}, at_ms(0));
    const std::vector<RankOrder> orders = source.take_orders();
    REQUIRE(orders.size() == 1);
    CHECK(orders[0].kind == Kind::describe);
    source.describe(1, with_fields({{"p", LiveType::f32, ""}, {"u", LiveType::f32, ""}}), at_ms(0));
    source.want(1, at_ms(0));
    CHECK(source.wanted().field == "p");
    CHECK(source.wanted().timestep == 1);
  }
  LiveAssemblyOptions options;
  options.field = "w";
  LiveAssembly source(options);
  source.describe(1, with_fields({{"p", LiveType::f32, ""}, {"u", LiveType::f32, ""}}), at_ms(0));
  CHECK(source.waits_for() == "rank 0 has no field w: it has p, u");
  source.want(0, at_ms(0));
  for (const RankOrder& order : source.take_orders()) CHECK(order.kind == Kind::want);
  source.describe(1, with_fields({{"p", LiveType::f32, ""}, {"w", LiveType::f32, ""}}), at_ms(0));
  const std::vector<RankOrder> orders = source.take_orders();
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].kind == Kind::fetch);
  CHECK(orders[0].request.field == 1);
}
