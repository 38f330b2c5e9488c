// A source in C and walls that fetch from it over loopback.

#include <fenv.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/auth_key.hpp"
#include "net/live/live_messages.hpp"
#include "net/slab/client_session.hpp"
#include "net/slab/slab_acceptor.hpp"
#include "net/slab/slab_client.hpp"
#include "net/source/tilewall_source.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr std::array<std::int64_t, 3> grid = {33, 17, 9};
constexpr std::array<std::uint32_t, 3> live_grid = {33, 17, 9};
constexpr auto limit = 20s;

SourceOptions quick() {
  SourceOptions options;
  options.linger_s = 0;
  return options;
}

Source listening(const SourceOptions& options = quick()) {
  return Source("listen:127.0.0.1:0", "gs", 0, 1, grid, options);
}

/// A wall's client of one source.
class Wall {
 public:
  explicit Wall(int port, SlabTransport transport = SlabTransport::udp,
                const std::optional<AuthKey>& key = std::nullopt) {
    SlabClientOptions options;
    options.session.key = key;
    options.servers = {resolve("127.0.0.1:" + std::to_string(port), "test")};
    options.session.transport = transport;
    client_ = std::make_unique<SlabClient>(options);
  }

  Json want(std::uint64_t timestep, const char* field = "u", LivePolicy policy = LivePolicy::newest,
            double wait_s = 0, std::optional<std::array<double, 2>> quantise = {}) {
    return client_->call(to_json(LiveWant{field, timestep, policy, wait_s, 1, quantise}), limit);
  }
  Json tell(const char* type, const std::string& line) {
    return client_->call({{"type", type}, {"line", line}}, limit);
  }
  [[nodiscard]] bool is_connected() const { return client_->status().connected; }
  LiveDescription describe() {
    return live_description_from_json(client_->call({{"type", "describe"}}, limit));
  }
  SlabClient::Ticket ask(const LiveRequest& request) {
    const auto bytes = bytes_of(request);
    const SlabClient::Ticket ticket = client_->fetch(
        {bytes.begin(), bytes.end()}, SlabClient::no_deadline, RequestKind::standing);
    requests_[ticket] = request;
    return ticket;
  }
  /// Waits for the answer; its body is this object's.
  LiveAnswer await(SlabClient::Ticket ticket) {
    const LocalInstant until = local_now() + Nanos(limit);
    while (local_now() < until) {
      const std::uint64_t known = client_->news();
      if (auto slab = client_->take(ticket)) {
        slabs_.push_back(std::move(*slab));
        return parse_live_answer(slabs_.back().bytes(), requests_[ticket]);
      }
      client_->wait_for_news(known, std::min(until, local_now() + Nanos(10ms)));
    }
    FAIL("no answer");
    return {};
  }
  LiveHeadInfo head(std::uint64_t timestep, std::uint16_t field = 0) {
    const LiveAnswer answer = await(ask(live_head_request(field, timestep)));
    REQUIRE(answer.status == LiveAnswerStatus::found);
    return parse_live_head(answer.body, live_grid);
  }
  /// All values of a block.
  std::vector<std::byte> values(std::uint64_t timestep, std::uint16_t field, std::uint32_t block,
                                const LiveBlockInfo& info) {
    std::vector<std::byte> all;
    for (const LiveRequest& request :
         live_voxel_requests(field, timestep, block, info.box, info.type)) {
      const LiveAnswer answer = await(ask(request));
      REQUIRE(answer.status == LiveAnswerStatus::found);
      all.insert(all.end(), answer.body.begin(), answer.body.end());
    }
    return all;
  }

 private:
  std::unique_ptr<SlabClient> client_;
  std::map<SlabClient::Ticket, LiveRequest> requests_;
  std::deque<SlabBuffer> slabs_;
};

/// The descriptor of this process's only epoll set.
int epoll_set() {
  std::vector<int> sets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) == "anon_inode:[eventpoll]")
      sets.push_back(std::stoi(entry.path().filename().string()));
  }
  REQUIRE(sets.size() == 1);
  return sets.front();
}

