#include "player/supervisor/director_role.hpp"

#include <csignal>
#include <utility>

#include "player/director/log/journal.hpp"
#include "player/director/statistics/checkpoint.hpp"
#include "player/host/process_state.hpp"
#include "sync/base/error.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/run_queue.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::chrono::seconds death_window{10};
constexpr std::size_t most_deaths = 6;  // within the window; a show that has not begun fails then
constexpr std::size_t deaths_without_pause = 3;
constexpr std::chrono::milliseconds first_pause{50};  // then four times as long each time
constexpr std::chrono::milliseconds longest_pause{2000};
constexpr int pause_growth = 4;

}  // namespace

std::chrono::milliseconds DirectorRole::pause_after(std::size_t deaths) {
  if (deaths <= deaths_without_pause) return std::chrono::milliseconds(0);
  std::chrono::milliseconds pause = first_pause;
  for (std::size_t i = deaths_without_pause + 1; i < deaths && pause < longest_pause; ++i)
    pause *= pause_growth;
  return std::min(pause, longest_pause);
}

DirectorRole::DirectorRole()
    : journal_(director::JournalMemory::make()),
      checkpoint_(director::CheckpointMemory::make()),
      hashes_(director::HashMemory::make()),
      log_(director::ShowLogMemory::make()),
      deaths_(death_window) {}

director::ShowMemory DirectorRole::memory() const {
  director::ShowMemory memory;
  memory.journal_fd = journal_.get();
  memory.checkpoint_fd = checkpoint_.get();
  memory.hash_fd = hashes_.get();
  memory.log_fd = log_.get();
  memory.turns_fd = turns_.fd();
  memory.deaths_s = deaths_s_;
  return memory;
}

void DirectorRole::start(const ChildOptions& options,
                         std::function<int(DirectorRole& role)> direct) {
  options_ = options;
  direct_ = std::move(direct);
  fork_now();
}

void DirectorRole::fork_now() {
  start_at_.reset();
  report_.clear();
  pid_ = start_role("tw-director", options_, [&] { return direct_(*this); });
  hang_watch_.started(turns_.value(), Clock::now());
  stop_watch_.started(Clock::now());
}

bool DirectorRole::has_begun() const {
  const director::JournalMemory journal(journal_.get());
  return journal.text(journal.range()).find("\"kind\":\"scene\"") != std::string::npos;
}

void DirectorRole::report_failure(const std::string& line) const {
  if (!has_begun()) report_.write_error(line);
}

bool DirectorRole::take_end(double died_s) {
  pid_ = 0;
  const bool has_report = !report_.read().empty();
  // With a report the show is over, even where the process then hung, on a disk for instance.
  if (is_killed_ || has_report) return true;
  const std::size_t deaths = deaths_.add(Clock::now());
  if (deaths >= most_deaths && !has_begun()) return true;
  deaths_s_.push_back(died_s);
  start_at_ = Clock::now() + pause_after(deaths);
  return false;
}

void DirectorRole::look() {
  if (pid_ != 0) {
    const auto waited = [&] {
      return run_queue_wait_of(pid_).value_or(std::chrono::nanoseconds(0));
    };
    const bool is_silent = hang_watch_.hangs(turns_.value(), Clock::now(), waited);
    if (stop_watch_.exceeded(host::is_stopped(pid_), Clock::now()) || is_silent)
      ::kill(pid_, SIGKILL);
  }
  if (!start_at_ || Clock::now() < *start_at_) return;
  try {
    fork_now();
  } catch (const JobError& error) {  // no process can be started now
    log_line("tilewall: the director: {}", error.what());
    start_at_ = Clock::now() + longest_pause;
    return;
  }
  if (stops_) ::kill(pid_, SIGTERM);
}

void DirectorRole::stop() {
  stops_ = true;
  if (pid_ != 0) ::kill(pid_, SIGTERM);
  if (start_at_) start_at_ = Clock::now();
}

void DirectorRole::kill() {
  is_killed_ = true;
  start_at_.reset();
  if (pid_ != 0) ::kill(pid_, SIGKILL);
}

}  // namespace tilewall::supervisor
