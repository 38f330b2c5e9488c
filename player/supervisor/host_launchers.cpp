#include "player/supervisor/host_launchers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/host/host_keeper.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::size_t max_launcher_log_bytes = 64 * 1024;
constexpr int try_pause_growth = 2;

// For launchers that were up before. The first restart is at once, for the panels to be back soon.
const host::RestartLimits launcher_limits = {.window = std::chrono::seconds(10),
                                             .most = 5,
                                             .first_pause = std::chrono::milliseconds(100),
                                             .rest = std::chrono::seconds(5),
                                             .orderly_end = host::OrderlyEnd::none};

/// "mpirun ended with code 1: WORDS"
std::string cause_of(const std::string& launcher, const ChildEnd& end, const std::string& text) {
  const std::string program = launcher.substr(0, launcher.find(' '));
  if (end.signal != 0) return fmt::format("{} died (signal {})", program, end.signal);
  const std::string words = launch_summary(text);
  return fmt::format("{} ended with code {}{}{}", program, end.exit_code,
                     words.empty() ? " and printed nothing" : ": ", words);
}

}  // namespace

HostLauncher::HostLauncher(LaunchHost host, const Settings& settings)
    : host_(std::move(host)), settings_(settings), pause_(settings.first_pause) {}

std::filesystem::path HostLauncher::log() const {
  return settings_.logs / (host_.file_name("launcher") + ".log");
}

void HostLauncher::start() {
  const sync::TraceSpan span("start panels");
  note_start();
  ChildOptions child{launch_environment(host_, settings_.launch), log(), true};
  const auto note_change = [this](bool runs) {
    runs ? void(started_at_ = SteadyClock::now()) : note_start();
  };
  program_.emplace(
      host::ProgramStart{launch_arguments(host_, settings_.launch, settings_.several_hosts),
                         std::move(child), settings_.pids / host_.file_name("mpirun"), note_change},
      launcher_limits);
}

void HostLauncher::start_later(const HostFault& fault) { note_fault(fault); }

/// Notes that what the log has so far is not of the next launcher.
void HostLauncher::note_start() {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(log(), error);
  log_begin_bytes_ = error ? 0 : bytes;
  started_at_ = SteadyClock::now();
  is_up_ = is_late_ = is_replaced_ = false;
}

