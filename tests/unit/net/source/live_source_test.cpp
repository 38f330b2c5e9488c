// One rank of a live source without sockets: what it sends, what it keeps, where it waits.

#include "net/source/live_source.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "net/slab/slab_outbox.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::net;
using Json = nlohmann::json;

namespace {

LiveSourceOptions options(std::array<std::uint32_t, 3> grid = {8, 6, 4}) {
  LiveSourceOptions options;
  options.description.name = "gs";
  options.description.run = "0123456789abcdef";
  options.description.grid = grid;
  return options;
}

ArrayShape whole(std::array<std::uint32_t, 3> grid = {8, 6, 4}) {
  return {{}, {grid[0], grid[1], grid[2]}, {}, {}, {}};
}

/// A wall's end of a source: its questions, requests and their answers.
class Wall {
 public:
  explicit Wall(LiveSource& source, std::uint64_t session = 1)
      : source_(source), session_(session) {}

  void want(std::uint64_t timestep, LivePolicy policy = LivePolicy::newest, double wait_s = 0,
            const char* field = "u") {
    static_cast<void>(
        source_.call_from(session_, to_json(LiveWant{field, timestep, policy, wait_s, 1, {}})));
  }
  std::uint32_t ask(const LiveRequest& request) {
    const auto bytes = bytes_of(request);
    const std::uint32_t number = next_++;
    requests_[number] = request;
    source_.answer({bytes.begin(), bytes.end()}, SlabReply(outbox_, session_, number, wanted_));
    return number;
  }
  /// The answer, if it was given.
  std::optional<LiveAnswer> answer(std::uint32_t number) {
    for (SlabOutbox::Slab& slab : outbox_->take().slabs)
      slabs_[slab.request] = std::move(slab.slab);
    if (!slabs_.contains(number)) return {};
    return parse_live_answer(slabs_[number]->bytes(), requests_[number]);
  }
  LiveAnswer at_once(const LiveRequest& request) {
    const auto answered = answer(ask(request));
    REQUIRE(answered);
    return *answered;
  }
  LiveHeadInfo head(std::uint64_t timestep, std::uint16_t field = 0,
                    std::array<std::uint32_t, 3> grid = {8, 6, 4}) {
    const LiveAnswer answer = at_once(live_head_request(field, timestep));
    REQUIRE(answer.status == LiveAnswerStatus::found);
    return parse_live_head(answer.body, grid);
  }
  void forget_slabs() { slabs_.clear(); }
  /// As if all requests were cancelled.
  void cancel() { wanted_ = std::make_shared<int>(0); }

 private:
  LiveSource& source_;
  const std::uint64_t session_;
  const std::shared_ptr<SlabOutbox> outbox_ = std::make_shared<SlabOutbox>();
  std::shared_ptr<const void> wanted_ = std::make_shared<int>(0);
  std::uint32_t next_ = 1;
  std::map<std::uint32_t, LiveRequest> requests_;
  std::map<std::uint32_t, std::shared_ptr<const SlabBuffer>> slabs_;
};

LiveAnswerStatus status_of(Wall& wall, std::uint64_t timestep, std::uint16_t field = 0) {
  return wall.at_once(live_head_request(field, timestep)).status;
}

std::string fault_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a source without a wall copies nothing", "[source]") {
  LiveSource source(options());
  const std::vector<float> values(8 * 6 * 4, 1);
  for (int step = 0; step < 3; ++step) {
    CHECK(!source.wanted(nullptr));
    source.put("u", whole(), PutType::f32, values.data());
    CHECK(source.end_step(step).reached.timestep == static_cast<std::uint64_t>(step));
  }
  CHECK(source.counters().timesteps == 3);
  CHECK(source.counters().kept == 0);
  CHECK(source.counters().most_bytes_held == 0);
  Wall wall(source);
  CHECK(status_of(wall, 1) == LiveAnswerStatus::passed);
  const auto description = live_description_from_json(source.call_from(1, {{"type", "describe"}}));
  CHECK(description.fields == std::vector<LiveField>{{"u", LiveType::f32, ""}});
  CHECK(description.reached == 2U);
  CHECK(description.time == 2);
}

