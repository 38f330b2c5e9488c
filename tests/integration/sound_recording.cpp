#include "tests/integration/sound_recording.hpp"

#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/click_sound.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/places.hpp"

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

}  // namespace tilewall::test
