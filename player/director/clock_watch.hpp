// How the wall's hosts are in step with the clock daemons, by their panels' reports: for the
// report, and one line to the operator whenever it changes.
//
// Threads: one owner. All instants are arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "player/scene/messages.hpp"

namespace tilewall::director {

class ClockWatch {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Lines come no faster than this, whatever happens.
  static constexpr std::chrono::seconds line_interval{1};

  /// Takes what a panel of that host reports.
  void take(const std::string& host, const scene::ReportedClock& clock);

  /// The line that is due: what changed since the last one. Empty where nothing did, or too soon.
  [[nodiscard]] std::optional<std::string> news(Instant now);

  /// [ {host, state, bound_us, daemon, failovers, holdover_s, holdovers} ]; holdover_s: in all.
  [[nodiscard]] nlohmann::json report() const;

 private:
  struct Host {
    scene::ReportedClock newest;
    bool in_holdover = false;
    std::int64_t past_holdover_ns = 0;  // of those that are over
    std::uint64_t holdovers = 0;
  };

  [[nodiscard]] std::string standing() const;

  std::map<std::string, Host> hosts_;
  std::string told_;  // standing() as of the last line
  Instant last_line_{};
};

}  // namespace tilewall::director
