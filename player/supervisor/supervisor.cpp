#include "player/supervisor/supervisor.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include "net/clock/clock_daemon.hpp"
#include "net/control/control_place.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/director/log/journal.hpp"
#include "player/supervisor/clock_role.hpp"
#include "player/supervisor/console_service.hpp"
#include "player/supervisor/director_role.hpp"
#include "player/supervisor/host_check.hpp"
#include "player/supervisor/host_launchers.hpp"
#include "player/supervisor/keyframe_runs.hpp"
#include "player/supervisor/launch.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/show_console.hpp"
#include "player/supervisor/show_outcome.hpp"
#include "player/supervisor/show_secret.hpp"
#include "player/supervisor/volume_service.hpp"
#include "player/supervisor/wanted_programs.hpp"
#include "player/terminal/show_terminal.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::supervisor {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_interval{200};
// Both limits together keep the promise that a stopped show ends within 2 s. After a stop, the
// director has this long for panels' last reports and for snapshots; then it is killed. Hundreds of
// panels on one machine take its processors while they end, so the director gets more time there.
constexpr std::chrono::milliseconds director_end_limit{1200};
constexpr std::chrono::milliseconds director_end_time_of_panel{10};  // of each after the first 50
constexpr std::size_t soon_ended_panels = 50;
// A report with the hash of every picture has tens of megabytes after some minutes of fifteen
// panels.
constexpr std::chrono::milliseconds director_end_time_of_hashes{10'000};
constexpr std::chrono::milliseconds launcher_end_limit{600};  // launchers are killed after that
// mpirun 4.1.4 starts a process with 32 descriptors, and not with 30. For each panel, the director
// has up to three connections: the panel's, and with a trace those of the panel and its keeper.
constexpr std::uint64_t files_of_mpirun = 28;
constexpr std::uint64_t files_of_a_panel = 4;

/// The children of `parent`, from /proc.
std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

void kill_tree(pid_t root) {
  for (const pid_t child : children_of(root)) {
    kill_tree(child);
    ::kill(child, SIGKILL);
  }
}

/// Reaps children until none is left or the limit is over.
void reap_all(std::chrono::milliseconds limit) {
  const auto until = SteadyClock::now() + limit;
  while (SteadyClock::now() < until) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0) return;
    if (pid == 0) ::usleep(2000);
  }
}

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options)
      : options_(std::move(options)),
        watch_(options_.outlives_terminal ? Hangup::is_told : Hangup::stops),
        run_dir_(options_.run_dir, options_.resumes ? RunDirUse::resumed : RunDirUse::fresh),
        console_(options_.terminal,
                 terminal::control_line(run_dir_.path().string(), !options_.show.headless)),
        programs_(options_, run_dir_),
        keyframes_(options_, run_dir_),
        outcome_(options_.launcher),
        recorder_(traced() ? std::make_unique<sync::TraceRecorder>() : nullptr),
        trace_thread_(recorder_.get(), "supervisor") {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    run_dir_.write_pid("supervisor", ::getpid());
    run_dir_.write(wall_name_file, options_.show.wall.name);
  }

  ShowResult run() {
    unfit_hosts_ = host_faults();
    if (std::ranges::none_of(hosts(), [&](const LaunchHost& host) { return is_fit(host.address); }))
      return refusal_by_hosts(unfit_hosts_, run_dir_);
    for (const HostFault& fault : unfit_hosts_) options_.show.notes.push_back(to_string(fault));
    try {
      show();
    } catch (const InputError& error) {
      throw InputError(failure_line(error));
    } catch (const std::exception& error) {
      throw JobError(failure_line(error));
    }
    note_begun();
    return outcome_.result(director_.report().read(), run_dir_);
  }

 private:
  /// Runs the show, from the start of its first process to the end of its last one.
  void show() {
    share_secret(options_.show.wall, options_.key_file, run_dir_.path() / net::control_secret_file);
    open_control_port();
    open_operator_console();
    start_clock_daemon();
    place_volume_service();
    start_director();
    start_panels();
    programs_.start_wanted(control_);
    if (operator_console_) {
      programs_.start_console(*operator_console_);
      if (options_.console.opens_browser) operator_console_->open_browser();
    }
    start_trace();
    console_.open_terminal(control_);
    watch_over();
    console_.print_news();
    console_.close_terminal();
    clear_away();
  }

  void note_begun() {
    if (director_.has_begun()) run_dir_.show_has_begun();
  }

  /// Ends all processes of a show that failed with `error`, and keeps their logs. Returns the line
  /// to print; it names the folder of the logs if one of them has text.
  std::string failure_line(const std::exception& error) {
    console_.close_terminal();
    stop();
    try {
      clear_away();
    } catch (const std::exception&) {
      // Report the first error. Processes that are left die with this one (PR_SET_PDEATHSIG).
    }
    note_begun();
    const std::filesystem::path logs = run_dir_.keep_logs();
    return logs.empty()
               ? std::string(error.what())
               : fmt::format("{} (the logs of this show are in {})", error.what(), logs.string());
  }

  [[nodiscard]] ChildOptions role_options(const std::string& role) const {
    return {{}, run_dir_.log(role), true};
  }

  [[nodiscard]] std::vector<LaunchHost> hosts() const {
    return launch_hosts(options_.show.wall, options_.local);
  }

  [[nodiscard]] bool is_fit(const std::string& address) const {
    return std::ranges::find(unfit_hosts_, address, &HostFault::address) == unfit_hosts_.end();
  }

  /// Checks the wall's other hosts. Notes about hosts that are fit go into the show's report.
  [[nodiscard]] std::vector<HostFault> host_faults() {
    if (!uses_other_hosts(options_.show.wall, options_.local)) return {};
    const sync::TraceSpan span("check hosts");
    HostCheckOptions check;
    check.launcher = options_.launcher;
    check.log_folder = run_dir_.path() / "logs";
    check.wait = [this](std::chrono::milliseconds time) { return wait(time) != WatchEvent::stop; };
    HostCheck found = check_hosts(options_.show.wall, check);
    for (std::string& note : found.notes) options_.show.notes.push_back(std::move(note));
    return std::move(found.faults);
  }

  /// The address to listen at: loopback, or the one by which the wall's other hosts reach this one.
  [[nodiscard]] net::SocketAddress own_address() const {
    return address_for_hosts(options_.show.wall, options_.local,
                             [this](const std::string& one) { return is_fit(one); });
  }

  void start_clock_daemon() {
    const wall::Wall& wall = options_.show.wall;
    options_.show.clock = wall.clock_address;
    if (!wall.standby_clock_address.empty())
      options_.show.clock += "," + wall.standby_clock_address;
    if (options_.show.clock.empty()) {
      clock_.emplace(own_address());
      options_.show.clock = clock_->address();
      fork_clock_daemon();
    }
    run_dir_.write("clock.addr", options_.show.clock);
  }

  void fork_clock_daemon() {
    const sync::TraceSpan span("start clock daemon");
    clock_->start(role_options("clockd"), [this](int socket, SharedCounter& turns) {
      const trace::ProcessTrace trace(trace_options("clockd"));
      const sync::TraceThread thread(trace.recorder(), "clock daemon");
      return net::serve_clock(socket, net::key_of(net::Protocol::clock),
                              [&] { turns.increment(); });
    });
    run_dir_.write_pid("clockd", clock_->pid());
  }

  void look_at_clock() {
    const pid_t before = clock_->pid();
    clock_->look();
    if (clock_->pid() == before || clock_->pid() == 0) return;
    run_dir_.write_pid("clockd", clock_->pid());
    outcome_.add_restart({{"role", "clockd"},
                          {"panel", nullptr},
                          {"at_s", clock_died_s_},
                          {"back_s", since_start_s()}});
  }

  void open_control_port() {
    const std::string& wanted = options_.show.wall.control_address;
    UniqueFd listening =
        net::listen_tcp(wanted.empty() ? own_address() : net::resolve(wanted, "control_address"));
    control_ = net::to_string(net::local_address(listening.get()));
    director_.set_port(std::move(listening));
    run_dir_.write("control.addr", control_);
  }

  /// Those with which a command starts a show on the same wall.
  [[nodiscard]] std::vector<std::string> options_of_the_show() const {
    std::vector<std::string> words = {"--launcher", options_.launcher};
    if (!options_.show.wall.file.empty())
      words.insert(words.end(),
                   {"--wall", std::filesystem::absolute(options_.show.wall.file).string()});
    if (!options_.key_file.empty())
      words.insert(words.end(),
                   {"--key-file", std::filesystem::absolute(options_.key_file).string()});
    if (options_.local) words.emplace_back("--local");
    if (options_.show.headless) words.emplace_back("--headless");
    return words;
  }

  /// Listens for browsers before anything runs, so that a wrong address is refused at once.
  void open_operator_console() {
    if (!options_.console.on) return;
    operator_console_.emplace(options_.console, run_dir_, options_of_the_show(),
                              options_.render_options);
    console_.tell("the console: " + operator_console_->operator_url());
  }

  /// Opens the sockets of the volume server for hosts that do not have the files of the show's
  /// volumes. The server is started when it has a volume to serve.
  void place_volume_service() {
    if (!uses_other_hosts(options_.show.wall, options_.local)) return;
    net::ServerSockets sockets = net::open_server_sockets(net::with_port(own_address(), 0));
    options_.show.volumes = {net::to_string(net::local_address(sockets.tcp.get())),
                             run_dir_.path() / volume_exports_file};
    programs_.set_volume_sockets(std::move(sockets));
  }

  void start_director() {
    const sync::TraceSpan span("start director");
    options_.show.run_dir = run_dir_.path();
    options_.show.report_fd = director_.report().fd();
    director_.start(role_options("director"), [this](DirectorRole& role) { return direct(role); });
    note_director();
  }

  void note_director() {
    if (director_.pid() != 0) run_dir_.write_pid("director", director_.pid());
  }

  /// The body of the director's process.
  int direct(DirectorRole& role) {
    try {
      options_.show.memory = role.memory();
      options_.show.memory.start = journal_start();
      return director::run_director(options_.show, role.take_port(), console_.writing_end());
    } catch (const std::exception& error) {
      role.report_failure(error.what());
      throw;
    }
  }

  /// How this show was started, for its journal.
  [[nodiscard]] std::string journal_start() const {
    return nlohmann::json{{"version", director::journal_version},
                          {"wall", options_.show.wall.name},
                          {"panels", director::panel_names(options_.show.wall)},
                          {"arguments", options_.arguments},
                          {"folder", options_.folder.string()},
                          {"show_text", options_.show_text}}
        .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  }

  void start_panels() {
    HostLauncher::Settings settings;
    settings.launch = {options_.launcher,
                       control_,
                       options_.show.clock,
                       run_dir_.path(),
                       options_.show.sound ? options_.sound_host : "",
                       options_.decode,
                       traced(),
                       options_.show.inputs.hdr};
    settings.several_hosts = uses_other_hosts(options_.show.wall, options_.local);
    if (settings.several_hosts) settings.shell = remote_shell_of(options_.launcher);
    settings.logs = run_dir_.path() / "logs";
    settings.pids = run_dir_.path() / "pids";
    settings.since_start_s = [this] { return since_start_s(); };
    launchers_.emplace(hosts(), std::move(settings));
    launchers_->start(unfit_hosts_);
  }

  [[nodiscard]] bool traced() const { return !options_.show.trace_file.empty(); }

  /// How this process or a role that it forks sends its trace. Their local time is the director's,
  /// so they need no clock page.
  [[nodiscard]] trace::TraceLinkOptions trace_options(const std::string& role) const {
    return {traced() ? control_ : "", {role, -1, ::getpid(), host_name(), true}, {}};
  }

  void start_trace() {
    if (recorder_) trace_.emplace(trace_options("supervisor"), *recorder_);
  }

  void watch_over() {
    // The console's address and other lines are known before anything runs.
    console_.print_news_if_taken();
    while (director_.is_on()) {
      if (trace_) trace_->step();
      outcome_.look_at_disk(run_dir_.path());
      for (std::string& line : outcome_.new_crashes(run_dir_.path()))
        console_.tell(std::move(line));
      const WatchEvent event = console_.wait(watch_, look_interval);
      if (event == WatchEvent::stop) stop();
      if (event == WatchEvent::hangup) console_.lose_terminal();
      console_.take_news();
      console_.print_news_if_taken();
      if (console_.show_ends()) launchers_->stop_restarting();
      for (const int panel : console_.take_launcher_orders()) launchers_->replace(panel);
      for (const director::KeyframeOrder order : console_.take_keyframe_orders())
        keyframes_.order(order);
      while (const auto end = reap_any()) take_end(*end);
      // After a stop nothing is started or restarted: it would be killed again at once.
      if (!stopping_since_) {
        programs_.start_wanted(control_);
        programs_.look();
        if (auto line = keyframes_.look()) console_.tell(*std::move(line));
        look_at_launchers();
      }
      if (clock_) look_at_clock();
      const pid_t before = director_.pid();
      director_.look();
      if (director_.pid() != before) note_director();
      if (stopping_since_ && SteadyClock::now() > *stopping_since_ + director_end_time())
        director_.kill();
    }
  }

  void stop() {
    if (stopping_since_) return;
    stopping_since_ = SteadyClock::now();
    sync::trace_instant("stop");
    if (launchers_) launchers_->stop_restarting();
    director_.stop();
  }

  /// Ends a show for which no launcher could start panels.
  void look_at_launchers() {
    if (!launchers_->all_have_failed()) {
      for (std::string& line : launchers_->look()) console_.tell(std::move(line));
      return;
    }
    launchers_->stop_restarting();
    if (const HostLauncher* const failed = launchers_->first_failed())
      outcome_.launcher_failed(*failed->failure(), failed->host().file_name("launcher"));
    // The director has to write its report. Do not set `stopping_since_`: its limit might kill the
    // director, and lose the report.
    director_.stop();
  }

  /// Decides what the end of a child means: all of them are started again while the show runs.
  void take_end(const ChildEnd& end) {
    const bool is_on = director_.is_on() && !stopping_since_;
    if (is_on) programs_.take_end(end);
    if (auto line = keyframes_.take_end(end)) console_.tell(*std::move(line));
    if (end.pid == director_.pid()) {
      sync::trace_instant("director ended");
      if (director_.take_end(since_start_s())) outcome_.director_ended(end);
    } else if (clock_ && end.pid == clock_->pid() && !stopping_since_) {
      sync::trace_instant("clock daemon died");
      clock_died_s_ = since_start_s();
      clock_->take_end();
      look_at_clock();
    } else if (launchers_) {
      launchers_->take_end(end);
    }
  }

  [[nodiscard]] double since_start_s() const {
    return std::chrono::duration<double>(local_now() - options_.show.command_start).count();
  }

  [[nodiscard]] std::chrono::milliseconds director_end_time() const {
    const std::size_t panels = std::max(options_.show.wall.panels.size(), soon_ended_panels);
    const auto limit =
        director_end_limit + (panels - soon_ended_panels) * director_end_time_of_panel;
    return options_.show.hashes ? limit + director_end_time_of_hashes : limit;
  }

  /// Waits outside of watch_over(), where the terminal may be closed, too.
  WatchEvent wait(std::chrono::milliseconds limit) {
    const WatchEvent event = watch_.wait(limit);
    if (event == WatchEvent::hangup) console_.lose_terminal();
    return event;
  }

  void clear_away() {
    const auto until = SteadyClock::now() + launcher_end_limit;
    if (launchers_) launchers_->stop_restarting();
    while (launchers_ && launchers_->any_runs() && SteadyClock::now() < until) {
      static_cast<void>(wait(std::chrono::milliseconds(20)));
      while (const auto end = reap_any()) take_end(*end);
    }
    kill_tree(::getpid());
    reap_all(std::chrono::milliseconds(500));
    if (!launchers_) return;
    outcome_.set_missing_hosts(launchers_->faults());
    for (nlohmann::json& restart : launchers_->restarts()) outcome_.add_restart(std::move(restart));
  }

  SupervisorOptions options_;
  const ChildWatch watch_;
  RunDir run_dir_;
  ShowConsole console_;
  DirectorRole director_;
  std::optional<ClockRole> clock_;  // empty: the wall file names daemons
  double clock_died_s_ = 0;
  std::string control_;
  std::optional<ConsoleService> operator_console_;  // empty: the show has none
  std::vector<HostFault> unfit_hosts_;      // hosts that the check before the show found unfit
  std::optional<HostLaunchers> launchers_;  // empty before the first start
  WantedPrograms programs_;
  KeyframeRuns keyframes_;
  ShowOutcome outcome_;
  std::optional<SteadyClock::time_point> stopping_since_;  // empty: no stop was requested
  const std::unique_ptr<sync::TraceRecorder> recorder_;    // null: no trace
  const sync::TraceThread trace_thread_;
  std::optional<trace::TraceLink> trace_;
};

