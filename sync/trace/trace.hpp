// The functions that traced code calls. A thread that holds a TraceThread records the spans,
// instants and counters of the code that it runs, in whatever file. Without one, only the names of
// spans and instants are kept, for the report of a crash (sync/base/crash_report.hpp).
//
//   void run() {
//     const TraceThread trace(recorder, "c0r0 decode");
//     const TraceSpan picture("picture", {frame, tick});
//     const TraceSpan read("read");  // inside of it: the same frame and tick
//
// All functions act on the calling thread alone. Names are string literals.
#pragma once

#include "sync/base/crash_report.hpp"
#include "sync/trace/trace_event.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall::sync {

namespace detail {
struct TraceThreadState {
  TraceTrack* track = nullptr;  // null: nothing is recorded
  TraceRecorder* recorder = nullptr;
  TraceNow now = nullptr;
  TraceLabels labels;  // labels of the open spans
};
inline constinit thread_local TraceThreadState trace_thread;
}  // namespace detail

/// Passed from a thread to those that it starts, so that they are traced as well.
struct TraceParent {
  TraceRecorder* recorder = nullptr;  ///< null: not traced
  std::string track;
};

/// The calling thread's recorder and track.
[[nodiscard]] TraceParent trace_parent();

/// While it lives, the calling thread records on a track of its own. An overflow of its stack is
/// reported, whether it is traced or not.
class TraceThread {
 public:
  /// Null `recorder`: not traced. Otherwise it outlives this.
  TraceThread(TraceRecorder* recorder, const std::string& track_name);
  /// Names the track after the parent's: "c0r0 decode" starts "read", so the track is "c0r0 decode
  /// read".
  TraceThread(const TraceParent& parent, const std::string& name)
      : TraceThread(parent.recorder, parent.track + " " + name) {}
  ~TraceThread();
  TraceThread(const TraceThread&) = delete;
  TraceThread& operator=(const TraceThread&) = delete;

 private:
  const CrashStack crash_stack_;
  TraceRecorder* recorder_;
};

/// A stage from construction to the end of the scope. It ends on the thread that began it.
class TraceSpan {
 public:
  explicit TraceSpan(const char* name) noexcept : TraceSpan(name, detail::trace_thread.labels) {}
  /// Gives these labels to spans, instants and counters inside, too.
  TraceSpan(const char* name, const TraceLabels& labels) noexcept : name_(name) {
    note_for_crash(name);
    auto& thread = detail::trace_thread;
    if (thread.track == nullptr) return;
    track_ = thread.track;
    outer_ = thread.labels;
    thread.labels = labels;
    start_ = thread.now();
  }
  ~TraceSpan() {
    if (track_ != nullptr) end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  void end() noexcept;

  const char* name_;
  TraceTrack* track_ = nullptr;
  LocalInstant start_;
  TraceLabels outer_;
};

/// Records that something happens now.
void trace_instant(const char* name) noexcept;
void trace_instant(const char* name, const TraceLabels& labels) noexcept;

/// Records a span whose ends the caller has stamped.
void trace_span(const char* name, LocalInstant start, LocalInstant end,
                const TraceLabels& labels) noexcept;

/// Records that `name` has this value from now on. The unit belongs into the name.
void trace_counter(const char* name, double value) noexcept;

}  // namespace tilewall::sync
