// What the console has refused, in few lines: of refusals that are alike the first has a line at
// once, and those that follow within a minute have one with their count at its end. So a flood
// fills no log.
//
// Threads: one owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::console {

/// Somebody who was refused something. Those that are equal are counted together.
struct Refusal {
  std::string by;    ///< the person, or the address of a stranger
  std::string what;  ///< what was asked: "login"
  std::string why;
  auto operator<=>(const Refusal&) const = default;
};

class RefusalLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Refusals are counted for so long.
  static constexpr std::chrono::seconds counted_time{60};
  /// So many kinds are counted by themselves at a time, and further ones together.
  static constexpr std::size_t most_kinds = 32;

  /// A refusal, and how many of its kind have no line yet.
  struct Line {
    Refusal refusal;
    std::size_t count = 1;
  };

  /// Takes a refusal; returns the line that is to be written at once, if any.
  [[nodiscard]] std::optional<Line> add(const Refusal& refusal, Time now);
  /// The lines of those whose time is over. To be called once a second or so.
  [[nodiscard]] std::vector<Line> finished(Time now);

 private:
  struct Kind {
    Time since;               // the first one
    std::size_t further = 0;  // without a line
  };

  std::map<Refusal, Kind> kinds_;
};

/// The result of a refusal as the log has it: "refused: too many logins", with a count where there
/// are several: "refused 12 times: too many logins".
[[nodiscard]] std::string result_of(const RefusalLog::Line& line);

}  // namespace tilewall::console
