// A wall whose director is killed at every kind of change: the next one goes on with the same
// scene, and no panel shows another picture than without the death.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int death_frames = 48;

/// Kills the director. Returns whether another one was started.
bool kill_director(const fs::path& run_dir) {
  const fs::path file = run_dir / "pids/director";
  const pid_t old = pid_in(file);
  REQUIRE(old > 0);
  ::kill(old, SIGKILL);
  return eventually([&] {
    const pid_t now = pid_in(file);
    return now > 0 && now != old && is_alive(now);
  });
}

Json status_of(WallClient& client) { return client.ask({{"type", "status"}}); }

/// The newest scene of the journal's file, which follows the show at a short distance.
Json newest_scene(const fs::path& run_dir) {
  std::ifstream stream(run_dir / "journal.jsonl");
  Json scene;
  for (std::string line; std::getline(stream, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.at("kind") == "scene") scene = entry.at("data").at("scene");
  }
  return scene.is_object() ? scene : Json{{"version", 0}};
}

/// Whether the show's panels show further frames.
bool goes_on(const ControlledShow& show) {
  WallClient client(show.run_dir());
  const auto shown = [&] { return status_of(client).at("frames_shown").get<std::int64_t>(); };
  const std::int64_t before = shown();
  return eventually([&] { return shown() > before + 5; });
}

std::int64_t spans_named(const fs::path& trace, const std::string& name) {
  std::ifstream stream(trace);
  const Json events = Json::parse(stream, nullptr, false);
  REQUIRE(events.is_array());
  return std::ranges::count_if(events,
                               [&](const Json& event) { return event.value("name", "") == name; });
}

/// How often a director came back. No panel may have died; on a busy machine the clock daemon may.
std::size_t director_restarts(const Json& report) {
  std::size_t directors = 0;
  for (const Json& restart : report.at("restarts")) {
    CHECK(restart.at("role") != "panel");
    CHECK(restart.at("back_s").is_number());
    directors += restart.at("role") == "director";
  }
  return directors;
}

}  // namespace

TEST_CASE("after the director's death at any change the scene is the same, and it obeys",
          "[control]") {
  const std::string late = GENERATE("slow", "drop");
  CAPTURE(late);
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  write_numbered_movie(folder / "other", pair_canvas_px, death_frames);
  const fs::path trace = folder / "trace.json";
  ControlledShow show(folder / "movie", "two-by-one.toml",
                      {"--late", late, "--trace", trace.string()});
  const Json other = movie_source_json(folder / "other", pair_canvas_px, death_frames);
  const std::vector<Json> changes = {
      {{"type", "seek"}, {"frame", 20}},
      {{"type", "speed"}, {"speed", 2}},
      {{"type", "pause"}},
      {{"type", "play"}},
      {{"type", "view"}, {"view_px", {0, 0, 160, 48}}, {"glide_s", 0.3}},
      {{"type", "open"}, {"source", other}},
      {{"type", "blank"}, {"on", true}},
      {{"type", "blank"}, {"on", false}}};
  std::size_t deaths = 0;
  for (const Json& change : changes) {
    CAPTURE(change);
    Json answer;
    Json before;
    {
      WallClient client(show.run_dir());
      answer = client.ask(change);
      REQUIRE(answer.at("type") == "done");
      before = status_of(client);
    }
    REQUIRE(eventually(
        [&] { return newest_scene(show.run_dir()).at("version") >= answer.at("version"); }));
    const Json schedule = newest_scene(show.run_dir()).at("schedule");
    REQUIRE(kill_director(show.run_dir()));
    ++deaths;
    {
      WallClient client(show.run_dir());
      const Json after = status_of(client);
      // A glide that ends makes one more scene.
      const bool glides = change.contains("glide_s");
      CHECK(after.at("scene").at("version") >= answer.at("version"));
      if (!glides) CHECK(newest_scene(show.run_dir()).at("schedule") == schedule);
      CHECK(after.at("phase") == before.at("phase"));
      CHECK(after.at("scene").at("blank") == before.at("scene").at("blank"));
      for (const char* field : {"path", "speed", "paused", "direction", "range"})
        CHECK(after.at("scene").at("regions").at(0).at(field) ==
              before.at("scene").at("regions").at(0).at(field));
    }
    if (change.at("type") != "pause") CHECK(goes_on(show));
  }
  const Json report = show.finish();
  REQUIRE(report.contains("restarts"));
  CHECK(director_restarts(report) == deaths);
  CHECK(report.at("statistics_lost_s") == 0);
  for (const std::string& panel : pair_panels) {
    CAPTURE(panel);
    for (const auto& epoch : epochs_of(report, panel))
      for (std::size_t i = 1; i < epoch.size(); ++i) {
        CHECK(epoch[i].tick > epoch[i - 1].tick);
        if (late == "slow") CHECK(epoch[i].tick == epoch[i - 1].tick + 1);
      }
  }
  // Two movies on two panels, each once. The trace may lack what a director had not written.
  CHECK(spans_named(trace, "open source") <= 4);
}

