// Trace events as text, in the JSON array form of the Chrome trace event format, which
// ui.perfetto.dev and chrome://tracing open.
//
//   chrome_begin  { "," newline, event }...  chrome_end
//
// A file that ends early opens as well: readers of this format do without the end. Times are in
// microseconds of global time, to the nanosecond. Processes and threads have numbers of their own,
// as process numbers of different hosts may be the same.
#pragma once

#include <string>
#include <string_view>

#include "sync/trace/trace_batch.hpp"

namespace tilewall {

/// The array's begin and one first event, on process 1.
[[nodiscard]] std::string chrome_begin();
inline constexpr std::string_view chrome_end = "\n]\n";

/// Names process `pid`; viewers list processes by `sort_index`.
[[nodiscard]] std::string chrome_process(int pid, std::string_view name, int sort_index);

/// Names a track of process `pid`.
[[nodiscard]] std::string chrome_track(int pid, const TrackName& track);

/// The events of process `pid`.
[[nodiscard]] std::string chrome_events(int pid, const TraceBatch& batch);

/// One counter of process `pid`.
[[nodiscard]] std::string chrome_counter(int pid, std::string_view name, GlobalInstant at,
                                         double value);

}  // namespace tilewall
