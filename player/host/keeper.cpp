#include "player/host/keeper.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "player/host/hang_watch.hpp"
#include "player/host/kept_program.hpp"
#include "player/trace/log_clock.hpp"
#include "player/trace/restart_log.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds process_end_limit{300};  // after SIGTERM; then SIGKILL
constexpr std::chrono::milliseconds look_interval{500};
constexpr std::chrono::milliseconds keeper_trace_interval{250};
constexpr std::chrono::milliseconds trace_greeting_interval{20};
constexpr std::chrono::milliseconds trace_end_limit{50};
constexpr std::size_t most_quoted_bytes = 4096;  // end of a panel's log that is searched

std::filesystem::path clock_page(const KeeperOptions& options) {
  return trace::clock_page_of_host(options.run_dir);
}

std::filesystem::path movie_socket(const KeeperOptions& options) {
  return options.run_dir / ("movies-" + host_name());
}

std::vector<std::string> with_trace(std::vector<std::string> arguments,
                                    const KeeperOptions& options) {
  if (!options.trace.empty())
    arguments.insert(arguments.end(), {std::string("--trace"), options.trace});
  return arguments;
}

/// The keeper's own part of the trace. It has no thread of its own, because the keeper's children
/// are to die with its only thread.
class KeeperTrace {
 public:
  explicit KeeperTrace(const KeeperOptions& options)
      : thread_(&recorder_, "keeper"),
        link_({options.trace,
               {"keeper", options.panel, ::getpid(), host_name(), false, {}},
               trace::mapping_by_page(clock_page(options))},
              recorder_) {}

  ~KeeperTrace() { link_.finish(trace_end_limit); }
  KeeperTrace(const KeeperTrace&) = delete;
  KeeperTrace& operator=(const KeeperTrace&) = delete;

  void step() { link_.step(); }

  [[nodiscard]] std::chrono::milliseconds interval() const {
    return link_.sent() ? keeper_trace_interval : trace_greeting_interval;
  }

 private:
  sync::TraceRecorder recorder_;
  const sync::TraceThread thread_;
  trace::TraceLink link_;
};

std::filesystem::path panel_log(const KeeperOptions& options) {
  return options.run_dir / "logs" / fmt::format("panel-{}.log", options.panel);
}

/// How the panel is started. `turns` is its counter of turns.
ProgramStart panel_start(const KeeperOptions& options, const SharedCounter& turns) {
  const std::string name = fmt::format("panel-{}", options.panel);
  return {with_trace(
              {own_program("tilewall-panel").string(), "--director", options.director, "--panel",
               std::to_string(options.panel), "--clock-page", clock_page(options).string(),
               "--turns-fd", std::to_string(turns.fd()), "--movies", movie_socket(options).string(),
               "--seat", std::to_string(options.seat), "--seats", std::to_string(options.seats)},
              options),
          {.environment = {}, .output = panel_log(options), .inherited = {turns.fd()}},
          options.run_dir / "pids" / name};
}

ProgramStart host_service_start(const KeeperOptions& options) {
  const auto log_change = [file = trace::restart_log_file(options.run_dir)](bool runs) {
    runs ? trace::log_return(file, "host", "host") : trace::log_death(file, "host", "host");
  };
  return {with_trace({own_program("tilewall-host").string(), "--clock", options.clock,
                      "--clock-page", clock_page(options).string(), "--movies",
                      movie_socket(options).string(), "--run-dir", options.run_dir.string(),
                      "--decode", options.decode, "--hdr", options.hdr},
                     options),
          {.environment = {}, .output = options.run_dir / "logs" / "host.log"},
          options.run_dir / "pids" / "host",
          log_change};
}

ProgramStart sound_start(const KeeperOptions& options, const SharedCounter& turns) {
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

/// Reports the panel's death on standard error, which mpirun forwards to the director's host. The
/// panel's log stays on this host.
void tell_death(const KeeperOptions& options, const ChildEnd& end) {
  if (end.signal == 0 && end.exit_code == exit_done) return;
  const std::string how = end.signal != 0 ? fmt::format("died of signal {}", end.signal)
                                          : fmt::format("ended with code {}", end.exit_code);
  const std::string said =
      last_line_beginning(file_ending(panel_log(options), most_quoted_bytes), "tilewall");
  log_line("tilewall-keeper: panel {} on {} {}{}{}", options.panel, host_name(), how,
           said.empty() ? "" : ": ", said);
}

/// Makes the run directory on a host that does not have it, and removes it again at the end.
class HostRunDir {
 public:
  explicit HostRunDir(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    made_ = std::filesystem::create_directory(path, error);
    std::filesystem::create_directories(path / "pids", error);
    std::filesystem::create_directories(path / "logs", error);
  }
  ~HostRunDir() {
    std::error_code error;
    if (made_) std::filesystem::remove_all(path_, error);
  }
  HostRunDir(const HostRunDir&) = delete;
  HostRunDir& operator=(const HostRunDir&) = delete;

 private:
  const std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace

int run_keeper(const KeeperOptions& options) {
  const pid_t parent = ::getppid();
  const ChildWatch watch;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // the keeper ends when mpirun's daemon dies
  const HostRunDir run_dir(options.run_dir);
  std::optional<KeeperTrace> trace;
  if (!options.trace.empty()) trace.emplace(options);
  const SharedCounter sound_turns;
  std::optional<KeptProgram> host;
  std::optional<KeptProgram> sound;
  if (options.seat == 0) host.emplace(host_service_start(options));
  if (options.seat == 0 && options.sound) sound.emplace(sound_start(options, sound_turns));
  const SharedCounter turns;
  KeptChild panel(panel_start(options, turns));
  HangWatch hang_watch;
  hang_watch.started(turns.value(), Clock::now());
  int exit_code = exit_done;
  bool panel_runs = true;
  const auto interval = [&] { return trace ? trace->interval() : look_interval; };
  while (panel_runs && ::getppid() == parent && watch.wait(interval()) != WatchEvent::stop) {
    if (trace) trace->step();
    while (const auto end = reap_any()) {
      sync::trace_instant("child ended");
      if (host) host->take_end(*end);
      if (sound) sound->take_end(*end);
      if (end->pid != panel.pid()) continue;
      tell_death(options, *end);
      panel_runs = panel.restart_after(*end, exit_bad_input);
      hang_watch.started(turns.value(), Clock::now());
      exit_code = end->signal != 0 ? exit_failed : end->exit_code;
    }
    if (host) host->look();
    if (sound) sound->look();
    const auto waited = [&] {
      return run_queue_wait_of(panel.pid()).value_or(std::chrono::nanoseconds(0));
    };
    if (hang_watch.hangs(turns.value(), Clock::now(), waited)) ::kill(panel.pid(), SIGKILL);
  }
  if (panel_runs) end_child(panel.pid(), process_end_limit);
  if (host) host->end(process_end_limit);
  if (sound) sound->end(process_end_limit);
  return exit_code;
}

}  // namespace tilewall::host
