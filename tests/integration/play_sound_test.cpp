// The sound of a movie on a wall: with its pictures, and what becomes of it in trouble.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/integration/sound_recording.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool notes_contain(const Json& report, const std::string& text) {
  const Json notes = report.value("notes", Json::array());
  return std::any_of(notes.begin(), notes.end(), [&](const Json& note) {
    return note.get<std::string>().find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("sound is heard with its pictures, on a device that drifts, through a loop's seam",
          "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const HeardShow heard = hear(movie, 200, 1, {"--loop", "--frames", "100"});
  CAPTURE(heard.program.err, heard.clicks_s);
  CHECK(heard.program.exit_code == 0);
  CHECK(worst_ms(heard, click_times_s.size() + 2, 1) < 20);
  const Json audio = heard.report.at("audio");
  CHECK(audio.at("state") == "played");
  CHECK(audio.at("device") == "disk");
  CHECK(audio.at("played_s").get<double>() > 4);
  CHECK(audio.at("offset_ms").at("max").get<double>() < 20);
  CHECK(audio.at("resample_ppm").get<double>() < 5000);
}

TEST_CASE("sound keeps to its pictures at another speed, and louder or softer", "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path(), "aac");
  const HeardShow heard = hear(movie, -200, 2, {"--speed", "2", "--volume", "50"});
  CAPTURE(heard.program.err, heard.clicks_s);
  CHECK(heard.program.exit_code == 0);
  CHECK(worst_ms(heard, click_times_s.size(), 2) < 20);
  CHECK(heard.loudest == Approx(0.4).margin(0.1));
}

TEST_CASE("ten minutes of sound on a device that drifts", "[.][long]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const double ppm = GENERATE(200.0, -200.0);
  const HeardShow heard =
      hear(movie, ppm, 1, {"--loop", "--frames", "14400"}, std::chrono::seconds(700));
  CHECK(heard.program.exit_code == 0);
  const double worst = worst_ms(heard, 200 * click_times_s.size(), 1);
  WARN("at " << ppm << " ppm the farthest of " << heard.clicks_s.size() << " clicks was " << worst
             << " ms off; " << heard.report.at("audio"));
  CHECK(worst < 20);
}

TEST_CASE("without a sound device a show is silent and says so", "[play][sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const fs::path report_file = folder / "report.json";
  ProgramOptions options;
  options.environment = {{"SDL_AUDIODRIVER", "nonsense"}};
  const ProgramResult result =
      run_program(play_words(movie, "two-by-one.toml",
                             {"--headless", "--frames", "12", "--report", report_file.string()}),
                  std::chrono::seconds(60), options);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const Json report = read_report(report_file);
  CHECK(report.at("audio").at("state") == "no device");
  CHECK(report.at("audio").at("device") == nullptr);
  CHECK(notes_contain(report, "no sound device: "));
  CHECK(report.at("frames_shown") == 12);
}

TEST_CASE("shows without sound start no process for it", "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const Show off = play_show(movie, "two-by-one.toml", {"--frames", "6", "--no-audio"});
  CHECK(off.program.exit_code == 0);
  CHECK(off.report.at("audio").at("state") == "off");
  const Show pattern = play_show("pattern:count", "two-by-one.toml", {"--frames", "6"});
  CHECK(pattern.report.at("audio").at("state") == "no sound");
  CHECK_FALSE(pattern.report.contains("notes"));
}

TEST_CASE("a sound process that is killed comes back, and no frame is late for it",
          "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const fs::path run_dir = folder / "run";
  const fs::path report_file = folder / "report.json";
  ProgramOptions options;
  options.environment = {{"SDL_AUDIODRIVER", "disk"},
                         {"SDL_DISKAUDIOFILE", (folder / "sound.raw").string()}};
  RunningProgram show(play_words(movie, "two-by-one.toml",
                                 {"--headless", "--frames", "48", "--run-dir", run_dir.string(),
                                  "--report", report_file.string()}),
                      options);
  const fs::path pid_file = run_dir / "pids" / "sound";
  REQUIRE(eventually([&] {
    std::error_code error;
    return fs::exists(folder / "sound.raw", error) && fs::file_size(folder / "sound.raw") > 200'000;
  }));
  const pid_t first = pid_in(pid_file);
  ::kill(first, SIGKILL);
  CHECK(eventually([&] { return pid_in(pid_file) != first && is_alive(pid_in(pid_file)); }));
  const ProgramResult result = show.wait(std::chrono::seconds(60));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const Json report = read_report(report_file);
  const Json restart = report.at("restarts").at(0);
  CHECK(restart.at("role") == "sound");
  CHECK(restart.at("back_s").is_number());
  CHECK(report.at("audio").at("state") == "played");
  CHECK(report.at("frames_shown") == report.at("frames_scheduled"));
}

TEST_CASE("a movie whose sound is damaged plays on, with a note", "[play][sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path(), "aac");
  std::string bytes = contents(movie);
  // Media data comes first in these files; samples of sound lie between those of pictures.
  for (std::size_t i = bytes.size() / 4; i < bytes.size() / 2; i += 3)
    bytes[i] = static_cast<char>(i * 151 + 7);
  std::ofstream(movie, std::ios::binary) << bytes;
  const HeardShow heard = hear(movie, 0, 1, {"--frames", "42"});
  CAPTURE(heard.program.err);
  CHECK(heard.program.exit_code == 0);
  CHECK(notes_contain(heard.report, "the sound is damaged"));
  CHECK(heard.report.at("audio").at("state") == "played");
}

TEST_CASE("a sound process that hangs holds nothing up", "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const fs::path run_dir = folder / "run";
  const fs::path report_file = folder / "report.json";
  ProgramOptions options;
  options.environment = {{"SDL_AUDIODRIVER", "disk"},
                         {"SDL_DISKAUDIOFILE", (folder / "sound.raw").string()}};
  RunningProgram show(play_words(movie, "two-by-one.toml",
                                 {"--headless", "--frames", "36", "--run-dir", run_dir.string(),
                                  "--report", report_file.string()}),
                      options);
  const fs::path pid_file = run_dir / "pids" / "sound";
  REQUIRE(eventually([&] { return fs::exists(folder / "sound.raw"); }));
  const pid_t sound = pid_in(pid_file);
  ::kill(sound, SIGSTOP);
  const ProgramResult result = show.wait(std::chrono::seconds(60));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(read_report(report_file).at("frames_shown") == 36);
  CHECK_FALSE(is_alive(sound));
}

TEST_CASE("sound that crashes its readers is left out, and nothing else",
          "[play][sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const fs::path report_file = folder / "report.json";
  ProgramOptions options;
  options.environment = {{"SDL_AUDIODRIVER", "disk"},
                         {"SDL_DISKAUDIOFILE", (folder / "sound.raw").string()},
                         {"LD_PRELOAD", preload_path(TILEWALL_CRASHING_SOUND)}};
  const ProgramResult result =
      run_program(play_words(movie, "two-by-one.toml",
                             {"--headless", "--frames", "24", "--report", report_file.string()}),
                  std::chrono::seconds(60), options);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const Json report = read_report(report_file);
  CHECK(report.at("restarts").empty());
  CHECK(report.at("audio").at("state") == "silent");
  CHECK(notes_contain(report, "no sound: " + movie.string() + ": it crashes its readers"));
  CHECK(report.at("frames_shown") == report.at("frames_scheduled"));
}

TEST_CASE("volumes and hosts that cannot be are refused", "[play][sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const auto refusal = [&](const Words& more) {
    Words words = {"--headless"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(play_words(movie, "two-by-one.toml", words));
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(refusal({"--volume", "201"}) ==
        "tilewall: --volume: expected a number in [0, 200], found \"201\"\n");
  CHECK(refusal({"--volume", "-1"}) ==
        "tilewall: --volume: expected a number in [0, 200], found \"-1\"\n");
  CHECK(refusal({"--volume", "nan"}) ==
        "tilewall: --volume: expected a number in [0, 200], found \"nan\"\n");
  CHECK(refusal({"--audio-host", "moon"}) ==
        "tilewall: --audio-host: expected a host of the wall file that drives panels, found "
        "\"moon\"\n");
}
