// The trace's file: JSON that viewers take, however its disk behaves.

#include "player/trace/trace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "player/trace/show_trace.hpp"
#include "sync/base/error.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::sync;
using namespace tilewall::trace;
using tilewall::test::FileSizeLimit;
using tilewall::test::TemporaryFolder;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds timeout{10};

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json parsed(const fs::path& file) { return Json::parse(contents(file), nullptr, false); }

TraceBatch one_span(std::int64_t start_ns, std::int64_t duration_ns) {
  TraceBatch batch;
  batch.names = {"a \"quoted\" \\ name\n"};
  batch.tracks = {{1, "c0r0 present"}};
  batch.events = {
      {GlobalInstant{Nanos(start_ns)}, Nanos(duration_ns), 0, {5, 6}, 0, 1, TraceKind::span}};
  return batch;
}

}  // namespace

TEST_CASE("events become JSON with times to the nanosecond", "[trace]") {
  TraceBatch batch = one_span(1'234'567'890'123'456'789, 1'001);
  batch.names.emplace_back("level");
  batch.events.push_back({GlobalInstant{Nanos(-1'500)}, {}, -0.5, {}, 1, 1, TraceKind::counter});
  batch.events.push_back(
      {GlobalInstant{Nanos(7)}, {}, 0, {3, TraceLabels::none}, 1, 1, TraceKind::instant});
  const std::string text = chrome_begin() + chrome_process(2, "panel", 1) +
                           chrome_track(2, batch.tracks[0]) + chrome_events(2, batch) +
                           std::string(chrome_end);
  CHECK_THAT(text, Catch::Contains("\"ts\":1234567890123456.789") &&
                       Catch::Contains("\"dur\":1.001") && Catch::Contains("\"ts\":-1.500"));
  const Json json = Json::parse(text);
  REQUIRE(json.size() == 7);
  CHECK(json[3].at("args").at("name") == "c0r0 present");
  CHECK(json[4].at("name") == batch.names[0]);
  CHECK(json[4].at("args") == Json({{"frame", 5}, {"tick", 6}}));
  CHECK(json[4].at("tid") == json[3].at("tid"));
  CHECK(json[5].at("args").at("value") == -0.5);
  CHECK(json[6].at("args") == Json({{"frame", 3}}));
}

TEST_CASE("what is no number or no UTF-8 and spans that end before they begin are still JSON",
          "[trace]") {
  TraceBatch batch = one_span(0, -5);
  batch.names[0] = "\xff\xfe";
  batch.events.push_back({{}, {}, std::nan(""), {}, 0, 1, TraceKind::counter});
  const Json json = Json::parse("[0" + chrome_events(1, batch) + "]");
  CHECK(json[1].at("dur") == 0);
  CHECK(json[2].at("args").at("value") == 0);
}

TEST_CASE("a finished trace is a JSON array of all that was added", "[trace]") {
  const TemporaryFolder folder;
  TraceFile file(folder / "t.json");
  for (int i = 0; i < 100; ++i) CHECK(file.add(chrome_events(1, one_span(i, 1))));
  file.finish(timeout);
  CHECK(file.problem().empty());
  CHECK(parsed(folder / "t.json").size() == 101);
  CHECK(file.bytes() == fs::file_size(folder / "t.json"));
}

TEST_CASE("a full disk ends the trace at a whole batch and says so", "[trace]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "t.json";
  std::string problem;
  {
    const FileSizeLimit limit(5000);
    TraceFile file(path);
    for (int i = 0; i < 1000; ++i) static_cast<void>(file.add(chrome_events(1, one_span(i, 1))));
    file.finish(timeout);
    problem = file.problem();
    CHECK_FALSE(file.add("more"));
  }
  CHECK_THAT(problem, Catch::StartsWith(path.string() + ": the trace ends after ") &&
                          Catch::EndsWith("File too large"));
  const Json json = parsed(path);
  REQUIRE(json.is_array());
  CHECK(json.size() > 10);
  CHECK(json.size() < 100);
}

TEST_CASE("a device that takes nothing is told of as full", "[trace]") {
  TraceFile file("/dev/full");
  file.finish(timeout);
  CHECK(file.problem() == "/dev/full: the trace ends after 0 bytes: No space left on device");
}

TEST_CASE("a pipe that nobody empties costs the trace, not its writer's time", "[trace]") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_AS(check_trace_file("--trace", pipe), InputError);  // nobody at the other end
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  TraceFile file(pipe);
  const std::string much(1 << 20, ' ');
  static_cast<void>(file.add(much));
  file.finish(timeout);
  CHECK_FALSE(file.problem().empty());
}

TEST_CASE("a trace file that cannot be made is refused by the option's name", "[trace]") {
  CHECK_THROWS_WITH(check_trace_file("--trace", "/nowhere/t.json"),
                    "--trace: expected a file that can be written, found /nowhere/t.json: No such "
                    "file or directory");
  CHECK_THROWS_AS(check_trace_file("--trace", "/"), InputError);
}

TEST_CASE("the director's trace names its processes and counts what is missing", "[trace]") {
  const TemporaryFolder folder;
  ShowTrace show(folder / "t.json", {"c0r0", "c1r0"});
  TraceBatch batch = one_span(1'000'000, 5);
  CHECK_THROWS_AS(show.take(8, one_span(0, 1)), InputError);
  show.welcome(8, {"panel", 1, 77, "wall-07", false});
  CHECK(show.has_panels());
  batch.dropped = 3;
  show.take(8, TraceBatch(batch));
  batch.dropped = 5;
  show.take(8, TraceBatch(batch));
  show.lose(8);
  CHECK_FALSE(show.has_panels());
  const TraceSummary summary = show.finish(ClockMapping{}, timeout);
  CHECK(summary.events == 2);
  CHECK(summary.dropped == 5);
  CHECK(summary.problem.empty());
  const std::string text = contents(folder / "t.json");
  CHECK_THAT(text, Catch::Contains("panel c1r0 (pid 77 on wall-07)") &&
                       Catch::Contains("dropped events") && Catch::Contains("director (pid"));
  CHECK(Json::parse(text).is_array());
}

TEST_CASE("events of a process without a clock are put on global time here", "[trace]") {
  const TemporaryFolder folder;
  ShowTrace show(folder / "t.json", {});
  ClockMapping mapping;
  mapping.anchor_global = GlobalInstant{std::chrono::hours(1000)};
  show.step(mapping);
  show.welcome(1, {"supervisor", -1, 1, "here", true});
  show.take(1, one_span(local_now().since_epoch.count(), 1));
  CHECK(show.finish(mapping, timeout).events == 1);
  double ts = 0;
  for (const Json& event : parsed(folder / "t.json"))
    if (event.at("ph") == "X") ts = event.at("ts").get<double>();
  CHECK(ts > 1000 * 3600e6);
}

TEST_CASE("a long trace is continued behind all of its events", "[trace]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "trace.json";
  constexpr int many = 1000;  // more than 64 KiB, of which the end is looked at
  {
    TraceFile first(file);
    for (int i = 0; i < many; ++i) static_cast<void>(first.add(chrome_process(i, "process", i)));
    first.finish(timeout);
  }
  REQUIRE(fs::file_size(file) > 65'536);
  const std::size_t events = parsed(file).size();
  {
    TraceFile next(file, TraceBegin::continued);
    static_cast<void>(next.add(chrome_process(many, "second", 1)));
    next.finish(timeout);
  }
  CHECK(parsed(file).size() > events);
}

TEST_CASE("a trace whose director died in the middle of an event is continued as whole JSON",
          "[trace]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "trace.json";
  {
    TraceFile first(file);
    static_cast<void>(first.add(chrome_process(1, "first", 1)));
    first.finish(timeout);
  }
  const std::size_t events = parsed(file).size();
  const std::string whole = contents(file);
  const std::string end(chrome_end);
  const std::string open = whole.substr(0, whole.size() - end.size());
  const auto continued = [&](const std::string& left) {
    std::ofstream(file, std::ios::binary) << left;
    TraceFile next(file, TraceBegin::continued);
    static_cast<void>(next.add(chrome_process(2, "second", 1)));
    next.finish(timeout);
    return parsed(file);
  };
  CHECK(continued(whole).size() == events + 2);
  CHECK(continued(open).size() == events + 2);
  CHECK(continued(open + ",\n{\"name\":\"to").size() == events + 2);  // torn
  CHECK(continued(open.substr(0, open.size() - 3)).size() == events + 1);
  CHECK(continued("").size() == events);  // a begin, and the second process
  CHECK(continued("[\n{\"ph\"").size() == events);
}
