#include "player/rendering/ranks/rank_crew.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <variant>
#include <vector>

#include "player/supervisor/host_check.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::rendering {
namespace {

constexpr int poll_ms = 50;
constexpr double first_pause_s = 1;
constexpr double longest_pause_s = 10;
constexpr int most_failures = 3;  // in a row, of all ranks, before the rendering ends
constexpr std::size_t most_log_bytes = 64 * 1024;
constexpr std::string_view state_words[] = {"is started again", "opens the volume", "waits",
                                            "draws samples",    "prepares",         "draws",
                                            "left out"};

/// Writing to a rank that has just ended is an error, and no signal.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// Why a rank has ended: what was printed, or how it ended.
std::string end_of(RankPlace& place) {
  const std::string how = place.process->finish();
  const std::string printed =
      supervisor::launch_summary(file_ending(place.folder / "errors", most_log_bytes));
  return printed.empty() ? how : printed + " (" + how + ")";
}

}  // namespace

std::string_view to_string(RankState state) { return state_words[static_cast<int>(state)]; }

RankCrew::RankCrew(const PictureJob& pictures, const wall::Wall& wall, const RankOptions& options,
                   const std::stop_token& stop, movie::ProgressSink& progress)
    : pictures_(pictures),
      wall_(wall),
      options_(options),
      stop_(stop),
      progress_(progress),
      several_hosts_(supervisor::uses_other_hosts(wall, options.local)) {
  supervisor::check_launch_template(options.launcher, several_hosts_);
  block_broken_pipes();
  make_places();
}

double RankCrew::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

// Each host has a place for each of its ranks.
void RankCrew::make_places() {
  for (const supervisor::LaunchHost& host : supervisor::launch_hosts(wall_, options_.local))
    for (int i = 0; i < options_.ranks; ++i) {
      RankPlace& place = places_.emplace_back();
      place.host = host;
      place.index = places_.size() - 1;
      place.label = host.is_this_machine() ? "this machine" : host.label();
      if (options_.ranks > 1) place.label = fmt::format("rank {} of {}", i + 1, place.label);
      place.folder = folder_.path() / fmt::format("rank-{}", place.index);
      std::filesystem::create_directory(place.folder);
    }
}

void RankCrew::leave_out_unfit_hosts(CrewListener& listener) {
  if (!several_hosts_) return;
  supervisor::HostCheckOptions check;
  check.launcher = options_.launcher;
  check.log_folder = folder_.path();
  check.wait = [this](std::chrono::milliseconds time) {
    return ::poll(nullptr, 0, static_cast<int>(time.count())) == 0 && !stop_.stop_requested();
  };
  for (const supervisor::HostFault& fault : supervisor::check_hosts(wall_, check).faults)
    for (RankPlace& place : places_)
      if (std::ranges::find(place.host.names, fault.host) != place.host.names.end())
        leave_out(place, fault.cause + "; " + fault.remedy, listener);
}

void RankCrew::turn(CrewListener& listener) {
  for (RankPlace& place : places_)
    if (place.state == RankState::waits && now_s() >= place.start_at_s) start(place);
  wait();
  for (RankPlace& place : places_) look_at(place, listener);
}

void RankCrew::start(RankPlace& place) {
  const std::vector<std::string> renderer = {own_program("tilewall-renderer").string()};
  const bool is_direct =
      place.host.is_this_machine() && !supervisor::is_launch_template(options_.launcher);
  supervisor::LaunchOptions launch;
  launch.launcher = options_.launcher;
  launch.run_dir = place.folder;
  RankProcess::Command command;
  command.words = is_direct ? renderer
                            : supervisor::launch_command(place.host, options_.launcher,
                                                         several_hosts_, renderer);
  if (!is_direct) command.environment = supervisor::launch_environment(place.host, launch);
  command.log = place.folder / "errors";
  std::error_code ignored;
  std::filesystem::remove(command.log, ignored);
  place.process = std::make_unique<RankProcess>(command);
  place.process->send(OpenOrder{program_version(), pictures_, options_.ranks});
  place.state = RankState::opening;
}

// Waits until a rank says something, for a moment.
void RankCrew::wait() {
  std::vector<pollfd> polled;
  for (const RankPlace& place : places_) {
    if (!place.process) continue;
    polled.push_back({place.process->output_fd(), POLLIN, 0});
    if (place.process->wants_write()) polled.push_back({place.process->input_fd(), POLLOUT, 0});
  }
  ::poll(polled.data(), polled.size(), poll_ms);
  if (stop_.stop_requested()) throw JobError("interrupted; run the same command again to resume");
}

void RankCrew::look_at(RankPlace& place, CrewListener& listener) {
  if (!place.process) return;
  try {
    place.process->write_some();
    for (const RankAnswer& answer : place.process->read_some()) {
      pass_on(place, answer, listener);
      if (!place.process) return;  // it was left out
    }
  } catch (const DamagedAnswer& error) {
    lose(place, error.what(), listener);
    return;
  }
  if (place.process->ended()) lose(place, end_of(place), listener);
}

void RankCrew::pass_on(RankPlace& place, const RankAnswer& answer, CrewListener& listener) {
  const auto* const note = std::get_if<RankNote>(&answer);
  if (note == nullptr)
    listener.take(place, answer);
  else if (told_.insert({note->line, place.index}).second)
    progress_.note(note->line);
}

void RankCrew::lose(RankPlace& place, const std::string& reason, CrewListener& listener) {
  const RankState before = place.state;
  place.process.reset();
  place.state = RankState::waits;
  place.reason = reason;
  ++place.failures;
  progress_.note(fmt::format("{}: {}; it is started again", place.label, reason));
  listener.lost(place, before);
  // One that has worked is started again at once.
  place.pause_s =
      place.failures <= 1 ? 0 : std::clamp(2 * place.pause_s, first_pause_s, longest_pause_s);
  place.start_at_s = now_s() + place.pause_s;
}

void RankCrew::leave_out(RankPlace& place, const std::string& reason, CrewListener& listener) {
  const RankState before = place.state;
  place.process.reset();
  place.state = RankState::refused;
  place.reason = reason;
  listener.lost(place, before);
  if (std::ranges::any_of(places_,
                          [](const RankPlace& one) { return one.state != RankState::refused; }))
    progress_.note(fmt::format("{}: {}; it draws nothing", place.label, reason));
}

void RankCrew::throw_if_stuck() const {
  const RankPlace* last = nullptr;
  for (const RankPlace& place : places_) {
    // One that fails again and again is tried on only beside others that work.
    const bool has_hope = place.failures < most_failures ? place.state != RankState::refused
                                                         : place.state == RankState::draws;
    if (has_hope) return;
    if (last == nullptr || place.state == RankState::refused) last = &place;
  }
  if (last->state == RankState::refused) throw InputError(last->reason);
  throw JobError(fmt::format("{}: {}; no rank is left", last->label, last->reason));
}

void RankCrew::end() {
  for (RankPlace& place : places_) place.process.reset();
}

}  // namespace tilewall::rendering