template <typename Value>
Value value_at(std::uint64_t timestep, std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<Value>((static_cast<std::int64_t>(timestep) * 13 + x + 3 * y + 7 * z) % 250);
}

/// An array of the whole grid with ghosts around, in C order (z fastest) or Fortran order.
template <typename Value>
struct Array {
  Array(std::uint64_t timestep, std::int64_t layers, bool c_order) : ghosts(layers) {
    std::array<std::int64_t, 3> whole{};
    for (std::size_t i = 0; i < 3; ++i) whole[i] = grid[i] + 2 * layers;
    const auto size = static_cast<std::int64_t>(sizeof(Value));
    strides = c_order
                  ? std::array<std::int64_t, 3>{whole[1] * whole[2] * size, whole[2] * size, size}
                  : std::array<std::int64_t, 3>{size, whole[0] * size, whole[0] * whole[1] * size};
    values.resize(static_cast<std::size_t>(whole[0] * whole[1] * whole[2]), Value{77});
    for (std::int64_t z = 0; z < grid[2]; ++z)
      for (std::int64_t y = 0; y < grid[1]; ++y)
        for (std::int64_t x = 0; x < grid[0]; ++x)
          values[static_cast<std::size_t>(
              ((x + layers) * strides[0] + (y + layers) * strides[1] + (z + layers) * strides[2]) /
              size)] = value_at<Value>(timestep, x, y, z);
  }
  void put(Source& source, const std::string& field) const {
    const tilewall_box box = {{0, 0, 0}, {grid[0], grid[1], grid[2]}};
    source.put(field, box, values.data(),
               tilewall_ghosts{{ghosts, ghosts, ghosts}, {ghosts, ghosts, ghosts}}, strides);
  }
  std::int64_t ghosts;
  std::array<std::int64_t, 3> strides{};
  std::vector<Value> values;
};

template <typename Value>
bool are_of(std::uint64_t timestep, const std::vector<std::byte>& bytes) {
  std::size_t i = 0;
  if (bytes.size() != static_cast<std::size_t>(grid[0] * grid[1] * grid[2]) * sizeof(Value))
    return false;
  for (std::int64_t z = 0; z < grid[2]; ++z)
    for (std::int64_t y = 0; y < grid[1]; ++y)
      for (std::int64_t x = 0; x < grid[0]; ++x) {
        Value value;
        std::memcpy(&value, bytes.data() + i, sizeof value);
        i += sizeof value;
        if (value != value_at<Value>(timestep, x, y, z)) return false;
      }
  return true;
}

template <typename Value, typename Sent = Value>
void check_type(Source& source, Wall& wall, std::uint64_t timestep, const std::string& field,
                std::uint16_t place) {
  CAPTURE(field);
  // A source waits for the acks of earlier timesteps under this policy.
  wall.want(timestep, field.c_str(), LivePolicy::every, 20);
  const auto ahead = wall.ask(live_head_request(place, timestep));
  Array<Value>(timestep, place % 3, place % 2 == 0).put(source, field);
  source.end_step(static_cast<double>(timestep));
  const LiveAnswer answer = wall.await(ahead);
  REQUIRE(answer.status == LiveAnswerStatus::found);
  const LiveHeadInfo head = parse_live_head(answer.body, live_grid);
  REQUIRE(head.blocks.size() == 1);
  CHECK(are_of<Sent>(timestep, wall.values(timestep, place, 0, head.blocks[0])));
}

