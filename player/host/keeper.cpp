#include "player/host/keeper.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "player/host/hang_watch.hpp"
#include "player/host/kept_program.hpp"
#include "player/host/process_state.hpp"
#include "player/trace/log_clock.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall::host {
namespace {

constexpr std::chrono::milliseconds process_end_limit{300};  // after SIGTERM; then SIGKILL
constexpr std::chrono::milliseconds look_interval{250};
constexpr std::chrono::milliseconds pause_look_interval{20};  // while the panel does not run
constexpr std::chrono::milliseconds keeper_trace_interval{250};
constexpr std::chrono::milliseconds trace_greeting_interval{20};
constexpr std::chrono::milliseconds trace_end_limit{50};
constexpr std::size_t most_quoted_bytes = 4096;  // end of a panel's log that is searched
// The pauses before the second to the fifth restart within 10 s grow from 20 ms to 1.3 s. Bad input
// does not get better, and the director ends the show for it.
const RestartLimits panel_limits = {.first_pause = std::chrono::milliseconds(20),
                                    .rest_code = exit_bad_input};

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
               {"keeper", options.panel, ::getpid(), host_name(), false},
               trace::mapping_by_page(clock_page(options.run_dir))},
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
  return {
      with_trace({own_program("tilewall-panel").string(), "--director", options.director, "--panel",
                  std::to_string(options.panel), "--clock-page",
                  clock_page(options.run_dir).string(), "--turns-fd", std::to_string(turns.fd()),
                  "--movies", movie_socket(options.run_dir).string(), "--seat",
                  std::to_string(options.seat), "--seats", std::to_string(options.seats)},
                 options),
      {.environment = {}, .output = panel_log(options), .inherited = {turns.fd()}},
      options.run_dir / "pids" / name,
      {},
      &turns};
}

/// Reports the panel's death on standard error, which the launcher forwards to the director's host.
/// The panel's log stays on this host.
void tell_death(const KeeperOptions& options, const ChildEnd& end) {
  if (end.signal == 0 && end.exit_code == exit_done) return;
  const std::string how = end.signal != 0 ? fmt::format("died of signal {}", end.signal)
                                          : fmt::format("ended with code {}", end.exit_code);
  const std::string said =
      last_line_beginning(file_ending(panel_log(options), most_quoted_bytes), "tilewall");
  log_line("tilewall-keeper: panel {} on {} {}{}{}", options.panel, host_name(), how,
           said.empty() ? "" : ": ", said);
}

}  // namespace

int run_keeper(const KeeperOptions& options) {
  const pid_t parent = ::getppid();
  const ChildWatch watch;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // the keeper ends when the host's keeper dies
  std::optional<KeeperTrace> trace;
  if (!options.trace.empty()) trace.emplace(options);
  const SharedCounter turns;
  KeptProgram panel(panel_start(options, turns), panel_limits);
  const auto interval = [&] {
    if (panel.pid() == 0) return pause_look_interval;
    return trace ? trace->interval() : look_interval;
  };
  // Nobody else watches the keeper of the host. Its death ends this keeper and the launcher, and
  // the host is started again.
  StopWatch parent_watch(StopWatch::usual_limit);
  parent_watch.started(std::chrono::steady_clock::now());
  while (!panel.has_ended() && ::getppid() == parent &&
         watch.wait(interval()) != WatchEvent::stop) {
    if (trace) trace->step();
    while (const auto end = reap_any()) {
      sync::trace_instant("child ended");
      if (end->pid == panel.pid()) tell_death(options, *end);
      panel.take_end(*end);
    }
    panel.look();
    if (parent_watch.exceeded(is_stopped(parent), std::chrono::steady_clock::now()))
      ::kill(parent, SIGKILL);
  }
  if (panel.has_ended()) return exit_done;
  panel.end(process_end_limit);
  return exit_failed;
}

std::filesystem::path clock_page(const std::filesystem::path& run_dir) {
  return trace::clock_page_of_host(run_dir);
}

std::filesystem::path movie_socket(const std::filesystem::path& run_dir) {
  return run_dir / ("movies-" + host_name());
}

}  // namespace tilewall::host
