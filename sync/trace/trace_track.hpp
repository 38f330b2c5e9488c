// The events that one thread has recorded and nobody has taken yet: a ring of fixed size without
// locks.
//
// Threads: one writer, one reader. Full: the newest event is dropped and counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sync/trace/trace_event.hpp"

namespace tilewall {

class TraceTrack {
 public:
  /// `id`: number of the track in its process, from 1. `capacity` is rounded up to a power of two.
  TraceTrack(std::uint16_t id, std::string name, std::size_t capacity);

  [[nodiscard]] std::uint16_t id() const noexcept { return id_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The writer's. Never waits.
  void put(const TraceEvent& event) noexcept;

  /// The reader's: appends up to `limit` events to `to`, in the order they were recorded.
  void take(std::vector<TraceEvent>& to, std::size_t limit);

  /// So far; any thread.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }

 private:
  const std::uint16_t id_;
  const std::string name_;
  std::vector<TraceEvent> events_;
  const std::uint64_t mask_;
  // put() releases an event with written_, take() acquires it; and the other way round for its
  // place with taken_.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
};

}  // namespace tilewall
