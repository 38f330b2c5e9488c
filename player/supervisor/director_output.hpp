// What the director hands to the supervisor, which forked it: lines for the operator, and the
// report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

/// Lines that the director has for the operator while the show runs: it writes them, the supervisor
/// puts them on its standard error, so that they reach the terminal that `play` runs on.
///
/// Made before the director is forked. Threads: one owner on each side; nobody ever waits.
class NewsPipe {
 public:
  NewsPipe();

  /// The director's end.
  [[nodiscard]] int writing_end() const noexcept { return write_end_.get(); }

  /// The whole lines that have come since the last call.
  [[nodiscard]] std::vector<std::string> take_new();

 private:
  UniqueFd read_end_;
  UniqueFd write_end_;
  std::string partial_;  // of a line that is not whole yet
};

/// The director's report on its way to the supervisor: in memory, so that a full disk does not lose
/// it.
///
/// Made before the director is forked. Threads: one owner on each side.
class ReportMemory {
 public:
  ReportMemory();

  /// What the director writes the report to; from its beginning, once.
  [[nodiscard]] int fd() const noexcept { return memory_.get(); }

  /// Replaces what was written by {"error": `line`}, for a director that cannot go on.
  void write_error(const std::string& line) const noexcept;

  /// An object: empty where no whole report was written.
  [[nodiscard]] nlohmann::json read() const;

 private:
  UniqueFd memory_;
};

}  // namespace tilewall