TEST_CASE("the wanted timestep is sent bit by bit, asked for ahead or later", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  std::vector<float> values(8 * 6 * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 7.5F;
  const LiveRequest planes =
      live_voxel_requests(0, 1, 0, {{0, 0, 0}, {8, 6, 4}}, LiveType::f32).front();
  wall.want(1);
  const std::uint32_t head = wall.ask(live_head_request(0, 1));
  const std::uint32_t ahead = wall.ask(planes);
  source.put("u", whole(), PutType::f32, values.data());
  source.end_step(0.5);
  CHECK(!wall.answer(head));
  CHECK(source.wanted("u"));
  CHECK(!source.wanted("v"));
  source.put("u", whole(), PutType::f32, values.data());
  const std::vector<float> sent = values;
  std::ranges::fill(values, 0.0F);  // the array may be changed when put() returns
  CHECK(source.end_step(1.5).is_kept);
  const auto found = wall.answer(head);
  REQUIRE(found);
  const LiveHeadInfo info = parse_live_head(found->body, {8, 6, 4});
  CHECK(info.time == 1.5);
  REQUIRE(info.blocks.size() == 1);
  CHECK(info.blocks[0].box == LiveBox{{0, 0, 0}, {8, 6, 4}});
  CHECK(info.blocks[0].least == -7.5F);
  CHECK(info.blocks[0].greatest == 183.5F);
  for (const auto& answer : {wall.answer(ahead), std::optional(wall.at_once(planes))}) {
    REQUIRE(answer);
    REQUIRE(answer->body.size() == sent.size() * 4);
    CHECK(std::memcmp(answer->body.data(), sent.data(), answer->body.size()) == 0);
  }
  CHECK(source.is_fetched() == false);  // this test still has the slabs
  wall.forget_slabs();
  CHECK(source.is_fetched());
}

TEST_CASE("two timesteps at most are held, and the memory is used again", "[source]") {
  LiveSource source(options({64, 64, 64}));
  Wall wall(source);
  const std::vector<float> values(64 * 64 * 64, 1);
  for (std::uint64_t step = 0; step < 20; ++step) {
    wall.want(step);
    source.put("u", whole({64, 64, 64}), PutType::f32, values.data());
    CHECK(source.end_step(0).is_kept);
    CHECK(wall.head(step, 0, {64, 64, 64}).blocks.size() == 1);
    if (step >= 2) CHECK(status_of(wall, step - 2) == LiveAnswerStatus::passed);
    if (step >= 1) CHECK(status_of(wall, step - 1) == LiveAnswerStatus::found);
  }
  const std::size_t timestep = values.size() * 4;
  CHECK(source.counters().most_bytes_held >= 2 * timestep);
  CHECK(source.counters().most_bytes_held <= 2 * timestep + (4U << 20));  // huge pages
  source.session_ended(1);
  CHECK(source.counters().bytes_held <= timestep);
}

TEST_CASE("nothing is held for walls that have gone", "[source]") {
  LiveSource source(options());
  const std::vector<float> values(8 * 6 * 4, 1);
  const auto planes = live_voxel_requests(0, 0, 0, {{0, 0, 0}, {8, 6, 4}}, LiveType::f32).front();
  Wall wall(source);
  wall.want(0);
  source.put("u", whole(), PutType::f32, values.data());
  source.end_step(0);
  CHECK(wall.at_once(planes).status == LiveAnswerStatus::found);
  source.session_ended(1);
  CHECK(source.counters().bytes_held > 0);  // it is still being sent
  wall.forget_slabs();
  CHECK(source.counters().bytes_held == 0);
  Wall other(source, 2);
  other.want(1);
  source.put("u", whole(), PutType::f32, values.data());
  source.session_ended(2);  // in the midst of the timestep
  CHECK_FALSE(source.end_step(1).is_kept);
  CHECK(source.counters().bytes_held == 0);
  CHECK(source.counters().kept == 1);
  Wall third(source, 3);
  CHECK(status_of(third, 1) == LiveAnswerStatus::passed);
  third.want(2);
  source.put("u", whole(), PutType::f32, values.data());
  CHECK(source.end_step(2).is_kept);
  CHECK(third.head(2).blocks.size() == 1);
}

TEST_CASE("a field of a timestep has 4096 blocks at most", "[source]") {
  const std::array<std::uint32_t, 3> grid = {64, 65, 1};
  LiveSource source(options(grid));
  Wall wall(source);
  wall.want(0);
  const float value = 1;
  const auto put = [&](std::int64_t x, std::int64_t y) {
    source.put("u", {{x, y, 0}, {x + 1, y + 1, 1}, {}, {}, {}}, PutType::f32, &value);
  };
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 64; ++x) put(x, y);
  CHECK_THAT(fault_of([&] { put(0, 64); }), Catch::Contains("4096 blocks"));
  source.end_step(0);
  CHECK_THAT(wall.at_once(live_head_request(0, 0)).line, Catch::Contains("4096 blocks"));
  wall.want(1);
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 64; ++x) put(x, y);
  source.end_step(1);
  CHECK(wall.head(1, 0, grid).blocks.size() == 4096);
}

