// The witness: as many processes as the wall has panels, which only sleep to the same kind of
// instants. What they miss, the machine missed, not the player.
#pragma once

#include <sys/types.h>

#include <vector>

namespace tilewall {

class SleepWitness {
 public:
  /// Starts `processes` of them for `seconds`, with `fps` instants a second. @pre one thread
  SleepWitness(std::size_t processes, int fps, double seconds);

  /// Waits for them. The number of instants that any of them was more than half a period late for;
  /// at most 254 of each process are counted.
  [[nodiscard]] int late_instants();

 private:
  std::vector<pid_t> processes_;
};

}  // namespace tilewall
