#include "player/host/kept_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include "player/host/process_state.hpp"
#include "sync/base/file.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::host {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds no_process_pause{2};  // the host cannot start a process now
constexpr int pause_growth = 4;

pid_t start_child(const ProgramStart& start) {
  const sync::TraceSpan span("start child");
  const pid_t pid = start_program(start.arguments, start.options);
  if (!start.pid_file.empty()) note_pid(start.pid_file, pid);
  return pid;
}

}  // namespace

std::size_t RecentDeaths::add() {
  const auto now = Clock::now();
  deaths_.push_back(now);
  while (deaths_.front() + window_ < now) deaths_.pop_front();
  return deaths_.size();
}

KeptProgram::KeptProgram(ProgramStart start, RestartLimits limits)
    : start_(std::move(start)),
      limits_(limits),
      deaths_(limits.window),
      hang_watch_(limits.hang),
      stop_watch_(limits.stopped) {
  try_start();
}

void KeptProgram::take_end(const ChildEnd& end) {
  if (pid_ == 0 || end.pid != pid_) return;
  pid_ = 0;
  const bool is_replaced = std::exchange(kill_at_, std::nullopt).has_value();
  const bool exited = end.signal == 0;
  if (exited && end.exit_code == exit_done && limits_.orderly_end == OrderlyEnd::exit_done &&
      !is_replaced)
    return;
  if (start_.on_change) start_.on_change(false);
  const std::size_t deaths = deaths_.add();
  const auto now = Clock::now();
  const bool has_rest_code = exited && limits_.rest_code == end.exit_code;
  if (deaths >= limits_.most || has_rest_code) {
    deaths_.forget();
    rests_since_ = now;
    start_at_ = now + limits_.rest;
    return;
  }
  // The first death is answered at once. Deaths in a row have a cause that may need time to pass,
  // so each pause is four times the last.
  auto pause = deaths < 2 ? std::chrono::milliseconds(0) : limits_.first_pause;
  for (std::size_t i = 2; i < deaths; ++i) pause *= pause_growth;
  start_at_ = now + pause;
  look();
}

void KeptProgram::rouse() {
  if (rests_since_) start_at_ = std::min(*start_at_, *rests_since_ + limits_.least_rest);
}

bool KeptProgram::hangs() {
  if (start_.turns == nullptr) return false;
  const auto waited = [&] {
    const auto wait = run_queue_wait_of(pid_).value_or(std::chrono::nanoseconds(0));
    return start_.computes ? wait + cpu_time_of(pid_) : wait;
  };
  return hang_watch_.hangs(start_.turns->value(), Clock::now(), waited);
}

bool KeptProgram::is_stopped_for_good() {
  return stop_watch_.exceeded(is_stopped(pid_), Clock::now());
}

void KeptProgram::look() {
  if (pid_ != 0 && (hangs() || is_stopped_for_good())) ::kill(pid_, SIGKILL);
  if (pid_ != 0 && kill_at_ && Clock::now() > *kill_at_) ::kill(pid_, SIGKILL);
  if (!start_at_ || Clock::now() < *start_at_) return;
  start_at_.reset();
  rests_since_.reset();
  try_start();
  if (pid_ != 0 && start_.on_change) start_.on_change(true);
}

void KeptProgram::replace(std::chrono::milliseconds limit) {
  if (pid_ == 0 || kill_at_) return;
  kill_at_ = Clock::now() + limit;
  ::kill(pid_, SIGTERM);
}

void KeptProgram::end(std::chrono::milliseconds limit) {
  if (pid_ != 0) end_child(pid_, limit);
}

void KeptProgram::try_start() {
  try {
    pid_ = start_child(start_);
    if (start_.turns != nullptr) hang_watch_.started(start_.turns->value(), Clock::now());
    stop_watch_.started(Clock::now());
  } catch (const JobError& error) {
    log_line("tilewall: {}: {}", start_.arguments.front(), error.what());
    start_at_ = Clock::now() + no_process_pause;
  }
}

void note_pid(const std::filesystem::path& file, pid_t pid) noexcept try {
  const std::string text = fmt::format("{}\n", pid);
  try {
    write_file_atomically(file, text);
  } catch (const JobError&) {
    // A full disk has no room for another file, but the last process's number can be overwritten.
    if (!overwrite_file(file, text)) throw;
  }
} catch (const std::exception& error) {
  log_line("tilewall: {}", error.what());
}

}  // namespace tilewall::host
