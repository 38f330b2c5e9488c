// Movies from a server: the wall shows the same pictures as from its own disk, over any path.

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/integration/sound_recording.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/serve_program.hpp"
#include "tests/support/show.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr SizePx canvas_px = pair_canvas_px;
constexpr int frames = 48;

/// Plays it once, headless; what each panel showed, by frame.
Json played(const std::string& input, const Words& more = {}) {
  const TemporaryFolder folder;
  Words words = play_words(input, "two-by-one.toml",
                           {"--headless", "--hashes", "--late", "slow", "--report",
                            (folder / "report").string(), "--run-dir", (folder / "run").string()});
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = run_program(words);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return read_report(folder / "report");
}

void check_pictures(const Json& report) {
  REQUIRE(report.at("frames_shown") == frames);
  for (const std::string& panel : pair_panels) {
    const Json part = panel_report(report, panel);
    CHECK(part.at("received_bytes") > 0);
    CHECK(part.at("damaged_frames") == 0);
    CHECK(part.at("stage_budget_bytes") == 64 << 20);
    CHECK(part.at("staged_bytes").at("peak") > 0);
    REQUIRE(part.at("frames").size() == frames);
    for (const Json& shown : part.at("frames"))
      CHECK(shown.at("hash") == numbered_hash(shown.at("frame"), panel));
  }
}

}  // namespace

TEST_CASE("a wall shows a server's movie as its own, by either transport", "[remote]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "deep" / "numbers", canvas_px, frames);
  const ServeProgram server(folder / "movies");
  for (const std::string transport : {"udp", "tcp", "tcp&streams=4&interfaces=lo@10,127.0.0.9@5"}) {
    CAPTURE(transport);
    const Json report = played(url_of(server.port(), "deep/numbers?transport=" + transport));
    check_pictures(report);
    for (const std::string& panel : pair_panels)
      CHECK((panel_report(report, panel).at("window_bytes") > 0) == (transport != "udp"));
  }
}

TEST_CASE("loss on the way changes no picture", "[remote]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "numbers", canvas_px, frames);
  const ServeProgram server(folder / "movies");
  PathShape shape;
  shape.delay = std::chrono::milliseconds(5);
  shape.loss = 0.05;
  shape.reorder = 0.02;
  const PathRelay relay(server.port(), shape, shape);
  const Json report = played(url_of(relay.port(), "numbers"));
  check_pictures(report);
  CHECK(panel_report(report, "c0r0").at("lost_packets").get<int>() +
            panel_report(report, "c1r0").at("lost_packets").get<int>() >
        0);
}

TEST_CASE("a server's movie is heard in step with its pictures", "[remote][sound]") {
  const TemporaryFolder folder;
  const std::string clicks = make_clicking_movie(folder.path()).string();
  REQUIRE(
      run_program({tilewall_program, "import", clicks, "-o", (folder / "movies/clicks").string()})
          .exit_code == 0);
  const ServeProgram server(folder / "movies");
  const HeardShow heard =
      hear(url_of(server.port(), "clicks"), 200, 1, {"--loop", "--frames", "100"});
  CAPTURE(heard.program.err, heard.clicks_s);
  CHECK(heard.program.exit_code == 0);
  CHECK(worst_ms(heard, click_times_s.size() + 2, 1) < 20);
  CHECK(heard.report.at("audio").at("state") == "played");
}

TEST_CASE("a movie that is still being written plays as it grows, to its end", "[remote]") {
  const TemporaryFolder folder;
  const auto movie = folder / "movies" / "numbers";
  constexpr int first = 12;
  write_numbered_frames(movie, canvas_px, 0, first, false);
  const ServeProgram server(folder / "movies");
  const std::jthread writer([&] {
    for (int frame = first; frame < frames; frame += 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      write_numbered_frames(movie, canvas_px, frame, frame + 4, frame + 4 == frames);
    }
  });
  check_pictures(played(url_of(server.port(), "numbers")));
}

TEST_CASE("a wall goes on from the next server when one is killed", "[remote]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "numbers", canvas_px, frames);
  ServeProgram first(folder / "movies");
  const ServeProgram second(folder / "movies");
  const std::string url = "tilewall://127.0.0.1:" + std::to_string(first.port()) +
                          ",127.0.0.1:" + std::to_string(second.port()) + "/numbers";
  ControlledShow show(url, "two-by-one.toml", {"--stage", "8"});
  WallClient client(show.run_dir());
  CHECK(eventually([&] {
    const Json panel = client.ask({{"type", "status"}}).at("per_panel").at(0);
    return panel.at("staged_bytes") > 0 && panel.at("stage_budget_bytes") == 8 << 20;
  }));
  CHECK(show.ctl({"status", "--verbose"}).out.find("staged MiB") != std::string::npos);
  REQUIRE(client.ask({{"type", "pause"}}).at("type") == "done");
  first.program().send_signal(SIGKILL);
  const Json answer = client.ask({{"type", "seek"}, {"frame", 31}});
  REQUIRE(answer.at("type") == "done");
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    const auto epochs = epochs_of(report, panel);
    REQUIRE_FALSE(epochs.empty());
    CHECK(epochs.back().back().hash == numbered_hash(31, panel));
  }
}

TEST_CASE("beyond loopback a server wants the wall's key, and play has it", "[remote]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "numbers", canvas_px, frames);
  write_private_file(folder / "key", "sixteen bytes or more");
  const std::string key = (folder / "key").string();
  const ProgramResult open = run_program(
      {tilewall_program, "serve", (folder / "movies").string(), "--listen", "0.0.0.0:0"});
  CHECK(open.exit_code == 2);
  CHECK(open.err.find("tilewall key new FILE") != std::string::npos);
  const ServeProgram server(folder / "movies", {"--key-file", key});
  check_pictures(played(url_of(server.port(), "numbers"), {"--key-file", key}));
  check_pictures(played(url_of(server.port(), "numbers?encrypt=yes"), {"--key-file", key}));
  const ProgramResult refused =
      run_program(play_words(url_of(server.port(), "numbers"), "two-by-one.toml", {"--headless"}));
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--key-file") != std::string::npos);
}

TEST_CASE("a server tells what it has, and refuses what it has not", "[remote]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "numbers", canvas_px, frames);
  write_numbered_movie(folder / "outside", canvas_px, frames);
  std::filesystem::create_directory_symlink(folder / "outside", folder / "movies" / "link");
  const ServeProgram server(folder / "movies");
  const ProgramResult list =
      run_program({tilewall_program, "info", url_of(server.port(), ""), "--json"});
  REQUIRE(list.exit_code == 0);
  const Json movies = Json::parse(list.out).at("movies");
  REQUIRE(movies.size() == 1);
  CHECK(movies[0].at("name") == "numbers");
  for (const std::string name :
       {"nothing", "../outside", "link", "numbers/../../outside", "/etc"}) {
    CAPTURE(name);
    const ProgramResult refused =
        run_program(play_words(url_of(server.port(), name), "two-by-one.toml", {"--headless"}));
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("expected a movie or volume of this server") != std::string::npos);
  }
}
