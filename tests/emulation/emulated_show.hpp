// A movie on the fifteen panels of the small 5x3 wall, spread over emulated hosts, and what came of
// it against the truth: every host's published clock, every panel's pixels.
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
  bool sound = false;                    ///< the movie has some, and it is played on the last host
  std::optional<double> date_step_at_s;  ///< one host's date is set on by a second then
};

struct EmulatedShowResult {
  int exit_code = -1;
  std::string err;        ///< what `play` said
  nlohmann::json report;  ///< its report; discarded where there was none
  // Looked at some 200 times a second, from when all hosts are in step.
  std::vector<std::int64_t> skews_ns;   ///< the hosts' distance from one another in global time
  std::vector<std::int64_t> errors_ns;  ///< each host's, against the clock daemon's clock
  std::vector<std::int64_t> bounds_ns;
  std::int64_t violations = 0;      ///< of a host's published bound
  std::int64_t wrong_pictures = 0;  ///< a panel showed other pixels than its part of that frame
  std::int64_t pictures = 0;
};

/// Plays a movie of its own. Empty, and why in `reason`, where the kernel forbids emulated hosts.
[[nodiscard]] std::optional<EmulatedShowResult> play_on_emulated_hosts(
    const EmulatedShowOptions& options, std::string& reason);

}  // namespace tilewall::test
