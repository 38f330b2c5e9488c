#include "sync/trace/trace_recorder.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilewall::sync {

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

TraceTrack::TraceTrack(std::uint16_t id, std::string name, std::size_t capacity)
    : id_(id),
      name_(std::move(name)),
      events_(std::bit_ceil(std::max<std::size_t>(capacity, 1))),
      mask_(events_.size() - 1) {}

void TraceTrack::put(const TraceEvent& event) noexcept {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  if (written - taken_.load(std::memory_order_acquire) == events_.size()) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  events_[written & mask_] = event;
  written_.store(written + 1, std::memory_order_release);
}

void TraceTrack::take(std::vector<TraceEvent>& to, std::size_t limit) {
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  const std::uint64_t written = written_.load(std::memory_order_acquire);
  const std::uint64_t end = taken + std::min<std::uint64_t>(written - taken, limit);
  for (std::uint64_t i = taken; i < end; ++i) to.push_back(events_[i & mask_]);
  taken_.store(end, std::memory_order_release);
}

}  // namespace tilewall::sync
