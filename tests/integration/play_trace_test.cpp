// `tilewall play --trace`: one file with all processes and stages, as viewers take it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr SizePx wall_px = {320, 192};
constexpr int movie_frames = 12;
const std::vector<std::string> panels = {"c0r0", "c1r0", "c0r1", "c1r1"};

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A trace as a viewer sees it.
class Trace {
 public:
  explicit Trace(const Json& json) {
    for (const Json& event : json) take(event);
  }

  /// Whether a process whose name begins so has an event of that name.
  [[nodiscard]] bool has(const std::string& process, const std::string& event) const {
    return std::any_of(events_.begin(), events_.end(), [&](const auto& entry) {
      return entry.first.starts_with(process) && entry.second.contains(event);
    });
  }

  /// Names of processes that begin so.
  [[nodiscard]] std::ptrdiff_t processes(const std::string& begin) const {
    const auto count = std::count_if(processes_.begin(), processes_.end(), [&](const auto& entry) {
      return entry.second.starts_with(begin);
    });
    return count;
  }

  [[nodiscard]] bool has_track(const std::string& name) const { return tracks_.contains(name); }

  /// Whether the spans of every thread lie beside or within each other, as viewers ask for.
  [[nodiscard]] bool nested() const {
    for (auto [thread, spans] : spans_) {
      std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return a.begin_us != b.begin_us ? a.begin_us < b.begin_us : a.end_us > b.end_us;
      });
      std::vector<double> open_until;
      for (const Span& span : spans) {
        while (!open_until.empty() && open_until.back() <= span.begin_us + rounding_us)
          open_until.pop_back();
        if (!open_until.empty() && span.end_us > open_until.back() + rounding_us) return false;
        open_until.push_back(span.end_us);
      }
    }
    return true;
  }

  /// By tick: the ends of its swaps, microseconds of global time.
  [[nodiscard]] const std::map<std::int64_t, std::vector<double>>& swaps() const { return swaps_; }

 private:
  struct Span {
    double begin_us = 0;
    double end_us = 0;
  };
  static constexpr double rounding_us = 0.02;  // of such large numbers as double

  void take(const Json& event) {
    for (const char* key : {"ph", "ts", "pid", "tid", "name", "args"}) REQUIRE(event.contains(key));
    const auto kind = event.at("ph").get<std::string>();
    const int pid = event.at("pid").get<int>();
    const auto name = event.at("name").get<std::string>();
    if (kind == "M") return take_name(pid, name, event);
    REQUIRE((kind == "X" || kind == "i" || kind == "C"));
    REQUIRE(named_threads_.contains(event.at("tid").get<int>()));
    events_[processes_.at(pid)].insert(name);
    if (kind != "X") return;
    const auto duration_us = event.at("dur").get<double>();
    REQUIRE(duration_us >= 0);
    spans_[event.at("tid").get<int>()].push_back(
        {event.at("ts").get<double>(), event.at("ts").get<double>() + duration_us});
    if (name == "swap")
      swaps_[event.at("args").at("tick").get<std::int64_t>()].push_back(
          event.at("ts").get<double>() + duration_us);
  }

  void take_name(int pid, const std::string& what, const Json& event) {
    if (what == "process_name") processes_[pid] = event.at("args").at("name").get<std::string>();
    if (what != "thread_name") return;
    named_threads_.insert(event.at("tid").get<int>());
    tracks_.insert(event.at("args").at("name").get<std::string>());
  }

  std::map<int, std::string> processes_;
  std::set<int> named_threads_;
  std::set<std::string> tracks_;
  std::map<std::string, std::set<std::string>> events_;  // names, by process
  std::map<int, std::vector<Span>> spans_;               // by thread
  std::map<std::int64_t, std::vector<double>> swaps_;
};

double largest_skew_us(const Trace& trace, std::size_t panel_count) {
  double largest = 0;
  for (const auto& [tick, ends] : trace.swaps()) {
    if (ends.size() != panel_count) continue;
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    largest = std::max(largest, *last - *first);
  }
  return largest;
}

}  // namespace

