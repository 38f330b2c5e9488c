// Collects events of one process from its tracks, and puts them on global time.
//
// Events are recorded in local time, which costs one reading of the clock. The mapping to global
// time is noted whenever events are collected. An event between two such points is interpolated, so
// drift and steering in between are accounted for.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sync/global_time.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall::sync {

/// An event of a batch.
struct BatchEvent {
  GlobalInstant start;
  Nanos duration{0};
  double value = 0;
  TraceLabels labels;
  std::uint16_t name = 0;   ///< index into TraceBatch::names
  std::uint16_t track = 0;  ///< number of its track
  TraceKind kind = TraceKind::span;
  bool operator==(const BatchEvent&) const = default;
};

struct TrackName {
  std::uint16_t track = 0;
  std::string name;
  bool operator==(const TrackName&) const = default;
};

/// Events with the names and tracks that they use. A batch needs none of the batches before it.
struct TraceBatch {
  std::vector<std::string> names;
  std::vector<TrackName> tracks;
  std::vector<BatchEvent> events;
  std::uint64_t dropped = 0;  ///< Events that the process has dropped since its start
  bool operator==(const TraceBatch&) const = default;
};

/// Pairs of local and global time, from which local instants are converted.
class TraceTimeMap {
 public:
  /// Adds the mapping that is valid at `now`. @pre not before the last one
  void add(LocalInstant now, const ClockMapping& mapping);

  /// Converts an instant. Between two points it uses the line through them, unless the axis stepped
  /// there; outside of them, the nearest point's own mapping. @pre a point was added
  [[nodiscard]] GlobalInstant to_global(LocalInstant local) const noexcept;

 private:
  struct Point {
    LocalInstant local;
    ClockMapping mapping;
  };
  static constexpr std::size_t max_points = 64;
  std::deque<Point> points_;
};

class TraceCollector {
 public:
  /// `recorder` outlives this.
  explicit TraceCollector(TraceRecorder& recorder) : recorder_(recorder) {}

  /// Collects up to `max_events`. `mapping` is valid at `now`.
  [[nodiscard]] TraceBatch collect(LocalInstant now, const ClockMapping& mapping,
                                   std::size_t max_events);

 private:
  TraceRecorder& recorder_;
  TraceTimeMap time_;
  std::vector<TraceEvent> taken_;  // kept from call to call for its memory
};

}  // namespace tilewall::sync
