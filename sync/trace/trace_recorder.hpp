// One process's part of a trace: a track for each of its threads that takes part.
//
// Threads: tracks may be added by any; one reader at a time takes the events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sync/trace/trace_track.hpp"

namespace tilewall {

/// Where a trace's time comes from; tests give their own.
using TraceNow = LocalInstant (*)() noexcept;

class TraceRecorder {
 public:
  /// Each thread's events wait in a ring of `track_capacity`, 64 bytes each, until they are taken.
  explicit TraceRecorder(TraceNow clock = local_now, std::size_t track_capacity = 4096);

  [[nodiscard]] TraceNow now() const noexcept { return now_; }

  /// A track for the calling thread to write; one of that name that was closed is used again. Null
  /// where there are too many.
  [[nodiscard]] TraceTrack* open_track(const std::string& name);
  void close_track(const TraceTrack* track);

  /// All tracks, in the order of their numbers; they live as long as this.
  [[nodiscard]] std::vector<TraceTrack*> tracks() const;

 private:
  struct Entry {
    std::unique_ptr<TraceTrack> track;
    bool open = true;
  };
  static constexpr std::size_t max_tracks = 256;

  const TraceNow now_;
  const std::size_t track_capacity_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // guarded by mutex_
};

}  // namespace tilewall
