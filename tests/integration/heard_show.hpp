// A show with sound, as a device gets it: when its clicks were heard, beside when they were due.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/sound_recording.hpp"
#include "tests/support/show.hpp"

namespace tilewall::test {

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
