// The sound of a show: one process on one host, beside the director or on the host that the user
// names. Whatever happens to it, pictures go on.
//
// Threads: the caller's, which waits for the director; besides one that decodes, the device's own,
// and the clock client's.
#pragma once

#include <optional>
#include <string>

namespace tilewall::sound {

struct SoundOptions {
  std::string director;         ///< "HOST:PORT" of the control port
  std::string clock;            ///< "HOST:PORT" of the clock daemon, or of two with a comma
  std::string trace;            ///< "HOST:PORT" that takes the trace; "" = none is written
  std::string folder;           ///< the run's folder, in which fetched sound is put
  std::optional<int> turns_fd;  ///< where it shows that it is alive; empty: nobody watches
};

/// Runs until the director says "quit" or SIGTERM comes. Without a device it stays, silent, and
/// says so. Returns the exit code: 1 where the device no longer plays, and another process is to
/// try.
int run_sound(const SoundOptions& options);

}  // namespace tilewall::sound
