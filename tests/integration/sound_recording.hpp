// The sound of a show as a device gets it: SDL's disk driver writes it to a file, at the pace of a
// device whose clock is off by some ppm.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/show.hpp"

namespace tilewall::test {

/// One recording; its files lie in `folder`.
struct SoundRecording {
  std::filesystem::path folder;
  double ppm = 0;  ///< > 0: the device is fast

  static constexpr int rate_hz = 48000;

  /// What the show's processes are to be given.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;

  /// Left and right by turns; to be called at the end of the show.
  [[nodiscard]] std::vector<float> stereo() const;

  /// When clicks were heard, in seconds of global time.
  [[nodiscard]] std::vector<double> clicks_s() const;
};

/// A movie of 3 s at 24 frames a second that clicks at click_times_s. "aac": an MP4, else a MOV.
[[nodiscard]] std::filesystem::path make_clicking_movie(const std::filesystem::path& folder,
                                                        const std::string& codec = "pcm_f32le");
inline constexpr int clicking_movie_fps = 24;
inline constexpr double clicking_movie_s = 3;
inline const std::vector<double> click_times_s = {0.4, 1.1, 1.9, 2.6};

/// A show with sound, as a device gets it: when its clicks were heard, beside when they were due.
struct HeardShow {
  ProgramResult program;
  nlohmann::json report;
  std::vector<double> clicks_s;  ///< when they were heard, from the first frame's instant on
  float loudest = 0;
};

/// Plays a clicking movie with a device whose clock is off by `ppm`.
[[nodiscard]] HeardShow hear(const std::filesystem::path& movie, double ppm, double speed,
                             const Words& more,
                             std::chrono::seconds limit = std::chrono::seconds(60));

/// The farthest that one of so many clicks was heard from its instant, in milliseconds.
[[nodiscard]] double worst_ms(const HeardShow& heard, std::size_t clicks, double speed);

}  // namespace tilewall::test
