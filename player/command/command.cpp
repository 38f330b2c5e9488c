#include "player/command/command.hpp"

#include "sync/base/error.hpp"

namespace tilewall::command {
void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw JobError("interrupted before the show began");
}

}  // namespace tilewall::command