/// Puts values that raise floating-point exceptions, in a process that lets them raise signals.
/// Whether they arrived, and the process has its exceptions as before.
bool put_with_traps() {
  constexpr int traps = FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO;
  const std::size_t voxels = static_cast<std::size_t>(grid[0] * grid[1] * grid[2]);
  const tilewall_box box = {{0, 0, 0}, {grid[0], grid[1], grid[2]}};
  const std::vector<double> large(voxels, 1e300);
  const std::vector<float> no_numbers(voxels, NAN);
  ::feenableexcept(traps);
  Source source = listening();
  ::fedisableexcept(traps);
  Wall wall(source.port());
  wall.want(0, "large");
  ::feenableexcept(traps);
  source.put("large", box, large.data());
  source.end_step(0);
  ::fedisableexcept(traps);
  if (wall.head(0).blocks.at(0).not_shown != voxels) return false;
  wall.want(1, "none", LivePolicy::newest, 0, {{0, 1}});
  ::feenableexcept(traps);
  source.put("none", box, no_numbers.data());
  source.end_step(1);
  const bool is_as_before = ::fegetexcept() == traps && ::fetestexcept(traps) == 0;
  ::fedisableexcept(traps);
  return is_as_before && wall.head(1, 1).blocks.at(0).not_shown == voxels;
}

}  // namespace

TEST_CASE("a wall gets exactly the timesteps it wants, in all types and layouts", "[source]") {
  for (const SlabTransport transport : {SlabTransport::udp, SlabTransport::tcp}) {
    Source source = listening();
    source.set_units("bytes", "K");
    Wall wall(source.port(), transport);
    check_type<std::uint8_t>(source, wall, 0, "bytes", 0);
    check_type<std::uint16_t>(source, wall, 1, "words", 1);
    check_type<float>(source, wall, 2, "floats", 2);
    check_type<double, float>(source, wall, 3, "doubles", 3);
    wall.want(3, "bytes");
    source.end_step(4);
    CHECK(wall.await(wall.ask(live_head_request(0, 4))).status == LiveAnswerStatus::passed);
    const LiveDescription description = wall.describe();
    CHECK(description.name == "gs");
    CHECK(description.fields == std::vector<LiveField>{{"bytes", LiveType::u8, "K"},
                                                       {"words", LiveType::u16, ""},
                                                       {"floats", LiveType::f32, ""},
                                                       {"doubles", LiveType::f32, ""}});
    CHECK(description.reached == 4U);
    CHECK(source.statistics().kept == 4);
    CHECK(source.statistics().f64_fields == 1);
    CHECK(source.statistics().walls == 1);
  }
}

TEST_CASE("a wall learns a source's grid, its place and its units as the simulation gave them",
          "[source]") {
  SourceOptions options = quick();
  options.spacing = {0.5, 0.25, 2};
  options.origin = {-3, 10, 7};
  options.units = "mm";
  Source source = listening(options);
  Wall wall(source.port());
  const LiveDescription description = wall.describe();
  CHECK(description.grid == live_grid);
  CHECK(description.spacing == std::array<double, 3>{0.5, 0.25, 2});
  CHECK(description.origin == std::array<double, 3>{-3, 10, 7});
  CHECK(description.units == "mm");
  CHECK(description.rank == 0);
  CHECK(description.ranks == 1);
}

TEST_CASE("two walls each get the field and timestep that they want", "[source]") {
  Source source = listening();
  Wall one(source.port());
  Wall two(source.port());
  one.want(1, "u");
  two.want(2, "v");
  for (std::uint64_t step = 0; step < 3; ++step) {
    Array<float>(step, 0, false).put(source, "u");
    Array<float>(step + 100, 0, false).put(source, "v");
    source.end_step(0);
  }
  CHECK(are_of<float>(1, one.values(1, 0, 0, one.head(1, 0).blocks.at(0))));
  CHECK(are_of<float>(102, two.values(2, 1, 0, two.head(2, 1).blocks.at(0))));
  CHECK(one.await(one.ask(live_head_request(1, 1))).status == LiveAnswerStatus::passed);
}