TEST_CASE("a timestep is held back while two are still being fetched", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  const auto step = [&](std::uint64_t number) {
    wall.want(number);
    source.put("u", whole(), PutType::f32, values.data());
    const bool is_kept = source.end_step(0).is_kept;
    if (is_kept)
      static_cast<void>(wall.at_once(
          live_voxel_requests(0, number, 0, {{0, 0, 0}, {8, 6, 4}}, LiveType::f32).front()));
    return is_kept;
  };
  CHECK(step(0));
  CHECK(step(1));
  CHECK(!step(2));
  CHECK(source.counters().held_back == 1);
  CHECK(status_of(wall, 2) == LiveAnswerStatus::passed);
  wall.forget_slabs();
  CHECK(step(3));
}

TEST_CASE("a timestep is fetched once each wall that is there has all of it", "[source]") {
  LiveSource source(options());
  const std::vector<float> values(8 * 6 * 4, 1);
  const auto planes = live_voxel_requests(0, 1, 0, {{0, 0, 0}, {8, 6, 4}}, LiveType::f32).front();
  Wall one(source, 1);
  Wall other(source, 2);
  Wall late(source, 3);
  Wall gone(source, 4);
  source.put("u", whole(), PutType::f32, values.data());
  source.put("v", whole(), PutType::f32, values.data());
  source.end_step(0);
  CHECK(source.is_fetched());
  for (Wall* const wall : {&one, &other, &gone}) wall->want(1);
  for (int i = 0; i < 3; ++i) static_cast<void>(gone.ask(planes));
  gone.cancel();
  source.session_ended(4);
  source.put("u", whole(), PutType::f32, values.data());
  source.put("v", whole(), PutType::f32, values.data());
  source.end_step(1);
  const auto bytes = bytes_of(planes);
  source.answer({bytes.begin(), bytes.end()}, {});  // a worker may come to it only now
  CHECK_FALSE(source.is_fetched());
  for (int i = 0; i < 3; ++i) CHECK(one.at_once(planes).status == LiveAnswerStatus::found);
  one.forget_slabs();
  CHECK_FALSE(source.is_fetched());
  CHECK(late.head(1).blocks.size() == 1);  // of a wall that connected just now
  CHECK(other.at_once(planes).status == LiveAnswerStatus::found);
  other.forget_slabs();
  CHECK_FALSE(source.is_fetched());
  source.session_ended(3);
  CHECK(source.is_fetched());
}

TEST_CASE("only the wanted field is copied, and others are passed", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  wall.want(0, LivePolicy::newest, 0, "v");
  source.put("u", whole(), PutType::f32, values.data());
  source.put("v", whole(), PutType::f32, values.data());
  source.end_step(0);
  CHECK(status_of(wall, 0, 0) == LiveAnswerStatus::passed);
  CHECK(wall.head(0, 1).blocks.size() == 1);
  CHECK(status_of(wall, 0, 9) == LiveAnswerStatus::passed);
}

TEST_CASE("a timestep without a put has an empty head", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  source.put("u", whole(), PutType::f32, values.data());
  source.end_step(0);
  wall.want(1);
  source.end_step(2);
  CHECK(wall.head(1).blocks.empty());
  CHECK(wall.head(1).time == 2);
}