TEST_CASE("what panels show across the director's death is what they show without it",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(goes_on(show));
  for (int death = 0; death < 3; ++death) {
    REQUIRE(kill_director(show.run_dir()));
    REQUIRE(goes_on(show));
  }
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    CAPTURE(panel);
    const auto epochs = epochs_of(report, panel);
    REQUIRE(epochs.size() == 1);
    std::int64_t tick = 0;
    for (const ShownPicture& shown : epochs[0]) {
      REQUIRE(shown.tick == tick);
      REQUIRE(shown.frame == tick % death_frames);
      REQUIRE(shown.hash == numbered_hash(shown.frame, panel));
      ++tick;
    }
    CHECK(panel_report(report, panel).at("frames_shown") == tick);
  }
}

TEST_CASE("a change after which the director dies twice is taken back, and nothing else",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(goes_on(show));
  const auto ask = [&](const Json& request) {
    WallClient client(show.run_dir());
    return client.ask(request);
  };
  REQUIRE(ask({{"type", "speed"}, {"speed", 2}}).at("type") == "done");
  Json blank;
  std::size_t deaths = 0;
  // A busy machine may take longer for two deaths than the time for which a change is to blame.
  const auto die_twice_of_it = [&] {
    const auto began = std::chrono::steady_clock::now();
    blank = ask({{"type", "blank"}, {"on", true}});
    REQUIRE(blank.at("type") == "done");
    REQUIRE(kill_director(show.run_dir()));
    REQUIRE(eventually([&] { return ask({{"type", "status"}}).at("phase") == "playing"; }));
    CHECK(ask({{"type", "status"}}).at("scene").at("blank") == true);
    REQUIRE(kill_director(show.run_dir()));
    deaths += 2;
    return std::chrono::steady_clock::now() < began + std::chrono::seconds(9);
  };
  for (int attempts = 1; !die_twice_of_it() && attempts < 5; ++attempts)
    ask({{"type", "blank"}, {"on", false}});
  const auto is_taken_back = [&] {
    const Json scene = ask({{"type", "status"}}).at("scene");
    return scene.at("blank") == false && scene.at("version") > blank.at("version");
  };
  REQUIRE(eventually(is_taken_back));
  const Json status = ask({{"type", "status"}});
  CHECK(status.at("scene").at("regions").at(0).at("speed") == 2);
  CHECK(status.at("last_note") ==
        "the director died twice within 10 s of the last change: it is "
        "taken back");
  CHECK(goes_on(show));
  const Json report = show.finish();
  CHECK(report.at("notes").dump().find("it is taken back") != std::string::npos);
  CHECK(director_restarts(report) == deaths);
  CHECK(report.at("frames_shown") > 0);
}

