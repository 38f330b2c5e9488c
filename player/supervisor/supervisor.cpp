#include "player/supervisor/supervisor.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "net/auth_key.hpp"
#include "net/clock/clock_daemon.hpp"
#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "player/host/kept_program.hpp"
#include "player/scene/sound_messages.hpp"
#include "player/supervisor/director_output.hpp"
#include "player/supervisor/host_check.hpp"
#include "player/supervisor/launch.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/supervisor/volume_service.hpp"
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
// director has this long for panels' last reports and for snapshots; then it is killed.
constexpr std::chrono::milliseconds director_end_limit{1200};
constexpr std::chrono::milliseconds launcher_end_limit{600};  // mpirun is killed after that
constexpr std::size_t max_log_bytes = 64 * 1024;
// Measured with Open MPI 4.1.4: with fewer descriptors, mpirun did not start 2 and 15 panels.
constexpr std::uint64_t files_of_mpirun = 28;
constexpr std::uint64_t files_of_a_panel = 4;
constexpr std::size_t max_quoted_logs = 4;

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
        run_dir_(options_.run_dir),
        recorder_(traced() ? std::make_unique<sync::TraceRecorder>() : nullptr),
        trace_thread_(recorder_.get(), "supervisor") {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    run_dir_.write_pid("supervisor", ::getpid());
    run_dir_.write(wall_name_file, options_.show.wall.name);
  }

  ShowResult run() {
    if (const auto faults = host_faults(); !faults.empty()) return refusal(faults);
    try {
      show();
    } catch (const InputError& error) {
      throw InputError(failure_line(error));
    } catch (const std::exception& error) {
      throw JobError(failure_line(error));
    }
    return result();
  }

 private:
  /// Runs the show, from the start of its first process to the end of its last one.
  void show() {
    make_secrets();
    open_control_port();
    start_clock_daemon();
    place_volume_service();
    start_director();
    start_panels();
    start_sound_if_wanted();
    start_trace();
    open_terminal();
    watch_over();
    print_news();
    terminal_.reset();
    clear_away();
  }

  /// Ends all processes of a show that failed with `error`, and keeps their logs. Returns the line
  /// to print; it names the folder of the logs if one of them has text.
  std::string failure_line(const std::exception& error) {
    terminal_.reset();
    stop();
    try {
      clear_away();
    } catch (const std::exception&) {
      // Report the first error. Processes that are left die with this one (PR_SET_PDEATHSIG).
    }
    const std::filesystem::path logs = run_dir_.keep_logs();
    return logs.empty()
               ? std::string(error.what())
               : fmt::format("{} (the logs of this show are in {})", error.what(), logs.string());
  }

  [[nodiscard]] ChildOptions role_options(const std::string& role) const {
    return {{}, run_dir_.log(role), true};
  }

  /// Checks the wall's other hosts. Notes about hosts that are fit go into the show's report.
  [[nodiscard]] std::vector<HostFault> host_faults() {
    if (!uses_other_hosts(options_.show.wall, options_.local)) return {};
    const sync::TraceSpan span("check hosts");
    HostCheckOptions check;
    check.launcher = options_.launcher;
    check.log_folder = run_dir_.path() / "logs";
    check.wait = [this](std::chrono::milliseconds time) {
      return watch_.wait(time) != WatchEvent::stop;
    };
    HostCheck found = check_hosts(options_.show.wall, check);
    for (std::string& note : found.notes) options_.show.notes.push_back(std::move(note));
    return std::move(found.faults);
  }

  /// The result of a show that was not started, because hosts are not fit.
  ShowResult refusal(const std::vector<HostFault>& faults) {
    ShowResult result{exit_failed, nlohmann::json::object()};
    for (const HostFault& fault : faults) {
      result.report["hosts"].push_back({{"host", fault.host},
                                        {"address", fault.address},
                                        {"cause", fault.cause},
                                        {"remedy", fault.remedy}});
      if (faults.size() > 1) result.report["notes"].push_back(to_string(fault));
    }
    result.report["error"] =
        faults.size() == 1
            ? to_string(faults.front())
            : fmt::format("{} hosts of the wall cannot run panels; nothing was started",
                          faults.size());
    keep_logs(result);
    return result;
  }

  /// Adds the last log lines of the show's processes to the notes of a show that failed or whose
  /// panels stayed black. Lines that repeat the error are left out.
  void quote_logs(ShowResult& result) const {
    const nlohmann::json damage = result.report.value("damage", nlohmann::json::object());
    if (result.exit_code != exit_failed && damage.value("panels_black", 0) == 0) return;
    const std::string error = result.report.value("error", "");
    const std::string trouble =
        known_launch_trouble(file_beginning(run_dir_.log("launcher"), max_log_bytes));
    if (!trouble.empty() && error.find(trouble) == std::string::npos)
      result.report["notes"].push_back(trouble);
    std::set<std::string> lines;
    std::error_code ignored;
    for (const auto& log : std::filesystem::directory_iterator(run_dir_.path() / "logs", ignored)) {
      const std::string line = line_to_quote(file_ending(log.path(), max_log_bytes), error);
      if (!line.empty() && lines.size() < max_quoted_logs && lines.insert(line).second)
        result.report["notes"].push_back(
            fmt::format("logs/{}: {}", log.path().filename().string(), line));
    }
  }

  void keep_logs(ShowResult& result) {
    if (result.exit_code != exit_failed) return;
    const std::filesystem::path logs = run_dir_.keep_logs();
    if (!logs.empty()) result.report["logs"] = logs.string();
  }

  /// The address to listen at: loopback, or the one by which the wall's other hosts reach this one.
  [[nodiscard]] net::SocketAddress own_address() const {
    if (!uses_other_hosts(options_.show.wall, options_.local))
      return net::resolve("127.0.0.1:0", "wall");
    const std::string host = first_other_host(options_.show.wall);
    return net::route_address(net::resolve(host + ":0", "hosts"));
  }

  /// Puts the show's secrets into the environment, which its processes inherit. Other users can
  /// read the command line of a process, but not its environment.
  void make_secrets() {
    const std::string& control = options_.show.wall.control_address;
    const bool needed = uses_other_hosts(options_.show.wall, options_.local) ||
                        (!control.empty() && !net::resolve(control, "control_address").loopback());
    std::string control_secret;
    std::string clock_secret;
    if (!options_.key_file.empty()) {
      control_secret = clock_secret = net::file_secret_hex(options_.key_file);
    } else if (needed) {
      control_secret = net::random_secret_hex();
      if (options_.show.wall.clock_address.empty()) clock_secret = net::random_secret_hex();
    }
    ::setenv(net::control_secret_variable, control_secret.c_str(), 1);
    ::setenv(net::clock_secret_variable, clock_secret.c_str(), 1);
  }

  void start_clock_daemon() {
    const wall::Wall& wall = options_.show.wall;
    options_.show.clock = wall.clock_address;
    if (!wall.standby_clock_address.empty())
      options_.show.clock += "," + wall.standby_clock_address;
    if (options_.show.clock.empty()) {
      clock_socket_ = net::bind_udp(own_address());
      options_.show.clock = net::to_string(net::local_address(clock_socket_.get()));
      fork_clock_daemon();
    }
    run_dir_.write("clock.addr", options_.show.clock);
  }

  void fork_clock_daemon() {
    const sync::TraceSpan span("start clock daemon");
    clockd_ = start_role("tw-clockd", role_options("clockd"), [&] {
      control_socket_.reset();  // otherwise the port would stay open when the director dies
      const trace::ProcessTrace trace(trace_options("clockd"));
      const sync::TraceThread thread(trace.recorder(), "clock daemon");
      return net::serve_clock(clock_socket_.get(),
                              net::AuthKey::from_environment(net::clock_secret_variable));
    });
    run_dir_.write_pid("clockd", clockd_);
  }

  void open_control_port() {
    const std::string& wanted = options_.show.wall.control_address;
    control_socket_ =
        net::listen_tcp(wanted.empty() ? own_address() : net::resolve(wanted, "control_address"));
    control_ = net::to_string(net::local_address(control_socket_.get()));
    run_dir_.write("control.addr", control_);
    if (const char* secret = std::getenv(net::control_secret_variable);
        secret != nullptr && *secret != '\0')
      run_dir_.write_secret(control_secret_file, secret);
  }

  /// Chooses the address of the volume server for hosts that do not have the files of the show's
  /// volumes. The server is started when it has a volume to serve.
  void place_volume_service() {
    if (!uses_other_hosts(options_.show.wall, options_.local)) return;
    options_.show.volumes = {free_address(own_address()), run_dir_.path() / volume_exports_file};
  }

  /// Starts the volume server once the director has listed a volume.
  void start_volume_service_if_wanted() {
    const director::VolumeServerPlace& place = options_.show.volumes;
    std::error_code error;
    if (volumes_ || place.address.empty() || !std::filesystem::exists(place.list, error)) return;
    volumes_.emplace(
        volume_service(place, {run_dir_.log("volumes"), run_dir_.path() / "pids" / "volumes"}));
  }

  void start_director() {
    const sync::TraceSpan span("start director");
    options_.show.run_dir = run_dir_.path();
    options_.show.report_fd = report_.fd();
    director_ = start_role("tw-director", role_options("director"), [&] { return direct(); });
    control_socket_.reset();  // so that the port closes when the director ends
    run_dir_.write_pid("director", director_);
  }

  /// The body of the director's process.
  int direct() {
    try {
      return director::run_director(options_.show, std::move(control_socket_), news_.writing_end());
    } catch (const std::exception& error) {
      report_.write_error(error.what());
      throw;
    }
  }

  void start_panels() {
    const LaunchOptions launch{
        options_.launcher,   options_.local,  control_,
        options_.show.clock, run_dir_.path(), options_.show.sound ? options_.sound_host : "",
        options_.decode,     traced(),        options_.show.inputs.hdr};
    const sync::TraceSpan span("start panels");
    const auto arguments = launch_arguments(options_.show.wall, launch);
    ChildOptions child = role_options("launcher");
    child.environment = launch_environment(launch);
    launcher_ = start_program(arguments, child);
    run_dir_.write_pid("mpirun", launcher_);
  }

  /// Starts the sound process if the first scene has sound, or once the director asks for it by a
  /// file in the run directory.
  void start_sound_if_wanted() {
    std::error_code error;
    if (sound_ || !options_.show.sound || !options_.sound_host.empty()) return;
    if (scene::has_sound(options_.show.scene) ||
        std::filesystem::exists(run_dir_.path() / scene::sound_wanted_file, error))
      start_sound();
  }

  void start_sound() {
    const sync::TraceSpan span("start sound");
    std::vector<std::string> arguments = {own_program("tilewall-sound").string(),
                                          "--director",
                                          control_,
                                          "--clock",
                                          options_.show.clock,
                                          "--folder",
                                          run_dir_.path().string(),
                                          "--turns-fd",
                                          std::to_string(sound_turns_.fd())};
    if (traced()) arguments.insert(arguments.end(), {"--trace", control_});
    ChildOptions child = role_options("sound");
    child.inherited = {sound_turns_.fd()};
    sound_.emplace(host::ProgramStart{
        arguments, child, run_dir_.path() / "pids" / "sound", {}, &sound_turns_});
  }

  [[nodiscard]] bool traced() const { return !options_.show.trace_file.empty(); }

  /// How this process or a role that it forks sends its trace. Their local time is the director's,
  /// so they need no clock page.
  [[nodiscard]] trace::TraceLinkOptions trace_options(const std::string& role) const {
    return {traced() ? control_ : "", {role, -1, ::getpid(), host_name(), true, {}}, {}};
  }

  void start_trace() {
    if (recorder_) trace_.emplace(trace_options("supervisor"), *recorder_);
  }

  void open_terminal() {
    if (options_.terminal != TerminalUse::none && terminal::ShowTerminal::is_there())
      terminal_.emplace(control_);
  }

  /// Prints how to control the show. Called once the show has begun, because a show that fails
  /// earlier has nothing to control.
  void print_control_line() const {
    if (terminal_ || options_.terminal != TerminalUse::controlled) return;
    fmt::print("{}\n", terminal::control_line(run_dir_.path().string(), !options_.show.headless));
    std::fflush(stdout);
  }

  [[nodiscard]] WatchEvent wait_for_event() {
    if (!terminal_) return watch_.wait(look_interval);
    terminal_->wait(watch_.fd(), look_interval);
    return watch_.wait(std::chrono::milliseconds(0));
  }

  void print_news() {
    for (const std::string& line : news_.take_new()) {
      if (line == director::begun_news) {
        print_control_line();
        continue;
      }
      if (terminal_) terminal_->erase();
      fmt::print(stderr, "tilewall: {}\n", line);
    }
  }

  void watch_over() {
    while (director_ != 0) {
      if (trace_) trace_->step();
      look_at_disk();
      if (wait_for_event() == WatchEvent::stop) stop();
      // A terminal stopped by Ctrl-S would block this process; news wait in their pipe meanwhile.
      if (!terminal_ || terminal::ShowTerminal::takes_output()) print_news();
      while (const auto end = reap_any()) take_end(*end);
      // After a stop nothing is started or restarted: it would be killed again at once.
      if (!stopping_since_) start_sound_if_wanted();
      if (!stopping_since_) start_volume_service_if_wanted();
      if (sound_ && !stopping_since_) sound_->look();
      if (volumes_ && !stopping_since_) volumes_->look();
      if (stopping_since_ && SteadyClock::now() > *stopping_since_ + director_end_limit &&
          director_ != 0)
        ::kill(director_, SIGKILL);
    }
  }

  /// Notes whether the disk of the run directory is full. This cannot wait until the end of the
  /// show, when its processes have often made room again.
  void look_at_disk() {
    std::error_code error;
    const auto space = std::filesystem::space(run_dir_.path(), error);
    disk_was_full_ = disk_was_full_ || (!error && space.available == 0);
  }

  void stop() {
    if (stopping_since_) return;
    stopping_since_ = SteadyClock::now();
    sync::trace_instant("stop");
    if (director_ != 0) ::kill(director_, SIGTERM);
  }

  /// Decides what the end of a child means: the sound process, the volume server and the clock
  /// daemon are started again; without the director or the launcher the show is over.
  void take_end(const ChildEnd& end) {
    const bool is_on = director_ != 0 && !stopping_since_;
    // A KeptProgram ignores the ends of other children.
    if (sound_ && is_on) sound_->take_end(end);
    if (volumes_ && is_on) volumes_->take_end(end);
    if (end.pid == director_) {
      director_ = 0;
      director_end_ = end;
    } else if (end.pid == clockd_ && !stopping_since_) {
      sync::trace_instant("clock daemon died");
      const double died_s = since_start_s();
      // The socket stays open here, so the address is the same, and so is the host's monotonic
      // clock, which is global time: clients only notice a pause.
      fork_clock_daemon();
      restarts_.push_back(
          {{"role", "clockd"}, {"panel", nullptr}, {"at_s", died_s}, {"back_s", since_start_s()}});
    } else if (end.pid == launcher_) {
      launcher_ = 0;
      sync::trace_instant("panels ended");
      launcher_end_ = end;
      // No panel is left, so the director has to write its report. Do not set `stopping_since_`:
      // its limit would kill a director that still writes a large snapshot, and lose the report.
      if (director_ != 0) ::kill(director_, SIGTERM);
    }
  }

  [[nodiscard]] double since_start_s() const {
    return std::chrono::duration<double>(local_now() - options_.show.command_start).count();
  }

  void clear_away() {
    const auto until = SteadyClock::now() + launcher_end_limit;
    while (launcher_ != 0 && SteadyClock::now() < until) {
      static_cast<void>(watch_.wait(std::chrono::milliseconds(20)));
      while (const auto end = reap_any()) take_end(*end);
    }
    kill_tree(::getpid());
    reap_all(std::chrono::milliseconds(500));
  }

  ShowResult result() {
    ShowResult result{director_end_.signal != 0 ? exit_failed : director_end_.exit_code,
                      report_.read()};
    for (const nlohmann::json& restart : restarts_) result.report["restarts"].push_back(restart);
    explain(result);
    note_full_disk(result);
    quote_logs(result);
    keep_logs(result);
    return result;
  }

  void explain(ShowResult& result) const {
    if (result.report.contains("error")) return;
    const bool shown = result.report.value("frames_shown", 0) > 0;
    if (launcher_end_ &&
        (launcher_end_->signal != 0 || (launcher_end_->exit_code != 0 && !shown))) {
      result.exit_code = exit_failed;
      result.report["error"] = launcher_failure(*launcher_end_);
    } else if (director_end_.signal != 0) {
      result.report["error"] = fmt::format("the director died (signal {})", director_end_.signal);
    } else if (result.exit_code != 0) {
      result.report["error"] =
          fmt::format("the director ended with code {} and gave no report", result.exit_code);
    }
  }

  /// Reports a full disk under the run directory, because logs, process numbers and clock pages
  /// that are missing do not tell the reason.
  void note_full_disk(ShowResult& result) const {
    const std::string trouble =
        disk_was_full_ ? std::string(std::strerror(ENOSPC)) : run_dir_.write_trouble();
    if (trouble.empty()) return;
    const std::string line = fmt::format("the run directory {} cannot be written to: {}",
                                         run_dir_.path().string(), trouble);
    if (result.report.contains("error"))
      result.report["error"] = result.report["error"].get<std::string>() + "; " + line;
    else
      result.report["notes"].push_back(line + "; logs are incomplete");
  }

  [[nodiscard]] std::string launcher_failure(const ChildEnd& end) const {
    if (end.signal != 0) return fmt::format("{} died (signal {})", options_.launcher, end.signal);
    const std::string words =
        launch_summary(file_beginning(run_dir_.log("launcher"), max_log_bytes));
    return fmt::format("{} ended with code {}{}{}", options_.launcher, end.exit_code,
                       words.empty() ? " and printed nothing" : ": ", words);
  }

  SupervisorOptions options_;
  const ChildWatch watch_;
  RunDir run_dir_;
  NewsPipe news_;
  const ReportMemory report_;
  UniqueFd clock_socket_;    // bound here and kept, so that a new clock daemon can serve it
  UniqueFd control_socket_;  // listens here until the director has it
  std::string control_;
  pid_t clockd_ = 0;
  pid_t director_ = 0;
  pid_t launcher_ = 0;
  const SharedCounter sound_turns_;           // the sound process counts its turns here
  std::optional<host::KeptProgram> sound_;    // empty: no sound yet, or another host plays it
  std::optional<host::KeptProgram> volumes_;  // empty: no other host needs a volume's file
  ChildEnd director_end_;
  std::optional<ChildEnd> launcher_end_;
  bool disk_was_full_ = false;            // run directory's disk, at any time of the show
  std::vector<nlohmann::json> restarts_;  // clock daemons that died, for the report
  std::optional<SteadyClock::time_point> stopping_since_;  // empty: no stop was requested
  std::optional<terminal::ShowTerminal> terminal_;         // empty: no terminal, or not to be used
  const std::unique_ptr<sync::TraceRecorder> recorder_;    // null: no trace
  const sync::TraceThread trace_thread_;
  std::optional<trace::TraceLink> trace_;
};

void check_launcher(const std::string& launcher) {
  const std::string program = launcher.substr(0, launcher.find(' '));
  if (program.empty()) throw InputError({"--launcher"}, "", "a program", "nothing");
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
  check_launcher(options.launcher);
  check_open_files(options);
  catch_stop_signals();  // before forking: a signal during a role's start must reach the role
  return Supervisor(std::move(options)).run();
}

}  // namespace tilewall::supervisor
