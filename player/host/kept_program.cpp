#include "player/host/kept_program.hpp"

#include <fmt/format.h>

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

pid_t start_child(const ProgramStart& start) {
  const sync::TraceSpan span("start child");
  const pid_t pid = start_program(start.arguments, start.options);
  if (!start.pid_file.empty()) note_pid(start.pid_file, pid);
  return pid;
}

}  // namespace

KeptProgram::KeptProgram(ProgramStart start, RestartLimits limits)
    : start_(std::move(start)),
      limits_(limits),
      plan_(limits),
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
  plan_.take_death(exited ? std::optional(end.exit_code) : std::nullopt, Clock::now());
  if (!plan_.rests()) look();
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
  if (!plan_.take_start(Clock::now())) return;
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
    plan_.put_off(Clock::now() + no_process_pause);
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