TEST_CASE("ctl gets its answer from the next director", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(goes_on(show));
  ::kill(pid_in(show.run_dir() / "pids/director"), SIGSTOP);  // it is killed after a second
  const ProgramResult seek = show.ctl({"seek", "7"});
  CAPTURE(seek.err);
  CHECK(seek.exit_code == 0);
  CHECK(goes_on(show));
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    const auto epochs = epochs_of(report, panel);
    REQUIRE(epochs.size() == 2);
    // On a busy machine the first frames after the seek may be left out.
    const ShownPicture& first = epochs[1].front();
    CHECK(first.frame == (7 + first.tick) % death_frames);
  }
}

TEST_CASE("events go on with the next director", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(goes_on(show));
  RunningProgram events(
      {tilewall_program, "ctl", "events", "--json", "--run-dir", show.run_dir().string()});
  // Nobody tells when the program has subscribed, so there are scenes enough before and after.
  const auto make_scenes = [&] {
    WallClient client(show.run_dir());
    Json version;
    for (int i = 0; i < 20; ++i) {
      version = client.ask({{"type", "seek"}, {"frame", i}}).at("version");
      REQUIRE(goes_on(show));
    }
    return version.get<std::int64_t>();
  };
  const std::int64_t last_before = make_scenes();
  REQUIRE(kill_director(show.run_dir()));
  make_scenes();
  static_cast<void>(show.finish());
  const ProgramResult result = events.wait(std::chrono::seconds(10));
  CHECK(result.exit_code == 0);
  int before = 0;
  int after = 0;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object() || event.value("event", "") != "scene") continue;
    ++(event.at("version").get<std::int64_t>() <= last_before ? before : after);
  }
  CHECK(before > 0);
  CHECK(after > 0);
}

TEST_CASE("a director that dies before the panels are ready is started again, and tells all notes",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  const fs::path run_dir = folder / "run";
  std::ofstream(folder / "list.txt") << "movie\ngone.mp4\n";
  RunningProgram program(
      play_words(folder / "list.txt", "two-by-one.toml",
                 {"--headless", "--frames", "30", "--skip-missing", "--run-dir", run_dir.string(),
                  "--report", (folder / "report.json").string()}));
  const fs::path file = run_dir / "pids/director";
  REQUIRE(eventually([&] { return pid_in(file) > 0; }));
  ::kill(pid_in(file), SIGKILL);
  const Show show = end_of(program, folder / "report.json");
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == 30);
  CHECK(show.report.at("notes").dump().find("gone.mp4") != std::string::npos);
}

