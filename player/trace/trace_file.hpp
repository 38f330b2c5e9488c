// The file that a trace is written to while the show runs. A slow or full disk costs the trace,
// never the show: a thread of its own writes from a bounded queue, and texts that do not fit are
// dropped.
//
// Threads: owns one, "writer", which waits on the queue and on the disk, and is stopped by the
// destructor. The members belong to one owner.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "sync/base/handle.hpp"
#include "sync/trace/trace_batch.hpp"

namespace tilewall::trace {

/// Creates `path`, or empties it. Throws InputError naming `option` where it cannot be opened.
void check_trace_file(const std::string& option, const std::filesystem::path& path);

/// Whether a trace replaces what the file has, or continues the trace of a process that died.
enum class TraceBegin { empty, continued };

class TraceFile {
 public:
  /// Opens the file. Where that fails, nothing is written, and problem() has the reason. The torn
  /// last event of a trace that is continued is cut off.
  explicit TraceFile(const std::filesystem::path& path, TraceBegin begin = TraceBegin::empty);

  /// Appends `text` to the queue. False: dropped, because the disk is behind or writing has failed.
  bool add(std::string text);

  /// Waits up to `limit` until the queue is written, and ends the trace.
  void finish(std::chrono::milliseconds limit);

  [[nodiscard]] std::uint64_t bytes() const;
  /// Why writing failed; "" where it did not.
  [[nodiscard]] std::string problem() const;

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] bool write(std::string_view text);
  void fail(int error_number);

  const std::filesystem::path path_;
  UniqueFd file_;  // writer thread only
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> queue_;  // guarded by mutex_; the front one is being written
  std::size_t queued_bytes_ = 0;   // guarded by mutex_
  std::uint64_t bytes_ = 0;        // guarded by mutex_; bytes of whole texts written
  std::string problem_;            // guarded by mutex_
  std::jthread thread_;            // last: stopped and joined before anything it uses
};

// Trace events as text, in the JSON array form of the Chrome trace event format, which
// ui.perfetto.dev and chrome://tracing open.
//
//   chrome_begin  { "," newline, event }...  chrome_end
//
// A file that ends early opens as well: readers of this format do without the end. Times are in
// microseconds of global time, to the nanosecond. Processes and threads have numbers of their own,
// as process numbers of different hosts may be the same.

/// The array's begin and a first event, on process 1.
[[nodiscard]] std::string chrome_begin();
inline constexpr std::string_view chrome_end = "\n]\n";

/// Names process `pid`; viewers list processes by `sort_index`.
[[nodiscard]] std::string chrome_process(int pid, std::string_view name, int sort_index);

/// Names a track of process `pid`.
[[nodiscard]] std::string chrome_track(int pid, const sync::TrackName& track);

/// The events of process `pid`.
[[nodiscard]] std::string chrome_events(int pid, const sync::TraceBatch& batch);

/// One counter of process `pid`.
[[nodiscard]] std::string chrome_counter(int pid, std::string_view name, GlobalInstant at,
                                         double value);

}  // namespace tilewall::trace
