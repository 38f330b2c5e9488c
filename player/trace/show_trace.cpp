#include "player/trace/show_trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "player/trace/trace_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

namespace tilewall::trace {
namespace {

constexpr std::chrono::milliseconds step_interval{100};
// Processes are numbered in the whole file. No director names more than these.
constexpr int processes_of_a_director = 10'000;

/// Place in the order of viewers' lists: first the processes that run the show, then the panels,
/// then the processes that serve them.
int sort_index(const TraceHello& hello) {
  constexpr int panels_from = 100;
  constexpr int keepers_from = 100'000;
  if (hello.role == "supervisor") return 1;
  if (hello.role == "director") return 2;
  if (hello.role == "panel") return panels_from + hello.panel;
  return hello.role == "keeper" ? keepers_from + hello.panel : 3;
}

}  // namespace

ShowTrace::ShowTrace(const std::filesystem::path& file, std::vector<std::string> panels,
                     int directors_before)
    : panels_(std::move(panels)),
      thread_(&recorder_, "director"),
      collector_(recorder_),
      next_number_(1 + directors_before * processes_of_a_director),
      file_(file, directors_before > 0 ? TraceBegin::continued : TraceBegin::empty) {
  own_.hello.role = "director";
  own_.hello.pid = ::getpid();
  own_.hello.host = host_name();
  name(own_);
}

/// Names a process, such as "panel c0r0 (pid 4711 on wall-07)".
void ShowTrace::name(Process& process) {
  const TraceHello& hello = process.hello;
  process.number = next_number_++;
  std::string who = hello.role;
  if (hello.panel >= 0 && static_cast<std::size_t>(hello.panel) < panels_.size())
    who += " " + panels_[static_cast<std::size_t>(hello.panel)];
  static_cast<void>(file_.add(
      chrome_process(process.number, fmt::format("{} (pid {} on {})", who, hello.pid, hello.host),
                     sort_index(hello))));
}

void ShowTrace::welcome(Connection from, const TraceHello& hello) {
  Process& process = processes_[from];
  process.hello = hello;
  name(process);
}

void ShowTrace::take(Connection from, sync::TraceBatch&& batch) {
  const auto found = processes_.find(from);
  if (found == processes_.end())
    throw InputError({"message"}, "type", "trace_hello first", "trace");
  Process& process = found->second;
  if (process.hello.director_axis) {
    if (!has_time_) return;
    for (sync::BatchEvent& event : batch.events)
      event.start = time_.to_global(LocalInstant{event.start.since_epoch});
  }
  write(process, batch);
}

void ShowTrace::write(Process& process, const sync::TraceBatch& batch) {
  std::string text;
  for (const sync::TrackName& track : batch.tracks)
    if (process.named_tracks.insert(track.track).second)
      text += chrome_track(process.number, track);
  text += chrome_events(process.number, batch);
  const std::uint64_t dropped = batch.dropped - std::min(batch.dropped, process.dropped);
  if (dropped > 0 && !batch.events.empty())
    text += chrome_counter(process.number, "dropped events", batch.events.back().start,
                           static_cast<double>(batch.dropped));
  process.dropped = batch.dropped;
  dropped_ += dropped;
  (file_.add(std::move(text)) ? events_ : dropped_) += batch.events.size();
}

bool ShowTrace::has_panels() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& entry) { return entry.second.hello.role == "panel"; });
}

void ShowTrace::step(const ClockMapping& mapping) {
  const auto now = std::chrono::steady_clock::now();
  if (mapping.bound_at_anchor == Nanos::max() || now < next_step_) return;
  next_step_ = now + step_interval;
  has_time_ = true;
  time_.add(local_now(), mapping);
  write(own_, collector_.collect(local_now(), mapping, max_batch_events));
}

TraceSummary ShowTrace::finish(const ClockMapping& mapping, std::chrono::milliseconds limit) {
  next_step_ = {};
  step(mapping);
  file_.finish(limit);
  return {events_, dropped_, file_.bytes(), file_.problem()};
}

}  // namespace tilewall::trace
