// What traced code calls. Each thread that takes part holds a TraceThread; what it then passes
// through is recorded, whatever file it stands in. A thread without one records nothing, at the
// price of one load.
//
//   void run() {
//     const TraceThread trace(recorder, "c0r0 decode");
//     const TraceSpan picture("picture", {frame, tick});
//     const TraceSpan read("read");  // inside of it: the same frame and tick
//
// Threads: everything here concerns the calling thread alone. Names are string literals.
#pragma once

#include "sync/trace/trace_event.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall::sync {

namespace detail {
struct TraceThreadState {
  TraceTrack* track = nullptr;  // null: nothing is recorded
  TraceRecorder* recorder = nullptr;
  TraceNow now = nullptr;
  TraceLabels labels;  // of the spans that are open
};
inline constinit thread_local TraceThreadState trace_thread;
}  // namespace detail

/// What a thread hands to those that it starts, so that they take part as well.
struct TraceParent {
  TraceRecorder* recorder = nullptr;  ///< null: not traced
  std::string track;
};

/// Of the calling thread.
[[nodiscard]] TraceParent trace_parent();

/// While it lives, the calling thread records on a track of its own.
class TraceThread {
 public:
  /// `recorder` null: not traced. Otherwise it outlives this.
  TraceThread(TraceRecorder* recorder, const std::string& track_name);
  /// "c0r0 decode" starts "read": the track is "c0r0 decode read".
  TraceThread(const TraceParent& parent, const std::string& name)
      : TraceThread(parent.recorder, parent.track + " " + name) {}
  ~TraceThread();
  TraceThread(const TraceThread&) = delete;
  TraceThread& operator=(const TraceThread&) = delete;

 private:
  TraceRecorder* recorder_;
};

/// A stage: from construction to the end of the scope. Must end on the thread it began on.
class TraceSpan {
 public:
  explicit TraceSpan(const char* name) noexcept : TraceSpan(name, detail::trace_thread.labels) {}
  /// Spans, instants and counters inside have these labels, too.
  TraceSpan(const char* name, const TraceLabels& labels) noexcept : name_(name) {
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

/// Something that happened now.
void trace_instant(const char* name) noexcept;
void trace_instant(const char* name, const TraceLabels& labels) noexcept;

/// A span whose ends were stamped by hand.
void trace_span(const char* name, LocalInstant start, LocalInstant end,
                const TraceLabels& labels) noexcept;

/// `name` is `value` from now on; the unit belongs into the name.
void trace_counter(const char* name, double value) noexcept;

}  // namespace tilewall::sync