TEST_CASE("planes that a block does not have are told as changed", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  wall.want(0);
  source.put("u", whole(), PutType::f32, values.data());
  source.end_step(0);
  const auto status = [&](const LiveBox& box, LiveType type, std::uint32_t block = 0) {
    return wall.at_once(live_voxel_requests(0, 0, block, box, type).front()).status;
  };
  CHECK(status({{0, 0, 0}, {8, 6, 4}}, LiveType::f32) == LiveAnswerStatus::found);
  CHECK(status({{0, 0, 0}, {8, 6, 3}}, LiveType::f32) == LiveAnswerStatus::changed);
  CHECK(status({{0, 0, 0}, {8, 6, 4}}, LiveType::u8) == LiveAnswerStatus::changed);
  CHECK(status({{0, 0, 0}, {8, 6, 4}}, LiveType::f32, 1) == LiveAnswerStatus::changed);
}

TEST_CASE("planes of more than 8 MiB become blocks side by side", "[source]") {
  const std::array<std::uint32_t, 3> grid = {2048, 2048, 1};
  LiveSource source(options(grid));
  Wall wall(source);
  std::vector<float> values(std::size_t{2048} * 2048);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  wall.want(0);
  source.put("u", whole(grid), PutType::f32, values.data());
  source.end_step(0);
  const LiveHeadInfo head = wall.head(0, 0, grid);
  REQUIRE(head.blocks.size() == 2);
  CHECK(head.blocks[1].box == LiveBox{{0, 1024, 0}, {2048, 2048, 1}});
  CHECK(head.blocks[1].least == 2048.0F * 1024);
  const LiveAnswer answer =
      wall.at_once(live_voxel_requests(0, 0, 1, head.blocks[1].box, LiveType::f32).front());
  CHECK(std::memcmp(answer.body.data(), values.data() + 2048 * 1024, answer.body.size()) == 0);
}

TEST_CASE("a box that was refused is told to the wall as the field's fault", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  ArrayShape shape = whole();
  shape.end[2] = 5;
  wall.want(0);
  CHECK_THAT(fault_of([&] { source.put("v", shape, PutType::f32, values.data()); }),
             Catch::Contains("box"));
  source.put("u", whole(), PutType::f32, values.data());
  CHECK_THAT(fault_of([&] { source.put("u", shape, PutType::f32, values.data()); }),
             Catch::Contains("within the grid of 8 x 6 x 4"));
  source.end_step(0);
  CHECK_THAT(wall.at_once(live_head_request(1, 0)).line,
             Catch::Contains("field u: box: expected voxels within the grid"));
  wall.want(1);
  source.put("u", whole(), PutType::f32, values.data());
  source.end_step(0);
  CHECK(wall.head(1, 1).blocks.size() == 1);
}

TEST_CASE("boxes of more voxels than the grid has take no more memory", "[source]") {
  const std::array<std::uint32_t, 3> grid = {64, 64, 64};
  LiveSource source(options(grid));
  Wall wall(source);
  const std::vector<float> values(64 * 64 * 64, 1);
  wall.want(0);
  source.put("u", whole(grid), PutType::f32, values.data());
  const std::uint64_t once = source.counters().bytes_held;
  CHECK_THAT(fault_of([&] { source.put("u", whole(grid), PutType::f32, values.data()); }),
             Catch::Contains("found more than the grid's 262144 voxels"));
  // As a simulation that forgets to end its timesteps does.
  for (int i = 0; i < 100; ++i) source.put("u", whole(grid), PutType::f32, values.data());
  CHECK(source.counters().most_bytes_held == once);
  source.end_step(0);
  CHECK_THAT(wall.at_once(live_head_request(0, 0)).line,
             Catch::Contains("field u: box: expected boxes that do not overlap"));
  wall.want(1);
  source.put("u", whole(grid), PutType::f32, values.data());
  source.end_step(0);
  CHECK(wall.head(1, 0, grid).blocks.size() == 1);
}

