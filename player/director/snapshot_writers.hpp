// The snapshots that a show was asked for: gathers their parts, and writes each on a thread of its
// own as soon as it is whole, while the show goes on.
//
// Threads: one owner; it owns a writer for each snapshot that is being written.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "player/director/wall_snapshot.hpp"

namespace tilewall::director {

struct SnapshotsWritten {
  std::vector<std::string> notes;   ///< what a person should know of them
  std::vector<std::string> errors;  ///< files that could not be written
};

/// Which frame was asked for, and which one a panel showed in its place.
struct SnapshotFrame {
  std::int64_t wanted = 0;
  std::int64_t shown = 0;
};

class SnapshotWriters {
 public:
  /// `wall` outlives this.
  SnapshotWriters(const wall::Wall& wall, const std::vector<SnapshotRequest>& requests);
  ~SnapshotWriters();
  SnapshotWriters(const SnapshotWriters&) = delete;
  SnapshotWriters& operator=(const SnapshotWriters&) = delete;

  /// What a panel showed: rows of BGRX. Throws InputError as WallSnapshot::add() does.
  void add(std::size_t panel, SnapshotFrame frame, SizePx size_px,
           const std::vector<std::uint8_t>& pixels);

  /// Writes the others too, if `incomplete_too`, and waits for all.
  [[nodiscard]] SnapshotsWritten finish(bool incomplete_too);

 private:
  void start_writing(bool incomplete_too);
  void write(const WallSnapshot& snapshot);

  std::vector<std::unique_ptr<WallSnapshot>> waiting_;
  std::mutex mutex_;
  SnapshotsWritten written_;           // guarded by mutex_
  std::vector<std::jthread> writers_;  // last: they use the others
};

}  // namespace tilewall::director
