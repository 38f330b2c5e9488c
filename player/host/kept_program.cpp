#include "player/host/kept_program.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "player/host/pid_file.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

using Clock = std::chrono::steady_clock;

// A child that dies this often this fast is not mended by starting it again at once.
constexpr std::size_t max_restarts = 5;
constexpr std::chrono::seconds restart_window{10};
constexpr std::chrono::seconds retry_pause{2};

}  // namespace

KeptChild::KeptChild(ProgramStart start) : start_(std::move(start)) { this->start(); }

bool KeptChild::restart_after(const ChildEnd& end, int last_in_order) {
  if (end.signal == 0 && end.exit_code <= last_in_order) return false;
  const auto now = Clock::now();
  deaths_.push_back(now);
  while (deaths_.front() + restart_window < now) deaths_.pop_front();
  if (deaths_.size() > max_restarts) return false;
  start();
  return true;
}

void KeptChild::start() {
  const TraceSpan span("start child");
  pid_ = start_program(start_.arguments, start_.options);
  note_pid(start_.pid_file, pid_);
}

KeptProgram::KeptProgram(ProgramStart start) : start_(std::move(start)) { try_start(); }

void KeptProgram::take_end(const ChildEnd& end) {
  if (!child_ || end.pid != child_->pid()) return;
  try {
    if (child_->restart_after(end, exit_done)) return;
    child_.reset();
    if (end.signal != 0 || end.exit_code != exit_done) start_at_ = Clock::now() + retry_pause;
  } catch (const JobError& error) {
    pause(error);
  }
}

void KeptProgram::look() {
  if (!start_at_ || Clock::now() < *start_at_) return;
  start_at_.reset();
  try_start();
}

void KeptProgram::end(std::chrono::milliseconds limit) {
  if (child_) end_child(child_->pid(), limit);
}

void KeptProgram::try_start() {
  try {
    child_.emplace(start_);
  } catch (const JobError& error) {
    pause(error);
  }
}

void KeptProgram::pause(const JobError& why) {
  fmt::print(stderr, "tilewall: {}: {}\n", start_.arguments.front(), why.what());
  child_.reset();
  start_at_ = Clock::now() + retry_pause;
}

}  // namespace tilewall