TEST_CASE("a show whose director dies while it ends has ended", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  const fs::path run_dir = folder / "run";
  RunningProgram program(play_words(folder / "movie", "two-by-one.toml",
                                    {"--headless", "--loop", "--run-dir", run_dir.string(),
                                     "--report", (folder / "report.json").string()}));
  WallClient client(run_dir);
  REQUIRE(eventually([&] { return status_of(client).at("frames_shown") > 24; }));
  const pid_t panel = pid_in(run_dir / "pids/panel-0");
  REQUIRE(panel > 0);
  ::kill(panel, SIGSTOP);  // the director waits for its last report
  client.ask({{"type", "quit"}});
  REQUIRE(kill_director(run_dir));
  ::kill(panel, SIGCONT);
  const Show show = end_of(program, folder / "report.json");
  CAPTURE(show.program.err, show.report);
  CHECK(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") > 0);  // those of the last second may be lost
  CHECK_FALSE(show.report.contains("error"));
  REQUIRE(show.report.at("restarts").size() == 1);
  CHECK(show.report.at("restarts").at(0).at("back_s").is_number());
}

TEST_CASE("a stopped director is replaced, and the show ends as usual", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  REQUIRE(goes_on(show));
  const fs::path file = show.run_dir() / "pids/director";
  const pid_t stopped = pid_in(file);
  ::kill(stopped, SIGSTOP);
  REQUIRE(eventually([&] { return pid_in(file) != stopped && is_alive(pid_in(file)); }));
  CHECK(goes_on(show));
  const Json report = show.finish();
  CHECK(report.at("restarts").at(0).at("role") == "director");
}

TEST_CASE("a show whose supervisor was killed is resumed where it was", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  const fs::path run_dir = folder / "run";
  const fs::path report_file = folder / "report.json";
  pid_t supervisor = 0;
  {
    RunningProgram first(play_words(folder / "movie", "two-by-one.toml",
                                    {"--headless", "--loop", "--run-dir", run_dir.string()}));
    {
      WallClient client(run_dir);
      REQUIRE(eventually([&] { return status_of(client).at("frames_shown") > 5; }));
      REQUIRE(client.ask({{"type", "seek"}, {"frame", 17}}).at("type") == "done");
      const Json paused = client.ask({{"type", "pause"}});
      REQUIRE(paused.at("type") == "done");
      REQUIRE(
          eventually([&] { return newest_scene(run_dir).at("version") >= paused.at("version"); }));
    }
    supervisor = pid_in(run_dir / "pids/supervisor");
    const std::vector<pid_t> others = processes_with(run_dir.string());
    ::kill(supervisor, SIGKILL);
    static_cast<void>(first.wait(std::chrono::seconds(10)));
    CHECK(others.size() > 4);
    CHECK(eventually([&] { return std::ranges::none_of(others, is_alive); }));
  }
  const ProgramResult refused = run_program(play_words(
      folder / "movie", "two-by-one.toml", {"--headless", "--run-dir", run_dir.string()}));
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--resume") != std::string::npos);
  const Json resumed = newest_scene(run_dir);
  RunningProgram second(
      {tilewall_program, "play", "--resume", run_dir.string(), "--report", report_file.string()});
  REQUIRE(eventually([&] {
    const pid_t now = pid_in(run_dir / "pids/supervisor");
    return now > 0 && now != supervisor;
  }));
  std::int64_t frame = -1;
  {
    WallClient client(run_dir);
    const bool is_paused = eventually([&] { return status_of(client).at("phase") == "paused"; });
    CAPTURE(resumed.dump());
    REQUIRE(is_paused);
    const Json regions = status_of(client).at("scene").at("regions");
    CHECK(regions.at(0).at("loop") == "loop");
    frame = regions.at(0).at("frame");
    client.ask({{"type", "quit"}});
  }
  const Show show = end_of(second, report_file);
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  // The pause came at the sought frame or some frames later.
  CHECK(frame >= 17);
  CHECK(frame < 17 + 24);
  CHECK_FALSE(fs::exists(run_dir));
}

TEST_CASE("the pictures of a snapshot survive the director", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, death_frames);
  const fs::path file = folder / "wall.png";
  ControlledShow show(folder / "movie", "two-by-one.toml",
                      {"--late", "drop", "--fps", "3", "--snapshot", "30:" + file.string()});
  const fs::path pid_file = show.run_dir() / "pids/director";
  pid_t old = 0;
  {
    WallClient client(show.run_dir());
    REQUIRE(eventually([&] { return status_of(client).at("frames_shown") > 3; }));
    REQUIRE(client.ask({{"type", "seek"}, {"frame", 29}}).at("type") == "done");
    // The panels show the frame within 0.4 s, and their pictures reach a director that has stopped.
    old = pid_in(pid_file);
    REQUIRE(::kill(old, SIGSTOP) == 0);
  }
  REQUIRE(eventually([&] {
    const pid_t now = pid_in(pid_file);
    return now > 0 && now != old && is_alive(now);
  }));
  CHECK(eventually([&] { return fs::exists(file); }));
  const Json report = show.finish();
  CHECK_FALSE(report.contains("error"));
  REQUIRE(fs::exists(file));
  const TestPicture shown = read_png(file);
  CHECK(hash_of(shown) == hash_of(numbered_picture(pair_canvas_px, 30)));
}
