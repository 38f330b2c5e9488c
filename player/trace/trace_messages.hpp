// Messages that the processes of a show send to the director's control port for the trace. Each
// uses a connection of its own, so that a trace that piles up never delays control messages.
//
// A connection begins like a panel's: challenge, then a hello. Batches follow: JSON with the names,
// and the events as the message's blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/trace/trace_batch.hpp"

namespace tilewall::trace {

/// Process -> director, the first message of a connection.
struct TraceHello {
  std::string role;  ///< "panel", "keeper", "host", ...
  int panel = -1;    ///< Index into Wall::panels; -1: the process belongs to no panel
  int pid = 0;
  std::string host;  ///< Host name that the process's machine has for itself
  /// The process has no clock of its own: its events are in local time of the director's host.
  bool director_axis = false;
};

/// One event of a batch's blob, little endian.
struct WireTraceEvent {      // offset
  std::int64_t start_ns;     //  0  global time; local where TraceHello::director_axis
  std::int64_t duration_ns;  //  8
  double value;              // 16
  std::int64_t frame;        // 24  TraceLabels::none: no frame
  std::int64_t tick;         // 32
  std::uint16_t name;        // 40  index into the batch's names
  std::uint16_t track;       // 42
  std::uint8_t kind;         // 44  TraceKind
  std::uint8_t reserved[3];  // 45
};
static_assert(sizeof(WireTraceEvent) == 48 && offsetof(WireTraceEvent, duration_ns) == 8 &&
              offsetof(WireTraceEvent, value) == 16 && offsetof(WireTraceEvent, frame) == 24 &&
              offsetof(WireTraceEvent, tick) == 32 && offsetof(WireTraceEvent, name) == 40 &&
              offsetof(WireTraceEvent, track) == 42 && offsetof(WireTraceEvent, kind) == 44 &&
              offsetof(WireTraceEvent, reserved) == 45 &&
              std::is_trivially_copyable_v<WireTraceEvent>);

inline constexpr std::size_t max_batch_events = 8192;
/// Size of the longest batch's blob.
inline constexpr std::uint32_t longest_batch_bytes = max_batch_events * sizeof(WireTraceEvent);

[[nodiscard]] nlohmann::json to_json(const TraceHello& hello);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] TraceHello trace_hello_from_json(const nlohmann::json& json);

/// A batch's message without its events (JSON), and the events (blob).
[[nodiscard]] nlohmann::json to_json(const sync::TraceBatch& batch);
[[nodiscard]] std::vector<std::uint8_t> to_blob(const sync::TraceBatch& batch);

/// Throws InputError where a field is missing or wrong, or where an event uses an index that the
/// batch does not list.
[[nodiscard]] sync::TraceBatch trace_batch_from(const nlohmann::json& json,
                                                std::span<const std::uint8_t> blob);

}  // namespace tilewall::trace
