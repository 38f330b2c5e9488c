// Lines that the director has for the operator while the show runs: it writes them, the supervisor
// puts them on its standard error, so that they reach the terminal that `play` runs on.
//
// Made before the director is forked. Threads: one owner on each side; nobody ever waits.
#pragma once

#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

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

}  // namespace tilewall