TEST_CASE("a source under load gives each wanted timestep whole", "[source]") {
  Source source = listening();
  std::atomic<bool> stop = false;
  std::thread rank([&] {
    for (std::uint64_t step = 0; !stop; ++step) {
      Array<float>(step, 1, false).put(source, "u");
      source.end_step(static_cast<double>(step));
    }
  });
  {
    Wall wall(source.port());
    int shown = 0;
    for (int turn = 0; turn < 200 && shown < 10; ++turn) {
      const auto reached = wall.want(0).at("reached");
      const std::uint64_t next = (reached.is_null() ? 0 : reached.get<std::uint64_t>()) + 20;
      wall.want(next);
      const LiveAnswer answer = wall.await(wall.ask(live_head_request(0, next)));
      if (answer.status != LiveAnswerStatus::found) continue;
      const LiveHeadInfo head = parse_live_head(answer.body, live_grid);
      REQUIRE(head.blocks.size() == 1);
      CHECK(head.time == static_cast<double>(next));
      CHECK(are_of<float>(next, wall.values(next, 0, 0, head.blocks[0])));
      ++shown;
    }
    CHECK(shown >= 1);
  }
  stop = true;
  rank.join();
}

TEST_CASE("a rank waits for a wall that wants each timestep until the wall goes", "[source]") {
  Source source = listening();
  auto wall = std::make_unique<Wall>(source.port());
  wall->want(0, "u", LivePolicy::every, 60);
  std::atomic<std::uint64_t> ended = 0;
  std::atomic<int> failures = 0;
  std::thread rank([&] {
    for (std::uint64_t step = 0; step < 10; ++step) {
      Array<float>(step, 0, false).put(source, "u");
      if (source.try_end_step(0) != TILEWALL_OK) ++failures;
      ++ended;
    }
  });
  for (std::uint64_t step = 0; step < 5; ++step) {
    CHECK(are_of<float>(step, wall->values(step, 0, 0, wall->head(step).blocks.at(0))));
    // The rank ends the timestep just after the wall has it, and waits in its next put.
    CHECK(test::eventually([&] { return ended == step + 1; }));
    if (step < 4) wall->want(step + 1, "u", LivePolicy::every, 60);
  }
  wall.reset();
  CHECK(test::eventually([&] { return ended == 10; }));
  rank.join();
  CHECK(failures == 0);
  CHECK(test::eventually([&] { return source.statistics().walls == 0; }));
}

TEST_CASE("a rank waits no longer than the simulation allows", "[source]") {
  SourceOptions options = quick();
  options.wait_s = 0.02;
  Source source = listening(options);
  Wall wall(source.port());
  wall.want(0, "u", LivePolicy::every, 60);
  for (int step = 0; step < 20; ++step) source.end_step(step);
  CHECK(source.statistics().waited_s >= 0.02);  // once: the wall did not answer
}

TEST_CASE("a source that closes ends the sessions of its walls", "[source]") {
  std::optional<Source> source(listening());
  Wall wall(source->port());
  wall.want(3);
  static_cast<void>(wall.ask(live_head_request(0, 7)));
  source.reset();
  CHECK(test::eventually([&] { return !wall.is_connected(); }));
}

TEST_CASE("closing lets a wall fetch the last timestep", "[source]") {
  SourceOptions options = quick();
  options.linger_s = 20;
  std::optional<Source> source(listening(options));
  Wall wall(source->port());
  wall.want(0);
  Array<float>(0, 0, false).put(*source, "u");
  source->end_step(0);
  std::thread closing([&] { source.reset(); });
  const LiveHeadInfo head = wall.head(0);
  CHECK(are_of<float>(0, wall.values(0, 0, 0, head.blocks.at(0))));
  closing.join();
}

TEST_CASE("a wall without the source's key is refused, and the source has a line", "[source]") {
  SourceOptions options = quick();
  options.key_hex = std::string(64, 'a');
  Source source = listening(options);
  const auto other = AuthKey::from_hex(std::string(64, 'b'), "test");
  CHECK_THROWS(Wall(source.port(), SlabTransport::udp, other));
  CHECK(test::eventually([&] { return source.news().find("refused") != std::string::npos; }));
}

