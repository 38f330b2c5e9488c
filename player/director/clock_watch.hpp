// Watches how the wall's hosts follow the clock daemons, by their panels' reports. It fills the
// report's "clock", and has a line for the operator whenever the situation changes.
//
// Reads no clock. Threads: one owner, the director's thread.
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

  /// The least time between two lines.
  static constexpr std::chrono::seconds line_interval{1};

  /// Takes the clock of a host from one of its panels' reports.
  void take(const std::string& host, const scene::ReportedClock& clock);

  /// The next line for the operator. Empty where nothing has changed since the last line, or that
  /// was less than line_interval ago.
  [[nodiscard]] std::optional<std::string> news(Instant now);

  /// [ {host, state, bound_us, daemon, failovers, holdover_s, holdovers} ]; holdover_s is the sum
  /// over all holdovers of the show.
  [[nodiscard]] nlohmann::json report() const;

  /// The figures of all hosts, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  struct Host {
    scene::ReportedClock newest;
    bool in_holdover = false;
    std::int64_t past_holdover_ns = 0;  // sum over the holdovers that have ended
    std::uint64_t holdovers = 0;
  };

  [[nodiscard]] std::string standing() const;

  std::map<std::string, Host> hosts_;
  std::string told_;  // standing() at the last line
  Instant last_line_{};
};

}  // namespace tilewall::director
