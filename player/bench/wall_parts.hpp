// Parts of the wall benchmarks: the movie that they play, the limit of the machine, and a witness
// of its sleeps.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::bench {

// The movie that the wall benchmarks play: photographic, cut for the wall.

/// Quality of the JPEG blocks in the movie.
inline constexpr int bench_movie_quality = 85;

/// Writes a wall movie of `frames` frames into `folder`, which exists. Each panel's part differs
/// from frame to frame.
void write_bench_movie(const wall::Wall& wall, wall::BezelMode bezels, int frames,
                       const std::filesystem::path& folder);

/// The limit of a wall on one machine: all panels decoded and presented by as many threads as there
/// are cores, without waits and messages.
struct WallLimit {
  double fps = 0;  ///< Whole walls per second
  double cpu_s_per_frame = 0;
  /// Indexed by [panel][frame]; empty unless requested.
  std::vector<std::vector<std::uint64_t>> hashes;
};

/// Draws `frames` frames of the wall movie in `folder` on every panel. Panels' threads are as many
/// as cores; each draws whole panels by itself. Throws InputError.
[[nodiscard]] WallLimit measure_wall_limit(const wall::Wall& wall, wall::BezelMode bezels,
                                           const std::filesystem::path& folder, int frames,
                                           bool with_hashes);

/// The witness: as many processes as the wall has panels, which only sleep until instants of the
/// same kind. Instants that they miss were missed by the machine, not by the player.
class SleepWitness {
 public:
  /// Starts `processes` of them for `seconds`, with `fps` instants a second. @pre one thread
  SleepWitness(std::size_t processes, int fps, double seconds);

  /// Waits for the processes. Returns the number of instants for which any of them was more than
  /// half a period late; at most 254 per process are counted.
  [[nodiscard]] int late_instants();

 private:
  std::vector<pid_t> processes_;
};

}  // namespace tilewall::bench
