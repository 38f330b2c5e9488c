#include "player/trace/trace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::trace {

namespace {

constexpr std::size_t max_queued_bytes = std::size_t{16} << 20;
constexpr int pipe_timeout_ms = 100;

/// O_NONBLOCK, because a pipe without a reader would hold up the show.
constexpr int open_flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;

UniqueFd try_open(const std::filesystem::path& path, TraceBegin begin = TraceBegin::empty) {
  const int more = begin == TraceBegin::empty ? O_TRUNC : 0;
  return UniqueFd(retry_eintr([&] { return ::open(path.c_str(), open_flags | more, 0644); }));
}

constexpr std::size_t longest_event = 64 * 1024;
constexpr std::string_view event_begin = ",\n{";

/// The length of a trace up to the end of its last whole event; 0 where it has no event.
std::uint64_t whole_length(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size == 0) return 0;
  std::string tail = file_ending(path, longest_event);
  const std::uint64_t tail_at = size - std::min<std::uint64_t>(size, tail.size());
  if (tail.ends_with(chrome_end)) tail.resize(tail.size() - chrome_end.size());
  const std::size_t last = tail.rfind(event_begin);
  if (last == std::string::npos) return 0;
  const std::string_view event = std::string_view(tail).substr(last + 2);
  return tail_at + (nlohmann::json::accept(event) ? tail.size() : last);
}

}  // namespace

void check_trace_file(const std::string& option, const std::filesystem::path& path) {
  if (!try_open(path).empty()) return;
  throw InputError({option}, "", "a file that can be written",
                   fmt::format("{}: {}", path.string(), std::strerror(errno)));
}

TraceFile::TraceFile(const std::filesystem::path& path, TraceBegin begin)
    : path_(path), file_(try_open(path, begin)) {
  if (file_.empty()) fail(errno);
  if (begin == TraceBegin::continued) bytes_ = whole_length(path);
  if (bytes_ > 0 && (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0 ||
                     ::lseek(file_.get(), 0, SEEK_END) < 0))
    fail(errno);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  if (bytes_ == 0) static_cast<void>(add(chrome_begin()));
}

bool TraceFile::add(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (!problem_.empty() || queued_bytes_ + text.size() > max_queued_bytes) return false;
  queued_bytes_ += text.size();
  queue_.push_back(std::move(text));
  changed_.notify_all();
  return true;
}

void TraceFile::finish(std::chrono::milliseconds limit) {
  static_cast<void>(add(std::string(chrome_end)));
  std::unique_lock lock(mutex_);
  const bool done =
      changed_.wait_for(lock, limit, [&] { return queue_.empty() || !problem_.empty(); });
  if (!done) problem_ = fmt::format("{}: the disk is too slow for the trace", path_.string());
}

std::uint64_t TraceFile::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

std::string TraceFile::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

void TraceFile::run(const std::stop_token& stop) {
  sync::use_background_priority();
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !queue_.empty(); }) && problem_.empty()) {
    // The front one stays in place while others are added.
    const std::string& text = queue_.front();
    lock.unlock();
    const bool written = write(text);
    lock.lock();
    if (!written) return;
    bytes_ += text.size();
    queued_bytes_ -= text.size();
    queue_.pop_front();
    changed_.notify_all();
  }
}

/// Writes all of `text`, or nothing, so that a full disk leaves a well-formed file.
bool TraceFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = retry_eintr([&] { return ::write(file_.get(), text.data(), text.size()); });
    if (put < 0 && errno == EAGAIN) {
      pollfd waiting = {file_.get(), POLLOUT, 0};
      if (::poll(&waiting, 1, pipe_timeout_ms) > 0) continue;
    }
    if (put < 0) {
      fail(errno);
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void TraceFile::fail(int error_number) {
  const std::scoped_lock lock(mutex_);
  problem_ = fmt::format("{}: the trace ends after {} bytes: {}", path_.string(), bytes_,
                         std::strerror(error_number));
  queue_.clear();
  changed_.notify_all();
  if (bytes_ == 0 || ::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) return;
  ::lseek(file_.get(), 0, SEEK_END);
  [[maybe_unused]] const ssize_t put = ::write(file_.get(), chrome_end.data(), chrome_end.size());
}

namespace {

constexpr int tracks_per_process = 1000;  // thread numbers are unique in the whole file

int tid_of(int pid, std::uint16_t track) { return pid * tracks_per_process + track; }

/// The text as a JSON string, quotes included. Bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view text) { return json_text(nlohmann::json(text)); }

/// Microseconds with three decimals, exactly.
std::string microseconds(Nanos value) {
  const auto ns = static_cast<std::uint64_t>(std::abs(value.count()));
  return fmt::format("{}{}.{:03}", value.count() < 0 ? "-" : "", ns / 1000, ns % 1000);
}

double finite(double value) { return std::isfinite(value) ? value : 0; }

std::string labels_json(const sync::TraceLabels& labels) {
  std::string text;
  if (labels.frame != sync::TraceLabels::none) text = fmt::format("\"frame\":{}", labels.frame);
  if (labels.tick != sync::TraceLabels::none)
    text += fmt::format("{}\"tick\":{}", text.empty() ? "" : ",", labels.tick);
  return text;
}

std::string metadata(int pid, int tid, std::string_view what, const std::string& argument) {
  return fmt::format(
      ",\n{{\"ph\":\"M\",\"name\":\"{}\",\"ts\":0,\"pid\":{},\"tid\":{},\"args\":{{{}}}}}", what,
      pid, tid, argument);
}

void append(std::string& text, int pid, const std::string& quoted_name,
            const sync::BatchEvent& event) {
  fmt::format_to(std::back_inserter(text), ",\n{{\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}",
                 quoted_name, pid, tid_of(pid, event.track), microseconds(event.start.since_epoch));
  switch (event.kind) {
    case sync::TraceKind::span:
      fmt::format_to(std::back_inserter(text), ",\"ph\":\"X\",\"dur\":{},\"args\":{{{}}}}}",
                     microseconds(std::max(event.duration, Nanos(0))), labels_json(event.labels));
      break;
    case sync::TraceKind::instant:
      fmt::format_to(std::back_inserter(text), ",\"ph\":\"i\",\"s\":\"t\",\"args\":{{{}}}}}",
                     labels_json(event.labels));
      break;
    case sync::TraceKind::counter:
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

std::string chrome_track(int pid, const sync::TrackName& track) {
  return metadata(pid, tid_of(pid, track.track), "thread_name",
                  "\"name\":" + json_string(track.name));
}

std::string chrome_events(int pid, const sync::TraceBatch& batch) {
  std::vector<std::string> names;
  for (const std::string& name : batch.names) names.push_back(json_string(name));
  std::string text;
  for (const sync::BatchEvent& event : batch.events) append(text, pid, names.at(event.name), event);
  return text;
}

std::string chrome_counter(int pid, std::string_view name, GlobalInstant at, double value) {
  sync::BatchEvent event;
  event.start = at;
  event.value = value;
  event.kind = sync::TraceKind::counter;
  std::string text;
  append(text, pid, json_string(name), event);
  return text;
}

}  // namespace tilewall::trace
