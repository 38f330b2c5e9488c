// Data that the director passes to the supervisor, which forked it: lines for the operator, and the
// report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::supervisor {

/// A pipe for the director's lines to the operator. The supervisor prints them on its standard
/// error, so that they reach the terminal of `play`.
///
/// It is made before the director is forked. Threads: one owner in each process; neither end ever
/// blocks.
class NewsPipe {
 public:
  NewsPipe();

  /// The director's end; this object owns it.
  [[nodiscard]] int writing_end() const noexcept { return write_end_.get(); }

  /// Readable where something has arrived; this object owns it.
  [[nodiscard]] int reading_end() const noexcept { return read_end_.get(); }

  /// Complete lines that arrived since the last call, without their line ends.
  [[nodiscard]] std::vector<std::string> take_new();

 private:
  UniqueFd read_end_;
  UniqueFd write_end_;
  std::string partial_;  // the beginning of a line whose end has not arrived
};

/// Shared memory for the director's report, which a full disk thus cannot lose.
///
/// It is made before the director is forked. Threads: one owner in each process; the supervisor
/// reads after the director has ended.
class ReportMemory {
 public:
  ReportMemory();

  /// The descriptor to which the director writes the report once, from its beginning. This object
  /// owns it.
  [[nodiscard]] int fd() const noexcept { return memory_.get(); }

  /// Empties the memory, for the next director. Best effort.
  void clear() const noexcept;

  /// Replaces the contents by {"error": `line`}, for a director that failed. Best effort.
  void write_error(const std::string& line) const noexcept;

  /// The report as a JSON object; empty if no complete report was written.
  [[nodiscard]] nlohmann::json read() const;

 private:
  UniqueFd memory_;
};

}  // namespace tilewall::supervisor