TEST_CASE("a trace holds every process and stage of a show on one global axis", "[play][trace]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  fs::resize_file(folder / "movie/frame-000005.tif", 1000);
  const fs::path file = folder / "trace.json";
  const Show show = play_show(folder / "movie", "two-by-two.toml",
                              {"--fps", "60", "--frames", "60", "--loop", "--view", "5,5,200,150",
                               "--trace", file.string()});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const Json json = Json::parse(contents(file));
  const Trace trace(json);
  for (const std::string& panel : panels) {
    CAPTURE(panel);
    for (const char* stage :
         {"start: clock", "start: presenter", "open source", "wait for buffer", "picture", "read",
          "decode", "scale", "hash", "prepare", "wait for instant", "swap", "lateness us",
          "pictures ready", "scene change", "damaged frame"}) {
      CAPTURE(stage);
      CHECK(trace.has("panel " + panel, stage));
    }
    CHECK(trace.has("keeper " + panel, "start child"));
    CHECK(trace.has_track(panel + " present"));
    CHECK(trace.has_track(panel + " decode"));
    CHECK(trace.has_track(panel + " decode read"));
  }
  CHECK(trace.has("supervisor", "start panels"));
  CHECK(trace.has("clockd", "exchange"));
  CHECK(trace.has("director", "start sent"));
  CHECK(trace.has("host", "clock bound us"));
  CHECK(trace.nested());
  CHECK(trace.swaps().size() == 60);
  for (const auto& [tick, ends] : trace.swaps()) CHECK(ends.size() == panels.size());
  // The report has the same stamps by another way.
  const double skew_us = show.report.at("skew_us").at("max").get<double>();
  CHECK(largest_skew_us(trace, panels.size()) == Approx(skew_us).margin(50));
  CHECK(show.report.at("trace").at("events_dropped") == 0);
  CHECK(show.report.at("trace").at("written_bytes") == fs::file_size(file));
}

TEST_CASE("a trace holds the decoder that panels share", "[play][trace]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.frames = 24;
  make_counting_movie(folder / "movie.mp4", options);
  const fs::path file = folder / "trace.json";
  const Show show = play_show(folder / "movie.mp4", "two-by-two.toml", {"--trace", file.string()});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const Trace trace(Json::parse(contents(file)));
  CHECK(trace.processes("decoder") == 1);
  CHECK(trace.has("decoder", "decode"));
  CHECK(trace.has("decoder", "store"));
  CHECK(trace.has("host", "decoder started"));
  for (const std::string& panel : panels) CHECK(trace.has("panel " + panel, "wait for decoder"));
  CHECK(trace.nested());
}

TEST_CASE("a trace shows a panel that died and came back", "[play][trace]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const fs::path file = folder / "trace.json";
  RunningProgram program(play_words(folder / "movie", "two-by-two.toml",
                                    {"--headless", "--fps", "60", "--loop", "--run-dir",
                                     (folder / "run").string(), "--trace", file.string()}));
  const auto holds = [&](const std::string& text) {
    return contents(file).find(text) != std::string::npos;
  };
  REQUIRE(eventually([&] { return holds("c1r0 present") && holds("\"swap\""); }));
  ::kill(pid_in(folder / "run/pids/panel-1"), SIGKILL);
  CHECK(eventually([&] { return holds("\"panel back\"") && holds("\"child ended\""); }));
  program.send_signal(SIGINT);
  const ProgramResult result = program.wait(std::chrono::seconds(20));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const Trace trace(Json::parse(contents(file)));
  CHECK(trace.processes("panel c1r0") >= 2);  // more where this machine starts one too slowly
  CHECK(trace.has("director", "panel lost"));
  CHECK(trace.has("director", "panel back"));
  CHECK(trace.has("keeper c1r0", "child ended"));
}

TEST_CASE("a show that is killed leaves a trace that opens", "[play][trace]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const fs::path file = folder / "trace.json";
  RunningProgram program(play_words(folder / "movie", "two-by-two.toml",
                                    {"--headless", "--fps", "60", "--loop", "--run-dir",
                                     (folder / "run").string(), "--trace", file.string()}));
  REQUIRE(eventually([&] { return contents(file).find("\"swap\"") != std::string::npos; }));
  program.send_signal(SIGKILL);
  static_cast<void>(program.wait(std::chrono::seconds(20)));
  REQUIRE(eventually([&] { return processes_with((folder / "run").string()).empty(); }));
  std::string text = contents(file);
  text.resize(text.rfind(",\n"));  // what viewers do: the last event may be half
  const Trace trace(Json::parse(text + "]"));
  CHECK(trace.has("panel", "swap"));
}

TEST_CASE("a full disk costs the trace, not the show, and the report says so", "[play][trace]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const Show show = play_show(folder / "movie", "two-by-two.toml", {"--trace", "/dev/full"});
  const std::string note = "/dev/full: the trace ends after 0 bytes: No space left on device";
  CHECK(show.program.exit_code == 0);
  CHECK(show.program.err == "tilewall: " + note + "\n");
  CHECK(show.report.at("frames_shown") == movie_frames);
  CHECK(show.report.at("notes") == Json::array({note}));
}
