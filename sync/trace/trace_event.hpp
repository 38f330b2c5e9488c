// The parts of a trace: spans, instants and counters, each recorded by one thread.
#pragma once

#include <cstdint>
#include <limits>

#include "sync/global_time.hpp"

namespace tilewall::sync {

enum class TraceKind : std::uint8_t {
  span = 0,     ///< Lasts from `start` for `duration`
  instant = 1,  ///< Happens at `start`
  counter = 2,  ///< Has `value` from `start` on
};

/// Frame and tick that an event belongs to.
struct TraceLabels {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t frame = none;
  std::int64_t tick = none;
  bool operator==(const TraceLabels&) const = default;
};

/// An event as recorded, in local time.
struct TraceEvent {
  const char* name = "";  ///< String literal: only the pointer is kept
  LocalInstant start;
  Nanos duration{0};  ///< Duration of a span
  double value = 0;   ///< Value of a counter
  TraceLabels labels;
  TraceKind kind = TraceKind::span;
};

}  // namespace tilewall::sync
