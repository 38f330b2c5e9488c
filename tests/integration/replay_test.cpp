// The log of a presentation on a real wall, and its replays: the same commands at the same instants
// after the start, and the same pictures at the same ticks.
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>

#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {
namespace replay_test {

const char* const show_text = R"([show]
name = "Three"

[[cue]]
name = "one"
input = "a"
loop = "forever"

[[cue]]
name = "two"
input = "b"
start = 40
loop = "forever"
transition = "fade 0.4"

[[cue]]
name = "three"
place = [0, 0, 0.5, 1]
  [[cue.region]]
  name = "side"
  input = "c"
  loop = "forever"
  place = [0.5, 0, 0.5, 1]

[[cue]]
name = "four"
input = "a"
start = 20
loop = "forever"
)";

/// A folder with the show and its movies.
struct ShowFolder {
  ShowFolder() {
    for (const char* const movie : {"a", "b", "c"})
      write_numbered_movie(folder / movie, pair_canvas_px, 96);
    std::ofstream(folder / "show.toml") << show_text;
  }
  [[nodiscard]] Words present(const std::string& name, const Words& more) const {
    Words words = {tilewall_program, "present",
                   "--headless",     "--hashes",
                   "--run-dir",      (folder / (name + ".run")).string(),
                   "--report",       (folder / (name + ".json")).string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] fs::path run_dir(const std::string& name) const { return folder / (name + ".run"); }
  [[nodiscard]] fs::path log(const std::string& name) const {
    return folder / (name + ".log.jsonl");
  }
  [[nodiscard]] Json report(const std::string& name) const {
    return read_report(folder / (name + ".json"));
  }

  TemporaryFolder folder;
};

std::vector<Json> lines_of(const fs::path& log) {
  std::vector<Json> lines;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::int64_t start_of(const std::vector<Json>& lines) {
  for (const Json& line : lines)
    if (line.value("event", "") == "start") return line.at("at_ns");
  return 0;
}

/// What the commands of a log did, and when after the start: "1234567890 two", "1234 seek".
std::vector<std::string> effects_of(const fs::path& log) {
  const std::vector<Json> lines = lines_of(log);
  std::vector<std::string> effects;
  for (const Json& line : lines) {
    if (!line.contains("effect_ns")) continue;
    const std::int64_t effect_ns = line.at("effect_ns").get<std::int64_t>() - start_of(lines);
    const std::string what = line.at("request").at("type");
    effects.push_back(std::to_string(effect_ns) + " " + line.value("cue", what));
  }
  return effects;
}

/// The hashes that a panel showed, by when their ticks were due after the start.
std::map<std::int64_t, std::string> pictures_of(const Json& report, const std::string& panel) {
  std::map<std::int64_t, std::string> pictures;
  const Json part = panel_report(report, panel);
  for (const Json& shown : part.at("frames"))
    pictures[shown.at("due_ns").get<std::int64_t>() - report.at("start_ns").get<std::int64_t>()] =
        shown.at("hash");
  return pictures;
}

void check_same_pictures(const Json& one, const Json& other) {
  for (const std::string& panel : pair_panels) {
    CAPTURE(panel);
    const auto pictures = pictures_of(one, panel);
    std::size_t both = 0;
    std::vector<std::int64_t> differ;
    for (const auto& [due_ns, hash] : pictures_of(other, panel)) {
      const auto found = pictures.find(due_ns);
      if (found == pictures.end()) continue;
      ++both;
      if (found->second != hash) differ.push_back(due_ns);
    }
    // A change that comes late to a panel of a busy machine leaves the scene before on it for a
    // tick or two, and each of these ticks counts as a late frame.
    const auto late = [&](const Json& report) {
      return panel_report(report, panel).at("frames_late").get<std::size_t>();
    };
    CAPTURE(differ);
    CHECK(differ.size() <= late(one) + late(other));
    CHECK(both >= 20);
  }
}

/// Drives a presentation through cues and changes, and ends it.
void operate(const fs::path& run_dir) {
  WallClient client(run_dir);
  const auto ask = [&](const Json& request) {
    const Json answer = client.ask(request);
    CAPTURE(request.dump(), answer.dump());
    CHECK(answer.at("type") == "done");
  };
  const auto pause = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  REQUIRE(eventually([&] {
    const Json status = client.ask({{"type", "status"}});
    return status.at("presentation").at("armed").at("state") == "armed";
  }));
  ask({{"type", "next"}, {"once", "first"}});
  pause(600);
  ask({{"type", "seek"}, {"frame", 12}});
  pause(200);
  ask({{"type", "freeze"}});
  pause(300);
  ask({{"type", "freeze"}});
  pause(200);
  ask({{"type", "region"}, {"canvas_px", {20, 8, 240, 80}}});
  pause(200);
  ask({{"type", "next"}});
  pause(250);
  ask({{"type", "key"}, {"key", "faster"}});
  ask({{"type", "pause"}, {"region", "side"}});
  pause(200);
  ask({{"type", "panic"}});
  pause(100);
  ask({{"type", "resume"}});
  pause(150);
  CHECK(client.ask({{"type", "goto"}, {"name", "nowhere"}}).at("type") == "refused");
  ask({{"type", "goto"}, {"name", "four"}});
  pause(200);
  ask({{"type", "previous"}});
  pause(250);
  ask({{"type", "quit"}});
}

}  // namespace replay_test
}  // namespace

