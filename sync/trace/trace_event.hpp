// What a trace consists of: spans, instants and counters, each of one thread.
#pragma once

#include <cstdint>
#include <limits>

#include "sync/global_time.hpp"

namespace tilewall::sync {

enum class TraceKind : std::uint8_t {
  span = 0,     ///< from start, for a duration
  instant = 1,  ///< at start
  counter = 2,  ///< has this value from start on
};

/// Which frame and tick an event is about.
struct TraceLabels {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t frame = none;
  std::int64_t tick = none;
  bool operator==(const TraceLabels&) const = default;
};

/// As recorded, in local time.
struct TraceEvent {
  const char* name = "";  ///< a string literal: only the pointer is kept
  LocalInstant start;
  Nanos duration{0};  ///< of a span
  double value = 0;   ///< of a counter
  TraceLabels labels;
  TraceKind kind = TraceKind::span;
};

}  // namespace tilewall::sync
