// Plays a movie on the fifteen panels of the small 5x3 wall, spread over emulated hosts, and
// compares the result with the truth: every host's published clock, and every panel's pixels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sync/global_time.hpp"
#include "tests/emulation/emulated_network.hpp"

namespace tilewall::test {

struct EmulatedShowOptions {
  int hosts = 3;  ///< 1 to 5
  double seconds = 5;
  int fps = 24;
  PathOptions path;
  bool sound = false;                    ///< The movie has sound, which the last host plays
  std::optional<double> date_step_at_s;  ///< Time at which one host's date is set on by a second
};

struct EmulatedShowResult {
  int exit_code = -1;
  std::string err;        ///< Standard error of `play`
  nlohmann::json report;  ///< Report of `play`; discarded where there was none
  // Sampled some 200 times a second, once all hosts are in step.
  std::vector<std::int64_t> skews_ns;   ///< Greatest distance between hosts in global time
  std::vector<std::int64_t> errors_ns;  ///< Error of each host against the clock daemon's clock
  std::vector<std::int64_t> bounds_ns;
  std::int64_t violations = 0;      ///< Errors beyond a host's published bound
  std::int64_t wrong_pictures = 0;  ///< Pictures that differ from the panel's part of the frame
  std::int64_t pictures = 0;
};

/// Plays a movie that it makes. Empty, with the reason in `reason`, where the kernel forbids
/// emulated hosts.
[[nodiscard]] std::optional<EmulatedShowResult> play_on_emulated_hosts(
    const EmulatedShowOptions& options, std::string& reason);

}  // namespace tilewall::test