using namespace replay_test;

TEST_CASE("replays run the recorded commands at their instants, with the same pictures",
          "[present][replay]") {
  const ShowFolder show;
  {
    RunningProgram program(show.present("recorded", {(show.folder / "show.toml").string(), "--wall",
                                                     test_wall("two-by-one.toml")}));
    operate(show.run_dir("recorded"));
    CHECK(program.wait(std::chrono::seconds(20)).exit_code == 0);
  }
  {
    const Words again = {"--replay", show.log("recorded").string()};
    RunningProgram first(show.present("first", again));
    RunningProgram second(show.present("second", again));
    CHECK(first.wait(std::chrono::seconds(40)).exit_code == 0);
    CHECK(second.wait(std::chrono::seconds(40)).exit_code == 0);
  }
  const std::vector<std::string> effects = effects_of(show.log("recorded"));
  CHECK(effects.size() == 12);
  CHECK(effects_of(show.log("first")) == effects);
  CHECK(effects_of(show.log("second")) == effects);
  check_same_pictures(show.report("first"), show.report("second"));
  check_same_pictures(show.report("recorded"), show.report("first"));
  CHECK(show.report("recorded").at("restarts").empty());
  // The log has who asked for what, and what became of it.
  const std::vector<Json> lines = lines_of(show.log("recorded"));
  CHECK(lines.front().at("show") == (show.folder / "show.toml").string());
  const auto has = [&](const Json& fields) {
    return std::ranges::any_of(lines, [&](Json line) {
      const Json before = line;
      line.update(fields);
      return line == before;
    });
  };
  CHECK(has({{"event", "command"}, {"once", "first"}, {"who", "operator"}, {"cue", "two"}}));
  CHECK(has({{"event", "command"}, {"outcome", "refused"}}));
  CHECK(has({{"event", "command"}, {"request", {{"type", "quit"}}}}));
  CHECK(has({{"event", "cue"}, {"name", "four"}}));
  CHECK(has({{"event", "armed"}, {"cue", "two"}}));
  CHECK(lines.back().at("event") == "end");
}

TEST_CASE("the log goes on after the director's death, and so does a replay", "[present][replay]") {
  const ShowFolder show;
  const auto kill_director = [&](const std::string& name) {
    const fs::path file = show.run_dir(name) / "pids/director";
    const pid_t old = pid_in(file);
    ::kill(old, SIGKILL);
    REQUIRE(eventually([&] {
      const pid_t now = pid_in(file);
      return now > 0 && now != old && is_alive(now);
    }));
  };
  {
    RunningProgram program(
        show.present("recorded", {(show.folder / "show.toml").string(), "--wall",
                                  test_wall("two-by-one.toml"), "--unarmed", "now"}));
    CHECK(WallClient(show.run_dir("recorded")).ask({{"type", "goto"}, {"name", "two"}}).at("cue") ==
          "two");
    kill_director("recorded");
    WallClient client(show.run_dir("recorded"));
    CHECK(client.ask({{"type", "goto"}, {"name", "four"}}).at("cue") == "four");
    client.ask({{"type", "quit"}});
    CHECK(program.wait(std::chrono::seconds(20)).exit_code == 0);
  }
  const std::vector<std::string> effects = effects_of(show.log("recorded"));
  CHECK(effects.size() == 2);
  const std::vector<Json> lines = lines_of(show.log("recorded"));
  CHECK(std::ranges::any_of(lines, [](const Json& line) {
    return line.value("event", "") == "restart" && line.at("role") == "director";
  }));
  RunningProgram replay(show.present("replay", {"--replay", show.log("recorded").string()}));
  REQUIRE(eventually([&] { return effects_of(show.log("replay")).size() == 1; }));
  kill_director("replay");
  CHECK(replay.wait(std::chrono::seconds(20)).exit_code == 0);
  CHECK(effects_of(show.log("replay")) == effects);
}
