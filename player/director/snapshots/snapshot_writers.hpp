// The snapshots of the command line: collects the panels' pictures, and writes each snapshot as
// soon as it is complete, while the show goes on.
//
// Threads: one owner, the director's thread. It owns a writer for each snapshot that is being
// written.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "player/director/snapshots/wall_snapshot.hpp"

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

  /// The snapshots that are on the disk, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint();
  /// Notes that the newest checkpoint is safe. Returns the frames all of whose snapshots are in it,
  /// each once: panels need not keep their pictures any longer.
  [[nodiscard]] std::vector<std::int64_t> note_saved();
  /// Whether note_saved() has returned the frame, or would have before the last director's death.
  [[nodiscard]] bool is_saved(std::int64_t frame) const;
  /// Goes on after the last director: snapshots that it has written are not written again. Throws
  /// InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

  /// Writes incomplete snapshots too if `incomplete_too`, and waits for all writers. A large wall's
  /// takes seconds, and meanwhile `turn` is called several times a second.
  [[nodiscard]] SnapshotsWritten finish(bool incomplete_too, const std::function<void()>& turn);

 private:
  void start_writing(bool incomplete_too);
  void write(const WallSnapshot& snapshot);

  const std::vector<SnapshotRequest> requests_;
  std::vector<std::unique_ptr<WallSnapshot>> waiting_;
  std::vector<SnapshotRequest> listed_;  // in the newest checkpoint
  std::vector<std::int64_t> saved_;      // frames that note_saved() has returned
  std::mutex mutex_;
  SnapshotsWritten written_;           // guarded by mutex_
  std::vector<SnapshotRequest> done_;  // guarded by mutex_; written, or failed for good
  std::size_t at_work_ = 0;            // guarded by mutex_; writers that have not ended
  std::condition_variable one_ended_;
  std::vector<std::jthread> writers_;  // last: they use the other members
};

}  // namespace tilewall::director
