// The snapshots of the command line: collects the panels' pictures, and writes each snapshot as
// soon as it is complete, while the show goes on.
//
// Threads: one owner, the director's thread. It owns a writer for each snapshot that is being
// written.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "player/director/wall_snapshot.hpp"

namespace tilewall::director {

struct SnapshotsWritten {
  std::vector<std::string> notes;   ///< panels that showed another frame, or none
  std::vector<std::string> errors;  ///< files that could not be written
};

/// The wanted frame, and the frame that a panel showed for it.
struct SnapshotFrame {
  std::int64_t wanted = 0;
  std::int64_t shown = 0;
};

class SnapshotWriters {
 public:
  /// `wall` outlives this object.
  SnapshotWriters(const wall::Wall& wall, const std::vector<SnapshotRequest>& requests);
  ~SnapshotWriters();
  SnapshotWriters(const SnapshotWriters&) = delete;
  SnapshotWriters& operator=(const SnapshotWriters&) = delete;

  /// Adds a panel's picture: rows of BGRX, viewed orientation. Pictures of a wrong size are
  /// ignored.
  void add(std::size_t panel, SnapshotFrame frame, SizePx size_px,
           const std::vector<std::uint8_t>& pixels);

  /// Writes incomplete snapshots too if `incomplete_too`, and waits for all writers.
  [[nodiscard]] SnapshotsWritten finish(bool incomplete_too);

 private:
  void start_writing(bool incomplete_too);
  void write(const WallSnapshot& snapshot);

  std::vector<std::unique_ptr<WallSnapshot>> waiting_;
  std::mutex mutex_;
  SnapshotsWritten written_;           // guarded by mutex_
  std::vector<std::jthread> writers_;  // last: they use the other members
};

}  // namespace tilewall::director