TEST_CASE("units are taken of 64 fields at most", "[source]") {
  LiveSource source(options());
  for (int i = 0; i < 64; ++i) source.set_units("f" + std::to_string(i), "K");
  source.set_units("f0", "mm");  // known, and not put yet
  CHECK_THAT(fault_of([&] { source.set_units("f64", "K"); }),
             Catch::Contains("field f64: expected 64 fields at most, found one more"));
}

TEST_CASE("units are those before the first put, which may be told again", "[source]") {
  LiveSource source(options());
  const std::vector<float> values(8 * 6 * 4, 1);
  source.set_units("u", "mm");
  source.set_units("u", "K");
  source.put("u", whole(), PutType::f32, values.data());
  CHECK_NOTHROW(source.set_units("u", "K"));
  CHECK_THAT(fault_of([&] { source.set_units("u", "mm"); }),
             Catch::Contains("expected them before its first put"));
  CHECK_NOTHROW(source.set_units("v", std::string(64, 'x')));
  CHECK_THAT(fault_of([&] { source.set_units("v", std::string(65, 'x')); }),
             Catch::Contains("expected 64 bytes at most, found 65"));
  const auto description = live_description_from_json(source.call_from(1, {{"type", "describe"}}));
  CHECK(description.fields == std::vector<LiveField>{{"u", LiveType::f32, "K"}});
}

TEST_CASE("a field keeps its first type, and 64 are the most", "[source]") {
  LiveSource source(options());
  const std::vector<double> values(8 * 6 * 4, 1);
  source.set_units("u", "K");
  source.put("u", whole(), PutType::f32, values.data());
  CHECK_THAT(fault_of([&] { source.put("u", whole(), PutType::u8, values.data()); }),
             Catch::Contains("field u: expected f32 as at its first put, found u8"));
  CHECK_THAT(fault_of([&] { source.put("u", whole(), PutType::f64, values.data()); }),
             Catch::Contains("found f64"));
  CHECK_THAT(fault_of([&] { source.set_units("u", "mm"); }), Catch::Contains("units"));
  CHECK_THAT(fault_of([&] { source.set_units("w", std::string(65, 'm')); }),
             Catch::Contains("64 bytes at most"));
  CHECK_THAT(fault_of([&] { source.put("a b", whole(), PutType::f32, values.data()); }),
             Catch::Contains("field: expected 1 to 64 letters"));
  CHECK_THAT(fault_of([&] { source.put(nullptr, whole(), PutType::f32, values.data()); }),
             Catch::Contains("found NULL"));
  for (int i = 1; i < 64; ++i)
    source.put(("f" + std::to_string(i)).c_str(), whole(), PutType::f64, values.data());
  CHECK_THAT(fault_of([&] { source.put("one_more", whole(), PutType::f32, values.data()); }),
             Catch::Contains("64 fields at most"));
  CHECK(source.counters().f64_fields == 63);
}

TEST_CASE("options that a wall would refuse are refused", "[source]") {
  const auto fault = [](const auto& change) {
    LiveSourceOptions wrong = options();
    change(wrong);
    return fault_of([&] { const LiveSource source(wrong); });
  };
  CHECK_THAT(fault([](auto& o) { o.description.grid = {8193, 1, 1}; }), Catch::Contains("grid"));
  CHECK_THAT(fault([](auto& o) { o.description.ranks = 1025; }), Catch::Contains("ranks"));
  CHECK_THAT(fault([](auto& o) { o.description.name = "a/b"; }), Catch::Contains("name"));
  CHECK_THAT(fault([](auto& o) {
               o.description.spacing = {1, 0, 1};
             }),
             Catch::StartsWith("spacing: "));
  CHECK_THAT(fault([](auto& o) { o.description.origin = {1, NAN, 1}; }), Catch::Contains("origin"));
  CHECK_THAT(fault([](auto& o) { o.wait_s = -1; }), Catch::Contains("wait_s"));
  CHECK(fault([](auto& o) { o.description.grid = {1, 1, 1}; }).empty());
  CHECK(fault([](auto& o) { o.description.grid = {8192, 8192, 8192}; }).empty());
}