TEST_CASE("beyond loopback a source needs a key", "[source]") {
  for (const char* where : {"listen:0.0.0.0:0", "192.0.2.1:7643"}) {
    try {
      const Source source(where, "gs", 0, 1, grid);
      FAIL(where);
    } catch (const SourceError& error) {
      CHECK(error.status() == TILEWALL_BAD_ARGUMENT);
      CHECK_THAT(error.what(), Catch::Contains("needs the wall's key"));
    }
  }
}

TEST_CASE("a source connects to a wall, says whose it is, and tells what it reached", "[source]") {
  SlabAcceptor acceptor({resolve("127.0.0.1:0", "test")});
  const std::string where = "127.0.0.1:" + std::to_string(acceptor.port());
  Source source(where, "gs", 1, 4, grid, quick());
  CHECK(source.port() == 0);
  std::vector<Offered> offers;
  REQUIRE(test::eventually([&] {
    acceptor.step(local_now());
    offers = acceptor.take();
    return !offers.empty();
  }));
  CHECK(parse_live_offer(offers[0].provides) == LiveOffer{"gs", 1, 4});
  SlabPool pool(0);
  ClientSession session(std::move(offers[0]), SlabSessionOptions(), pool, limit);
  ClientSession::Events events;
  REQUIRE(test::eventually([&] { return source.statistics().walls == 1; }));
  session.ask(to_json(LiveWant{"u", 0, LivePolicy::every, 20, 1, {}}));
  const auto request = live_head_request(0, 0);
  const auto bytes = bytes_of(request);
  static_cast<void>(session.fetch(bytes, ClientSession::no_deadline, RequestKind::standing));
  REQUIRE(test::eventually(
      [&] { return session.step(local_now(), events) && !events.answers.empty(); }));
  Array<float>(0, 1, true).put(source, "u");
  source.end_step(0.25);
  REQUIRE(test::eventually([&] {
    return session.step(local_now(), events) && !events.slabs.empty() && !events.told.empty();
  }));
  CHECK(live_reached_from_json(events.told[0]) == LiveReached{0, 0.25});
  const LiveAnswer answer = parse_live_answer(events.slabs[0].slab.bytes(), request);
  CHECK(parse_live_head(answer.body, live_grid).blocks.size() == 1);
}

TEST_CASE("a source whose wall is not there runs on", "[source]") {
  const Source other = listening();
  Source source("127.0.0.1:1,localhost:2", "gs", 0, 1, grid, quick());
  for (int step = 0; step < 3; ++step) {
    CHECK(!source.wanted());
    Array<float>(0, 0, false).put(source, "u");
    source.end_step(step);
  }
  CHECK(source.statistics().timesteps == 3);
  CHECK(test::eventually([&] { return !source.news().empty(); }));
}

