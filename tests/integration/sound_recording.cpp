#include "tests/integration/sound_recording.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/click_sound.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> SoundRecording::environment() const {
  return {{"SDL_AUDIODRIVER", "disk"},
          {"SDL_DISKAUDIOFILE", (folder / "sound.raw").string()},
          {"LD_PRELOAD", preload_path(TILEWALL_DRIFTING_DEVICE)},
          {"TILEWALL_TEST_DEVICE_PPM", std::to_string(ppm)},
          {"TILEWALL_TEST_DEVICE_FILE", (folder / "sound.begin").string()}};
}

std::vector<float> SoundRecording::stereo() const {
  std::ifstream stream(folder / "sound.raw", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<float> samples(bytes.size() / sizeof(float) / 2 * 2);
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  return samples;
}

std::vector<double> SoundRecording::clicks_s() const {
  long long begin_ns = 0;
  std::ifstream(folder / "sound.begin") >> begin_ns;
  std::vector<double> heard_s;
  for (const double frame : find_clicks(stereo(), rate_hz, 0.1F))
    heard_s.push_back(static_cast<double>(begin_ns) / 1e9 + frame / rate_hz / (1 + ppm * 1e-6));
  return heard_s;
}

fs::path make_clicking_movie(const fs::path& folder, const std::string& codec) {
  const fs::path file = folder / (codec == "aac" ? "movie.mp4" : "movie.mov");
  CountingMovieOptions options;
  options.size_px = {160, 96};
  options.frames = static_cast<int>(clicking_movie_s * clicking_movie_fps);
  options.audio_codec = codec;
  options.sound = [](std::int64_t sample) {
    return click_sample(sample, audio_rate_hz, click_times_s);
  };
  make_counting_movie(file, options);
  return file;
}

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
