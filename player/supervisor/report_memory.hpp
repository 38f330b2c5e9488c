// The director's report on its way to the supervisor: in memory, so that a full disk does not lose
// it.
//
// Made before the director is forked. Threads: one owner on each side.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall {

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
