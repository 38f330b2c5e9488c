// The sound of a movie while an operator seeks, pauses and changes its speed: every click at the
// instant that follows from the answers of the control port.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <thread>

#include "tests/integration/sound_recording.hpp"
#include "tests/support/control_port.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
using namespace std::chrono_literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// From an instant on the movie plays in a loop, from a second of it, so fast.
struct Stretch {
  double from_s = 0;
  double movie_s = 0;
  double speed = 1;  ///< 0: paused
};

/// When clicks are due until `end_s`, but for those within 30 ms of a change.
std::vector<double> due_clicks_s(const std::vector<Stretch>& stretches, double end_s) {
  constexpr double edge_s = 0.03;
  std::vector<double> due;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    const double until_s = i + 1 < stretches.size() ? stretches[i + 1].from_s : end_s;
    if (stretch.speed <= 0) continue;
    for (int round = 0; round < 20; ++round)
      for (const double click : click_times_s) {
        const double ahead = click + round * clicking_movie_s - stretch.movie_s;
        const double at_s = stretch.from_s + ahead / stretch.speed;
        if (at_s > stretch.from_s + edge_s && at_s < until_s - edge_s) due.push_back(at_s);
      }
  }
  return due;
}

double distance_s(double at_s, const std::vector<double>& others_s) {
  double least = 1e6;
  for (const double other_s : others_s) least = std::min(least, std::abs(other_s - at_s));
  return least;
}

/// What an answer says of the first region.
Stretch stretch_of(const Json& answer, double speed) {
  return {answer.at("at_ns").get<double>() / 1e9,
          answer.at("frame").get<double>() / clicking_movie_fps, speed};
}

}  // namespace

TEST_CASE("sound follows seeks, pauses and speeds at their instants", "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const SoundRecording recording{folder.path(), 200};
  RunningProgram show(
      play_words(movie, "two-by-one.toml",
                 {"--late", "drop", "--headless", "--loop", "--run-dir", (folder / "run").string(),
                  "--report", (folder / "report.json").string()}),
      {recording.environment(), {}});
  REQUIRE(eventually([&] { return fs::exists(folder / "run" / "control.addr"); }));
  ControlPort port(folder / "run");
  REQUIRE(eventually([&] {
    return port.ask({{"type", "status"}}).at("audio").at("state") == "playing";
  }));

  std::vector<Stretch> stretches;
  const auto ask = [&](const Json& request, double speed, std::chrono::milliseconds then) {
    const Json answer = port.ask(request);
    CAPTURE(answer);
    REQUIRE(answer.at("type") == "done");
    stretches.push_back(stretch_of(answer, speed));
    std::this_thread::sleep_for(then);
  };
  ask({{"type", "seek"}, {"frame", 40}}, 1, 700ms);
  ask({{"type", "speed"}, {"speed", "2"}}, 2, 700ms);
  ask({{"type", "pause"}}, 0, 200ms);
  ask({{"type", "seek"}, {"frame", 7}}, 0, 100ms);
  ask({{"type", "play"}}, 2, 500ms);
  ask({{"type", "speed"}, {"speed", "1/2"}}, 0.5, 900ms);
  const Json end = port.ask({{"type", "pause"}});
  const double end_s = end.at("at_ns").get<double>() / 1e9;
  std::this_thread::sleep_for(200ms);
  show.send_signal(SIGTERM);
  const ProgramResult result = show.wait(30s);
  CAPTURE(result.err);

  std::vector<double> heard_s = recording.clicks_s();
  const std::vector<double> due_s = due_clicks_s(stretches, end_s);
  CHECK(due_s.size() >= 5);
  for (const double at_s : due_s) {
    CAPTURE(at_s - stretches.front().from_s);
    CHECK(distance_s(at_s, heard_s) < 0.02);
  }
  // And nothing else was heard, but close to the changes.
  for (const Stretch& stretch : stretches)
    std::erase_if(heard_s, [&](double at_s) { return std::abs(at_s - stretch.from_s) < 0.05; });
  std::erase_if(
      heard_s, [&](double at_s) { return at_s < stretches.front().from_s || at_s > end_s - 0.05; });
  for (const double at_s : heard_s) {
    CAPTURE(at_s - stretches.front().from_s);
    CHECK(distance_s(at_s, due_s) < 0.02);
  }
}

TEST_CASE("a show that gets sound later has it then, louder, softer or muted", "[play][sound]") {
  const TemporaryFolder folder;
  const fs::path movie = make_clicking_movie(folder.path());
  const SoundRecording recording{folder.path(), 0};
  RunningProgram show(play_words("pattern:count", "two-by-one.toml",
                                 {"--headless", "--run-dir", (folder / "run").string(), "--report",
                                  (folder / "report.json").string()}),
                      {recording.environment(), {}});
  REQUIRE(eventually([&] { return fs::exists(folder / "run" / "control.addr"); }));
  ControlPort port(folder / "run");
  const auto audio = [&] { return port.ask({{"type", "status"}}).at("audio"); };
  REQUIRE(eventually([&] { return port.ask({{"type", "status"}}).at("phase") == "playing"; }));
  CHECK(audio().at("state") == "no sound");
  const Json source = {{"kind", "movie"},        {"path", movie.string()}, {"files", Json::array()},
                       {"size_px", {160, 96}},   {"frames", 72},           {"rate_fps", {24, 1}},
                       {"audio", movie.string()}};
  CHECK(port.ask({{"type", "volume"}, {"volume", 0.5}}).at("type") == "done");
  CHECK(port.ask({{"type", "open"}, {"source", source}}).at("type") == "done");
  CHECK(port.ask({{"type", "loop"}, {"mode", "loop"}}).at("type") == "done");
  REQUIRE(eventually([&] { return audio().at("state") == "playing"; }));
  const auto loudest = [](const std::vector<float>& stereo, std::size_t from) {
    float most = 0;
    for (std::size_t i = from; i < stereo.size(); ++i) most = std::max(most, std::abs(stereo[i]));
    return most;
  };
  REQUIRE(eventually([&] { return loudest(recording.stereo(), 0) > 0.2F; }));
  CHECK(loudest(recording.stereo(), 0) == Approx(0.4).margin(0.05));
  CHECK(port.ask({{"type", "mute"}, {"on", true}}).at("type") == "done");
  // From some instant on nothing more is heard in all of a movie, which clicks, and is a loop.
  const std::size_t movie_samples =
      2 * static_cast<std::size_t>(clicking_movie_s * SoundRecording::rate_hz);
  std::size_t muted_at = recording.stereo().size();
  REQUIRE(eventually(
      [&] {
        const std::vector<float> stereo = recording.stereo();
        if (loudest(stereo, muted_at) > 0) muted_at = stereo.size();
        return stereo.size() >= muted_at + movie_samples;
      },
      30s));
  show.send_signal(SIGTERM);
  static_cast<void>(show.wait(30s));
  CHECK(loudest(recording.stereo(), muted_at) == 0.0F);
}
