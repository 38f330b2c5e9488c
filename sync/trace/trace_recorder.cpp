#include "sync/trace/trace_recorder.hpp"

#include <algorithm>

namespace tilewall {

TraceRecorder::TraceRecorder(TraceNow clock, std::size_t track_capacity)
    : now_(clock), track_capacity_(track_capacity) {}

TraceTrack* TraceRecorder::open_track(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto closed = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return !entry.open && entry.track->name() == name;
  });
  if (closed != entries_.end()) {
    closed->open = true;
    return closed->track.get();
  }
  if (entries_.size() >= max_tracks) return nullptr;
  const auto id = static_cast<std::uint16_t>(entries_.size() + 1);
  entries_.push_back({std::make_unique<TraceTrack>(id, name, track_capacity_), true});
  return entries_.back().track.get();
}

void TraceRecorder::close_track(const TraceTrack* track) {
  const std::scoped_lock lock(mutex_);
  for (Entry& entry : entries_)
    if (entry.track.get() == track) entry.open = false;
}

std::vector<TraceTrack*> TraceRecorder::tracks() const {
  const std::scoped_lock lock(mutex_);
  std::vector<TraceTrack*> tracks;
  for (const Entry& entry : entries_) tracks.push_back(entry.track.get());
  return tracks;
}

}  // namespace tilewall
