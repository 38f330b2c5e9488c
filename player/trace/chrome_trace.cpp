#include "player/trace/chrome_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tilewall {
namespace {

constexpr int tracks_per_process = 1000;  // thread numbers are unique in the whole file

int tid_of(int pid, std::uint16_t track) { return pid * tracks_per_process + track; }

/// As a JSON string, quotes included; what is no UTF-8 is replaced.
std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds with three decimals, exactly.
std::string microseconds(Nanos value) {
  const auto ns = static_cast<std::uint64_t>(std::abs(value.count()));
  return fmt::format("{}{}.{:03}", value.count() < 0 ? "-" : "", ns / 1000, ns % 1000);
}

double finite(double value) { return std::isfinite(value) ? value : 0; }

std::string labels_json(const TraceLabels& labels) {
  std::string text;
  if (labels.frame != TraceLabels::none) text = fmt::format("\"frame\":{}", labels.frame);
  if (labels.tick != TraceLabels::none)
    text += fmt::format("{}\"tick\":{}", text.empty() ? "" : ",", labels.tick);
  return text;
}

std::string metadata(int pid, int tid, std::string_view what, const std::string& argument) {
  return fmt::format(
      ",\n{{\"ph\":\"M\",\"name\":\"{}\",\"ts\":0,\"pid\":{},\"tid\":{},\"args\":{{{}}}}}", what,
      pid, tid, argument);
}

void append(std::string& text, int pid, const std::string& quoted_name, const BatchEvent& event) {
  fmt::format_to(std::back_inserter(text), ",\n{{\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}",
                 quoted_name, pid, tid_of(pid, event.track), microseconds(event.start.since_epoch));
  switch (event.kind) {
    case TraceKind::span:
      fmt::format_to(std::back_inserter(text), ",\"ph\":\"X\",\"dur\":{},\"args\":{{{}}}}}",
                     microseconds(std::max(event.duration, Nanos(0))), labels_json(event.labels));
      break;
    case TraceKind::instant:
      fmt::format_to(std::back_inserter(text), ",\"ph\":\"i\",\"s\":\"t\",\"args\":{{{}}}}}",
                     labels_json(event.labels));
      break;
    case TraceKind::counter:
      fmt::format_to(std::back_inserter(text), ",\"ph\":\"C\",\"args\":{{\"value\":{}}}}}",
                     finite(event.value));
      break;
  }
}

}  // namespace

std::string chrome_begin() {
  return "[\n{\"ph\":\"M\",\"name\":\"process_labels\",\"ts\":0,\"pid\":1,\"tid\":1000,"
         "\"args\":{\"labels\":\"global time\"}}";
}

std::string chrome_process(int pid, std::string_view name, int sort_index) {
  const int tid = tid_of(pid, 0);
  return metadata(pid, tid, "process_name", "\"name\":" + json_string(name)) +
         metadata(pid, tid, "process_sort_index", fmt::format("\"sort_index\":{}", sort_index));
}

std::string chrome_track(int pid, const TrackName& track) {
  return metadata(pid, tid_of(pid, track.track), "thread_name",
                  "\"name\":" + json_string(track.name));
}

std::string chrome_events(int pid, const TraceBatch& batch) {
  std::vector<std::string> names;
  for (const std::string& name : batch.names) names.push_back(json_string(name));
  std::string text;
  for (const BatchEvent& event : batch.events) append(text, pid, names.at(event.name), event);
  return text;
}

std::string chrome_counter(int pid, std::string_view name, GlobalInstant at, double value) {
  BatchEvent event;
  event.start = at;
  event.value = value;
  event.kind = TraceKind::counter;
  std::string text;
  append(text, pid, json_string(name), event);
  return text;
}

}  // namespace tilewall
