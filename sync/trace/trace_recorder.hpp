// One process's part of a trace: a track for each traced thread.
//
// Threads: any thread may open a track; one reader at a time collects events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sync/trace/trace_event.hpp"

namespace tilewall::sync {

/// The recorded events of one thread that were not collected yet: a ring of fixed size without
/// locks.
///
/// Threads: one writer, one reader. A full ring drops the newest event and counts it.
class TraceTrack {
 public:
  /// `id`: number of the track in its process, from 1. `capacity` is rounded up to a power of two.
  TraceTrack(std::uint16_t id, std::string name, std::size_t capacity);

  [[nodiscard]] std::uint16_t id() const noexcept { return id_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Records an event. Only the writer may call it. Never waits.
  void put(const TraceEvent& event) noexcept;

  /// Appends up to `limit` events to `to`, in the order they were recorded. Only the reader may
  /// call it.
  void take(std::vector<TraceEvent>& to, std::size_t limit);

  /// Number of dropped events so far. Any thread.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }

 private:
  const std::uint16_t id_;
  const std::string name_;
  std::vector<TraceEvent> events_;
  const std::uint64_t mask_;
  // put() releases an event with written_, and take() acquires it. In the other direction take()
  // releases the event's place with taken_.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
};

/// The clock of a trace. Tests set their own.
using TraceNow = LocalInstant (*)() noexcept;

class TraceRecorder {
 public:
  /// Each thread's events wait in a ring of `track_capacity`, 64 bytes each, until they are taken.
  explicit TraceRecorder(TraceNow clock = local_now, std::size_t track_capacity = 4096);

  [[nodiscard]] TraceNow now() const noexcept { return now_; }

  /// Opens a track that the calling thread writes. A closed track of that name is used again. Null
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

}  // namespace tilewall::sync
