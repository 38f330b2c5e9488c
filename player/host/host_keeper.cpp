#include "player/host/host_keeper.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <optional>

#include "player/host/host_run_dir.hpp"
#include "player/host/keeper.hpp"
#include "player/host/kept_program.hpp"
#include "player/trace/restart_log.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {
namespace {

constexpr std::chrono::milliseconds host_look_interval{200};  // panels wait for the host service
// The service waits for children to end, and a caster may take seconds to give back its memory.
constexpr std::chrono::seconds service_hang_limit{15};
constexpr std::chrono::milliseconds host_pause_look_interval{
    20};                                                       // while a process is to be started
constexpr std::chrono::milliseconds older_keeper_limit{1000};  // after SIGTERM; then SIGKILL
constexpr std::chrono::milliseconds host_end_limit{600};       // a keeper gives its panel 300 ms
const RestartLimits keeper_limits = {.first_pause = std::chrono::milliseconds(20)};

std::vector<std::string> with_trace(std::vector<std::string> arguments,
                                    const HostKeeperOptions& options) {
  if (!options.trace.empty())
    arguments.insert(arguments.end(), {std::string("--trace"), options.trace});
  return arguments;
}

ProgramStart host_service_start(const HostKeeperOptions& options, const SharedCounter& turns) {
  const auto log_change = [file = trace::restart_log_file(options.run_dir)](bool runs) {
    runs ? trace::log_return(file, "host", "host") : trace::log_death(file, "host", "host");
  };
  return {
      with_trace({own_program("tilewall-host").string(), "--director", options.director, "--clock",
                  options.clock, "--clock-page", clock_page(options.run_dir).string(), "--movies",
                  movie_socket(options.run_dir).string(), "--run-dir", options.run_dir.string(),
                  "--turns-fd", std::to_string(turns.fd()), "--decode", options.decode, "--hdr",
                  options.hdr},
                 options),
      {.environment = {},
       .output = options.run_dir / "logs" / "host.log",
       .inherited = {turns.fd()}},
      options.run_dir / "pids" / "host",
      log_change,
      &turns};
}

ProgramStart sound_start(const HostKeeperOptions& options, const SharedCounter& turns) {
  return {with_trace({own_program("tilewall-sound").string(), "--director", options.director,
                      "--clock", options.clock, "--folder", options.run_dir.string(), "--turns-fd",
                      std::to_string(turns.fd())},
                     options),
          {.environment = {},
           .output = options.run_dir / "logs" / "sound.log",
           .inherited = {turns.fd()}},
          options.run_dir / "pids" / "sound",
          {},
          &turns};
}

/// How the keeper of the panel in that seat is started. It inherits the lock, so that a panel of an
/// older launch has ended before the next launch begins.
ProgramStart keeper_start(const HostKeeperOptions& options, std::size_t seat, int lock) {
  return {
      keeper_arguments(options, seat), {.environment = {}, .output = {}, .inherited = {lock}}, {}};
}

/// All programs of a host. They die with the calling thread.
class HostPrograms {
 public:
  HostPrograms(const HostKeeperOptions& options, int lock) {
    // The clock page and the socket are what panels wait for first.
    others_.emplace_back(
        host_service_start(options, service_turns_),
        RestartLimits{.hang = service_hang_limit, .stopped = StopWatch::awaited_limit});
    if (options.sound) others_.emplace_back(sound_start(options, sound_turns_));
    for (std::size_t seat = 0; seat < options.panels.size(); ++seat)
      keepers_.emplace_back(keeper_start(options, seat, lock), keeper_limits);
  }

  void take_end(const ChildEnd& end) {
    for (std::deque<KeptProgram>* const programs : {&keepers_, &others_})
      for (KeptProgram& program : *programs) program.take_end(end);
  }

  void look() {
    for (std::deque<KeptProgram>* const programs : {&keepers_, &others_})
      for (KeptProgram& program : *programs) program.look();
  }

  /// Whether all panels have ended in order.
  [[nodiscard]] bool have_ended() const {
    return std::ranges::all_of(keepers_, [](const KeptProgram& one) { return one.has_ended(); });
  }

  /// Whether a keeper waits for its next start.
  [[nodiscard]] bool pauses() const {
    return std::ranges::any_of(
        keepers_, [](const KeptProgram& one) { return one.pid() == 0 && !one.has_ended(); });
  }

  void end() {
    for (const KeptProgram& keeper : keepers_)
      if (keeper.pid() != 0) ::kill(keeper.pid(), SIGTERM);
    for (KeptProgram& keeper : keepers_) keeper.end(host_end_limit);
    for (KeptProgram& program : others_) program.end(host_end_limit);
  }

 private:
  const SharedCounter service_turns_;  // the host service counts its turns here
  const SharedCounter sound_turns_;    // the sound process does it here
  std::deque<KeptProgram> keepers_;    // in the order of the seats
  std::deque<KeptProgram> others_;     // the host service, the sound process
};

}  // namespace

std::vector<std::string> keeper_arguments(const HostKeeperOptions& options, std::size_t seat) {
  return with_trace(
      {own_program("tilewall-keeper").string(), "--director", options.director, "--run-dir",
       options.run_dir.string(), "--panel", std::to_string(options.panels.at(seat)), "--seat",
       std::to_string(seat), "--seats", std::to_string(options.panels.size())},
      options);
}

int run_host_keeper(const HostKeeperOptions& options) {
  const pid_t parent = ::getppid();
  const ChildWatch watch;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // this host's processes end when the launcher's daemon dies
  const HostRunDir run_dir(options.run_dir, older_keeper_limit);
  fmt::print("{} {}]\n", keeping_mark, fmt::join(options.panels, ","));
  std::fflush(stdout);
  HostPrograms programs(options, run_dir.lock());
  const auto interval = [&] {
    return programs.pauses() ? host_pause_look_interval : host_look_interval;
  };
  while (!programs.have_ended() && ::getppid() == parent &&
         watch.wait(interval()) != WatchEvent::stop) {
    while (const auto end = reap_any()) programs.take_end(*end);
    programs.look();
  }
  const bool in_order = programs.have_ended();
  programs.end();
  return in_order ? exit_done : exit_failed;
}

}  // namespace tilewall::host