void check_launcher(const SupervisorOptions& options) {
  check_launch_template(options.launcher, uses_other_hosts(options.show.wall, options.local));
  std::string program;
  std::istringstream(options.launcher) >> program;
  if (!program_exists(program))
    throw JobError(fmt::format(
        "--launcher: {} is not in PATH: install it (Debian: openmpi-bin) or name another one",
        program));
}

/// Throws if this process may open too few files: mpirun would then start nothing and wait.
void check_open_files(const SupervisorOptions& options) {
  const auto here = static_cast<std::uint64_t>(std::ranges::count_if(
      options.show.wall.panels,
      [&](const wall::Panel& panel) { return options.local || panel.host.empty(); }));
  const std::uint64_t needed = files_of_mpirun + files_of_a_panel * here;
  const std::uint64_t limit = open_files_limit();
  if (limit >= needed) return;
  throw JobError(fmt::format(
      "open files are limited to {} (ulimit -n): starting {} panels here takes {}; raise the hard "
      "limit (ulimit -Hn)",
      limit, here, needed));
}

}  // namespace

ShowResult run_show(SupervisorOptions options) {
  require_key_for_hosts(options.show.wall, options.local, options.key_file);
  check_launcher(options);
  check_open_files(options);
  catch_stop_signals();        // before forking: a signal during a role's start must reach the role
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads the output may go, and the show goes on
  return Supervisor(std::move(options)).run();
}

}  // namespace tilewall::supervisor
