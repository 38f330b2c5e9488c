// The wall's view of a live source, with ranks made up.

#include "player/volume/live/live_assembly.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <random>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::volume;
using std::chrono::milliseconds;

namespace {

using Kind = RankOrder::Kind;

constexpr std::array<std::uint32_t, 3> grid = {8, 8, 8};

LocalInstant at_ms(std::int64_t ms) { return LocalInstant{Nanos(ms * 1'000'000)}; }

LiveDescription describe(std::uint32_t rank, std::uint32_t ranks,
                         const std::string& run = "0000000000000001") {
  LiveDescription description;
  description.name = "sim";
  description.rank = rank;
  description.ranks = ranks;
  description.run = run;
  description.grid = grid;
  description.fields = {{"u", LiveType::u8, ""}};
  return description;
}

/// A rank with layers of the grid along z, all of whose voxels are the timestep's number.
struct FakeRank {
  std::uint32_t rank = 0;
  LiveConnection connection = 0;
  LiveBox box;
  std::vector<LiveRequest> asked;
  std::optional<std::uint64_t> reached;
  std::optional<std::uint64_t> wants;

  [[nodiscard]] std::vector<std::byte> answer(const LiveRequest& request) const {
    std::vector<std::byte> body(request.bytes, std::byte(request.timestep));
    if (request.kind == static_cast<std::uint8_t>(LiveRequestKind::head))
      body = to_bytes(
          LiveHeadInfo{static_cast<double>(request.timestep), {{box, LiveType::u8, 0, 0, 1}}});
    const bool has_planes =
        request.kind == static_cast<std::uint8_t>(LiveRequestKind::head) ||
        (request.plane_end <= box.side(2) &&
         request.bytes == box.side(0) * box.side(1) * (request.plane_end - request.plane_begin));
    if (!has_planes) body.clear();
    const LiveAnswerHeader header =
        live_answer_header(has_planes ? LiveAnswerStatus::found : LiveAnswerStatus::changed,
                           request.timestep, body.size());
    std::vector<std::byte> bytes(sizeof header + body.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    std::ranges::copy(body, bytes.begin() + sizeof header);
    return bytes;
  }
};

std::vector<std::byte> status_answer(LiveAnswerStatus status, std::uint64_t timestep,
                                     const std::string& line = "") {
  const LiveAnswerHeader header = live_answer_header(status, timestep, line.size());
  std::vector<std::byte> bytes(sizeof header + line.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, line.data(), line.size());
  return bytes;
}

/// A source and its ranks; carries out the orders.
struct Simulation {
  explicit Simulation(std::uint32_t count, LiveAssemblyOptions options = {})
      : source(std::move(options)) {
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      const std::uint32_t layers = grid[2] / count;
      ranks.push_back({rank,
                       rank + 1,
                       {{0, 0, rank * layers}, {grid[0], grid[1], (rank + 1) * layers}},
                       {},
                       {},
                       {}});
    }
  }

  void join_all() {
    for (const FakeRank& rank : ranks) join(rank);
    carry_out();
  }
  void join(const FakeRank& rank, const std::string& run = "0000000000000001") {
    source.describe(rank.connection, volume_description(rank.rank, run), now);
  }
  [[nodiscard]] LiveDescription volume_description(std::uint32_t rank,
                                                   const std::string& run) const {
    return ::describe(rank, static_cast<std::uint32_t>(ranks.size()), run);
  }

  void carry_out() {
    for (const RankOrder& order : source.take_orders()) {
      FakeRank* const rank = of(order.connection);
      if (order.kind == Kind::drop) dropped.push_back(order.connection);
      if (order.kind == Kind::tell) told.push_back(order.why);
      if (rank == nullptr) continue;
      if (order.kind == Kind::fetch) rank->asked.push_back(order.request);
      if (order.kind == Kind::want) rank->wants = source.wanted().timestep;
      if (order.kind == Kind::cancel)
        std::erase_if(rank->asked, [&](const LiveRequest& request) {
          return request.timestep == order.request.timestep;
        });
    }
  }

  FakeRank* of(LiveConnection connection) {
    const auto found = std::ranges::find(ranks, connection, &FakeRank::connection);
    return found == ranks.end() ? nullptr : &*found;
  }

  /// The rank ends the timestep, and answers what it was asked for, the newest question first.
  void reach(FakeRank& rank, std::uint64_t timestep) {
    rank.reached = timestep;
    source.take_reached(rank.connection, {timestep, 0}, now);
    carry_out();
    give(rank);
  }
  void give(FakeRank& rank) {
    for (;;) {
      const auto next = std::find_if(
          rank.asked.rbegin(), rank.asked.rend(),
          [&](const LiveRequest& request) { return request.timestep <= *rank.reached; });
      if (next == rank.asked.rend()) return;
      const LiveRequest request = *next;
      rank.asked.erase(std::next(next).base());
      source.take_answer(rank.connection, request, rank.answer(request), now);
      carry_out();
    }
  }

  LiveAssembly source;
  std::vector<FakeRank> ranks;
  std::vector<LiveConnection> dropped;
  std::vector<std::string> told;
  LocalInstant now = at_ms(0);
};

bool all_are(const render::VoxelArray& voxels, std::uint64_t value) {
  return std::ranges::all_of(voxels.voxels<std::uint8_t>(),
                             [&](std::uint8_t voxel) { return voxel == value; });
}

}  // namespace

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
  CHECK_THAT(fault([](Description one) { one.spacing = {1, 1, 2}; }), Catch::Contains("place"));
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