TEST_CASE("a child process cannot use its parent's source, and harms it not", "[source]") {
  Source source = listening();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = tilewall_end_step(source.get(), 0) == TILEWALL_CLOSED &&
                         std::string(tilewall_error(source.get())) ==
                             "source: expected one of this process, found its parent's" &&
                         std::string(tilewall_news(source.get())).empty() &&
                         tilewall_wanted(source.get(), nullptr) == 0 &&
                         tilewall_close(source.get()) == TILEWALL_CLOSED;
    ::_exit(refused ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  Wall wall(source.port());
  wall.want(0);
  Array<float>(0, 0, false).put(source, "u");
  source.end_step(0);
  CHECK(wall.head(0).blocks.size() == 1);
}

TEST_CASE("a simulation whose floating-point exceptions are signals lives", "[source]") {
  const pid_t child = ::fork();
  if (child == 0) {
    bool is_right = false;
    try {
      is_right = put_with_traps();
    } catch (...) {
    }
    ::_exit(is_right ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a source leaves the simulation's limit of open files alone", "[source]") {
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit lower = before;
  lower.rlim_cur = std::min<rlim_t>(before.rlim_cur, 200);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &lower) == 0);
  rlimit after = {};
  {
    const Source source = listening();
    CHECK(::getrlimit(RLIMIT_NOFILE, &after) == 0);
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(after.rlim_cur == lower.rlim_cur);
}

TEST_CASE("a wall gets the line of each wrong argument of a put", "[source]") {
  Source source = listening();
  Wall wall(source.port());
  Array<float>(0, 0, false).put(source, "u");
  source.end_step(0);
  const float value = 0;
  const tilewall_box box = {{0, 0, 0}, {1, 1, 1}};
  const auto line_of = [&](std::uint64_t step, const tilewall_box* where, int type) {
    wall.want(step);
    Array<float>(step, 0, false).put(source, "u");
    CHECK(tilewall_put(source.get(), "u", where, nullptr, nullptr, type, &value) ==
          TILEWALL_BAD_ARGUMENT);
    source.end_step(0);
    const LiveAnswer answer = wall.await(wall.ask(live_head_request(0, step)));
    CHECK(answer.status == LiveAnswerStatus::failed);
    CHECK(answer.line == "field u: " + source.error());
    return answer.line;
  };
  CHECK(line_of(1, nullptr, TILEWALL_F32) == "field u: box: expected one, found NULL");
  CHECK(line_of(2, &box, 9) == "field u: type: expected a tilewall_type, found 9");
}

TEST_CASE("a simulation reads why a wall cannot show a timestep", "[source]") {
  Source source = listening();
  Wall wall(source.port());
  CHECK(wall.tell("skipped", "live source gs: timestep 3 of field u: too\x1b few voxels").empty());
  const std::string line =
      "a wall cannot show live source gs: timestep 3 of field u: too? few voxels";
  CHECK(source.news() == line);
  // Wants follow each other, and the line stays. That of a wall which ends its session goes first.
  wall.want(4);
  CHECK(source.news() == line);
  CHECK(wall.tell("refused", "another grid").empty());
  CHECK(source.news() == "a wall refused this rank: another grid");
  wall.want(5);
  CHECK(source.news() == line);
  CHECK_THROWS(wall.tell("unknown", "line"));
  CHECK(wall.tell("skipped", std::string(10'000, 'x')).empty());
  CHECK(source.news() == "a wall cannot show " + std::string(longest_live_line, 'x'));
}

TEST_CASE("a source whose network thread failed serves walls again", "[source]") {
  Source source = listening();
  const int set = epoll_set();
  {
    Wall wall(source.port());
    wall.want(0);
    const UniqueFd kept(::dup(set));
    const UniqueFd nothing(::eventfd(0, EFD_CLOEXEC));
    REQUIRE(::dup2(nothing.get(), set) == set);
    CHECK(test::eventually(
        [&] { return source.news().find("Invalid argument") != std::string::npos; }));
    CHECK(test::eventually([&] { return source.statistics().walls == 0; }));
    REQUIRE(::dup2(kept.get(), set) == set);
  }
  Wall wall(source.port());
  wall.want(0);
  Array<float>(0, 0, false).put(source, "u");
  source.end_step(0);
  CHECK(wall.head(0).blocks.size() == 1);
}

TEST_CASE("options begin with the values that the header gives", "[source]") {
  tilewall_options options;
  std::memset(&options, 0x5a, sizeof options);
  tilewall_options_init(&options);
  CHECK(options.size == sizeof options);
  for (const double spacing : options.spacing) CHECK(spacing == 1);
  for (const double origin : options.origin) CHECK(origin == 0);
  CHECK(options.wait_s == 60);
  CHECK(options.linger_s == 1);
  CHECK(options.units == nullptr);
  CHECK(options.key_hex == nullptr);
  tilewall_options_init(nullptr);
}

TEST_CASE("a grid of a single voxel is one, and one of none is not", "[source]") {
  const auto open = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    const Source source("listen:127.0.0.1:0", "gs", 0, 1, {x, y, z}, quick());
  };
  CHECK_NOTHROW(open(1, 1, 1));
  CHECK_THROWS(open(0, 1, 1));
  CHECK_THROWS(open(1, 0, 1));
  CHECK_THROWS(open(1, 1, 0));
}