TEST_CASE("a time that is not finite ends the timestep, and the wall is told", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::vector<float> values(8 * 6 * 4, 1);
  source.end_step(0.5);
  const double wrong[] = {std::nan(""), std::numeric_limits<double>::infinity()};
  for (std::uint64_t step = 1; step <= 2; ++step) {
    wall.want(step);
    source.put("u", whole(), PutType::f32, values.data());
    const LiveSource::Ended ended = source.end_step(wrong[step - 1]);
    CHECK_THAT(ended.fault, Catch::Contains("time: expected a finite number, found"));
    CHECK(ended.reached == LiveReached{step, 0.5});
    CHECK(wall.at_once(live_head_request(0, step)).line == ended.fault);
  }
  CHECK(live_description_from_json(source.call_from(1, {{"type", "describe"}})).time == 0.5);
  wall.want(3);
  source.put("u", whole(), PutType::f32, values.data());
  CHECK(source.end_step(1).fault.empty());
  CHECK(wall.head(3).time == 1);
}

TEST_CASE("questions and requests that are none are refused", "[source]") {
  LiveSource source(options());
  CHECK_THROWS_AS(source.call_from(1, Json::array()), InputError);
  CHECK_THROWS_AS(source.call_from(1, {{"type", "list"}}), InputError);
  CHECK_THROWS_AS(source.call_from(1, {{"type", "want"}}), InputError);
  CHECK_THROWS_AS(source.answer(std::vector<std::byte>(31), {}), InputError);
}

TEST_CASE("requests for timesteps to come are bounded, and cancelled ones make room", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  for (std::size_t i = 0; i < LiveSource::most_waiting; ++i)
    static_cast<void>(wall.ask(live_head_request(0, 7)));
  CHECK_THAT(wall.at_once(live_head_request(0, 8)).line, Catch::Contains("too many requests"));
  wall.cancel();
  const std::uint32_t waits = wall.ask(live_head_request(0, 0));
  CHECK(!wall.answer(waits));
  source.end_step(0);
  CHECK(wall.answer(waits)->status == LiveAnswerStatus::passed);
}

TEST_CASE("what waits for a source that closes is answered", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  const std::uint32_t waits = wall.ask(live_head_request(0, 3));
  source.close();
  CHECK(wall.answer(waits)->status == LiveAnswerStatus::closed);
  CHECK(wall.at_once(live_head_request(0, 3)).status == LiveAnswerStatus::closed);
}

TEST_CASE("a rank waits for a wall that wants each timestep, and no longer than it may",
          "[source]") {
  LiveSourceOptions limited = options();
  limited.wait_s = 0.02;
  LiveSource source(limited);
  Wall wall(source);
  wall.want(0, LivePolicy::every, 60);
  source.end_step(0);
  source.end_step(1);  // waits for the wall in vain
  CHECK(source.counters().waited_s >= 0.02);
  const double waited_s = source.counters().waited_s;
  source.end_step(2);  // and not again
  CHECK(source.counters().waited_s == waited_s);
}

TEST_CASE("a rank that waits goes on when its timestep is wanted, or the wall goes", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  wall.want(0, LivePolicy::every, 60);
  source.end_step(0);
  std::atomic<int> ended = 0;
  std::thread rank([&] {
    ended += source.wanted("u") ? 1 : 0;
    source.end_step(1);
    ended += 10;
    source.end_step(2);
    ended += 10;
  });
  wall.want(1, LivePolicy::every, 60);
  CHECK(test::eventually([&] { return ended == 11; }));
  source.session_ended(1);
  CHECK(test::eventually([&] { return ended == 21; }));
  wall.want(3, LivePolicy::every, 60);  // a late word of a session that ended counts no more
  CHECK(!source.wanted(nullptr));
  source.end_step(4);
  rank.join();
}

TEST_CASE("closing ends a wait", "[source]") {
  LiveSource source(options());
  Wall wall(source);
  wall.want(0, LivePolicy::every, 60);
  source.end_step(0);
  std::atomic<bool> ended = false;
  std::thread rank([&] {
    source.end_step(1);
    ended = true;
  });
  source.close();
  CHECK(test::eventually([&] { return ended.load(); }));
  rank.join();
}
