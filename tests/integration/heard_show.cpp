#include "tests/integration/heard_show.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// When tick 0 was due, in seconds of global time: from all panels' swaps.
double start_of_show_s(const fs::path& trace, double ticks_a_second) {
  std::vector<double> starts;
  const Json events = Json::parse(std::ifstream(trace));
  for (const Json& event : events)
    if (event.value("name", "") == "swap")
      starts.push_back((event.at("ts").get<double>() + event.at("dur").get<double>()) / 1e6 -
                       event.at("args").at("tick").get<double>() / ticks_a_second);
  if (starts.empty()) return NAN;
  std::nth_element(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2),
                   starts.end());
  return starts[starts.size() / 2];
}

}  // namespace

HeardShow hear(const fs::path& movie, double ppm, double speed, const Words& more,
               std::chrono::seconds limit) {
  const TemporaryFolder folder;
  Words words =
      play_words(movie, "two-by-one.toml",
                 {"--late", "drop", "--headless", "--trace", (folder / "trace.json").string(),
                  "--report", (folder / "report.json").string()});
  words.insert(words.end(), more.begin(), more.end());
  const SoundRecording recording{folder.path(), ppm};
  HeardShow heard;
  heard.program = run_program(words, limit, {recording.environment(), {}});
  heard.report = read_report(folder / "report.json");
  for (const float sample : recording.stereo())
    heard.loudest = std::max(heard.loudest, std::abs(sample));
  const double start_s = start_of_show_s(folder / "trace.json", clicking_movie_fps * speed);
  for (const double click_s : recording.clicks_s()) heard.clicks_s.push_back(click_s - start_s);
  return heard;
}

double worst_ms(const HeardShow& heard, std::size_t clicks, double speed) {
  double worst = heard.clicks_s.size() == clicks ? 0 : 1e6;  // some are missing, or too many
  for (std::size_t i = 0; worst < 1e6 && i < heard.clicks_s.size(); ++i) {
    const double due_s = (click_times_s[i % click_times_s.size()] +
                          static_cast<double>(i / click_times_s.size()) * clicking_movie_s) /
                         speed;
    worst = std::max(worst, std::abs(heard.clicks_s[i] - due_s) * 1e3);
  }
  return worst;
}

}  // namespace tilewall::test