std::string HostLauncher::log_since_start() const {
  std::ifstream file(log(), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(log_begin_bytes_));
  std::string text(max_launcher_log_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void HostLauncher::look_for_mark() {
  if (is_up_ || log_since_start().find(host::keeping_mark) == std::string::npos) return;
  is_up_ = was_up_ = true;
  fault_.reset();
  pause_ = settings_.first_pause;
  if (!deaths_.empty() && !deaths_.back().back_s) deaths_.back().back_s = settings_.since_start_s();
}

void HostLauncher::take_end(const ChildEnd& end) {
  if (check_) check_->take_end(end);
  if (!program_ || end.pid != program_->pid()) return;
  look_for_mark();
  if (!restarts_) {
    program_.reset();
    return;
  }
  const bool was_up_now = is_up_;
  if (was_up_now) note_death();
  // A launcher that was killed says nothing about its host. One that ended by itself has lost it.
  const bool was_killed =
      is_replaced_ || (!is_late_ && (end.signal == SIGKILL || end.signal == SIGTERM));
  if (was_killed || (was_up_now && !is_checked())) {
    program_->take_end(end);  // starts it again, now or later
    return;
  }
  fail(end);
  if (was_up_now) try_at_ = SteadyClock::now();
}

void HostLauncher::note_death() {
  sync::trace_instant("launcher died");
  if (deaths_.empty() || deaths_.back().back_s)
    deaths_.push_back({settings_.since_start_s(), std::nullopt});
}

/// Whether the host is checked before a try.
bool HostLauncher::is_checked() const { return settings_.shell && !host_.is_this_machine(); }

/// Plans another try for a launcher that has ended.
void HostLauncher::fail(const ChildEnd& end) {
  const std::string& launcher = settings_.launch.launcher;
  const std::string cause =
      is_late_ ? fmt::format("{} did not start tilewall-keeper within {} s",
                             launcher.substr(0, launcher.find(' ')),
                             std::chrono::ceil<std::chrono::seconds>(settings_.start_limit).count())
               : cause_of(launcher, end, log_since_start());
  program_.reset();
  failure_ = end;
  is_up_ = false;
  note_fault({host_.label(), host_.address, cause,
              fmt::format("read logs/{}", log().filename().string())});
}

/// Plans the next try.
void HostLauncher::note_fault(const HostFault& fault) {
  fault_ = fault;
  try_at_ = SteadyClock::now() + pause_;
  pause_ = std::min(pause_ * try_pause_growth, settings_.longest_pause);
}

void HostLauncher::look() {
  if (!restarts_) return;
  if (check_) finish_check();
  if (try_at_ && SteadyClock::now() >= *try_at_) begin_try();
  if (!program_) return;
  program_->look();
  if (!runs()) return;
  look_for_mark();
  if (is_up_ || is_late_ || SteadyClock::now() < started_at_ + settings_.start_limit) return;
  is_late_ = true;
  program_->replace(settings_.end_limit);
}

void HostLauncher::begin_try() {
  try_at_.reset();
  if (!is_checked()) return start();
  HostCheckOptions options;
  options.launcher = settings_.launch.launcher;
  try {
    check_.emplace(wall::Host{host_.label(), host_.address}, *settings_.shell, options,
                   settings_.logs / (host_.file_name("check") + ".log"));
  } catch (const JobError& error) {  // no process can be started now
    note_fault({host_.label(), host_.address, error.what(), "end other programs of this machine"});
  }
}

void HostLauncher::finish_check() {
  check_->look();
  if (!check_->done()) return;
  const std::optional<HostFault> fault = check_->fault();
  check_.reset();
  fault ? note_fault(*fault) : start();
}

void HostLauncher::replace() {
  if (!restarts_) return;
  if (runs()) {
    is_replaced_ = !is_late_;
    return program_->replace(settings_.end_limit);
  }
  if (try_at_) try_at_ = SteadyClock::now();
  if (program_) program_->rouse();
}

void HostLauncher::stop_restarting() {
  restarts_ = false;
  if (check_) check_->abort();
  check_.reset();
}

std::string HostLauncher::take_news() {
  if (fault_) {
    const std::string line =
        host_.is_this_machine() ? fmt::format("this machine: {}; {}", fault_->cause, fault_->remedy)
                                : to_string(*fault_);
    if (std::exchange(told_, line) == line) return "";
    return line + " (the show goes on without its panels, and tries again)";
  }
  if (!is_up_ || told_.empty()) return "";
  told_.clear();
  return host_.is_this_machine()
             ? "this machine's panels are started now"
             : fmt::format("host {}: its panels are started now", host_.label());
}

HostLaunchers::HostLaunchers(std::vector<LaunchHost> hosts, HostLauncher::Settings settings)
    : settings_(std::move(settings)) {
  for (LaunchHost& host : hosts) launchers_.emplace_back(std::move(host), settings_);
}

void HostLaunchers::start(const std::vector<HostFault>& unfit) {
  for (HostLauncher& launcher : launchers_) {
    const auto fault = std::ranges::find(unfit, launcher.host().address, &HostFault::address);
    fault == unfit.end() ? launcher.start() : launcher.start_later(*fault);
  }
}

void HostLaunchers::take_end(const ChildEnd& end) {
  for (HostLauncher& launcher : launchers_) launcher.take_end(end);
}

std::vector<std::string> HostLaunchers::look() {
  std::vector<std::string> lines;
  for (HostLauncher& launcher : launchers_) {
    launcher.look();
    if (std::string line = launcher.take_news(); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

void HostLaunchers::replace(int panel) {
  for (HostLauncher& launcher : launchers_)
    if (std::ranges::find(launcher.host().panels, panel) != launcher.host().panels.end())
      launcher.replace();
}

void HostLaunchers::stop_restarting() {
  for (HostLauncher& launcher : launchers_) launcher.stop_restarting();
}

bool HostLaunchers::any_runs() const {
  return std::ranges::any_of(launchers_, [](const HostLauncher& one) { return one.runs(); });
}

bool HostLaunchers::all_have_failed() const {
  return std::ranges::all_of(launchers_,
                             [](const HostLauncher& one) { return one.has_only_failed(); });
}

const HostLauncher* HostLaunchers::first_failed() const {
  const auto failed = std::ranges::find_if(
      launchers_, [](const HostLauncher& one) { return one.failure() && one.fault(); });
  return failed == launchers_.end() ? nullptr : &*failed;
}

std::vector<HostFault> HostLaunchers::faults() const {
  std::vector<HostFault> faults;
  for (const HostLauncher& launcher : launchers_)
    if (launcher.fault()) faults.push_back(*launcher.fault());
  return faults;
}

std::vector<nlohmann::json> HostLaunchers::restarts() const {
  std::vector<nlohmann::json> restarts;
  for (const HostLauncher& launcher : launchers_)
    for (const HostLauncher::Death& death : launcher.deaths())
      restarts.push_back({{"role", "launcher"},
                          {"panel", nullptr},
                          {"host", launcher.host().label()},
                          {"at_s", death.at_s},
                          {"back_s", json_or_null(death.back_s)}});
  return restarts;
}

}  // namespace tilewall::supervisor
