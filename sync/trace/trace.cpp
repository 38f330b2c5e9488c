#include "sync/trace/trace.hpp"

namespace tilewall::sync {

using detail::trace_thread;

TraceParent trace_parent() {
  const auto& thread = trace_thread;
  if (thread.track == nullptr) return {};
  return {thread.recorder, thread.track->name()};
}

TraceThread::TraceThread(TraceRecorder* recorder, const std::string& track_name)
    : recorder_(recorder) {
  if (recorder_ == nullptr) return;
  trace_thread = {recorder_->open_track(track_name), recorder_, recorder_->now(), {}};
}

TraceThread::~TraceThread() {
  if (recorder_ == nullptr) return;
  recorder_->close_track(trace_thread.track);
  trace_thread = {};
}

void TraceSpan::end() noexcept {
  auto& thread = trace_thread;
  const Nanos duration = thread.now() - start_;
  track_->put({name_, start_, duration, 0, thread.labels, TraceKind::span});
  thread.labels = outer_;
}

void trace_instant(const char* name) noexcept { trace_instant(name, trace_thread.labels); }

void trace_instant(const char* name, const TraceLabels& labels) noexcept {
  note_for_crash(name);
  const auto& thread = trace_thread;
  if (thread.track == nullptr) return;
  thread.track->put({name, thread.now(), Nanos(0), 0, labels, TraceKind::instant});
}

void trace_span(const char* name, LocalInstant start, LocalInstant end,
                const TraceLabels& labels) noexcept {
  note_for_crash(name);
  const auto& thread = trace_thread;
  if (thread.track == nullptr) return;
  thread.track->put({name, start, end - start, 0, labels, TraceKind::span});
}

void trace_counter(const char* name, double value) noexcept {
  const auto& thread = trace_thread;
  if (thread.track == nullptr) return;
  thread.track->put({name, thread.now(), Nanos(0), value, thread.labels, TraceKind::counter});
}

}  // namespace tilewall::sync
