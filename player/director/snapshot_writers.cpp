#include "player/director/snapshot_writers.hpp"

#include <exception>

namespace tilewall::director {

SnapshotWriters::SnapshotWriters(const wall::Wall& wall,
                                 const std::vector<SnapshotRequest>& requests) {
  for (const SnapshotRequest& request : requests)
    waiting_.push_back(std::make_unique<WallSnapshot>(wall, request));
}

SnapshotWriters::~SnapshotWriters() = default;

void SnapshotWriters::add(std::size_t panel, SnapshotFrame frame, SizePx size_px,
                          const std::vector<std::uint8_t>& pixels) {
  for (const auto& snapshot : waiting_)
    if (snapshot->request().frame == frame.wanted)
      snapshot->add(panel, frame.shown, size_px, pixels);
  start_writing(false);
}

SnapshotsWritten SnapshotWriters::finish(bool incomplete_too) {
  start_writing(incomplete_too);
  writers_.clear();  // joins them
  const std::scoped_lock lock(mutex_);
  return written_;
}

void SnapshotWriters::start_writing(bool incomplete_too) {
  for (auto& snapshot : waiting_)
    if (incomplete_too || snapshot->complete())
      writers_.emplace_back([this, done = std::move(snapshot)] { write(*done); });
  std::erase(waiting_, nullptr);
}

void SnapshotWriters::write(const WallSnapshot& snapshot) {
  std::string note;
  std::string error;
  try {
    note = snapshot.write();
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  const std::scoped_lock lock(mutex_);
  if (!note.empty()) written_.notes.push_back(note);
  if (!error.empty()) written_.errors.push_back(error);
}

}  // namespace tilewall::director
