#include "sync/base/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>

#include "sync/base/check.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall {

namespace {

constexpr int exec_failed = 127;

/// Whether the output goes to the log of a role (role_log.hpp).
bool has_log(const ChildOptions& options) { return options.output.extension() == ".log"; }

/// Whether an isolated program keeps the variable, which is "NAME=VALUE". Without the loader's
/// variables, programs whose libraries lie in folders of their own would not start.
bool is_kept(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
#ifdef TILEWALL_SANITIZED
  if (name.ends_with("SAN_OPTIONS")) return true;
#endif
  return name == "LD_LIBRARY_PATH" || name == "LD_PRELOAD" || name.starts_with("TILEWALL_TEST_");
}

/// Takes from the child what an isolated program must not get. Its other descriptors close when it
/// runs its program.
void isolate() {
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (is_kept(*variable)) kept.emplace_back(*variable);
  // The child of a fork still has the texts in memory.
  for (char** variable = environ; *variable != nullptr; ++variable)
    ::explicit_bzero(*variable, std::strlen(*variable));
  ::clearenv();
  for (const std::string& variable : kept) {
    const std::size_t at = variable.find('=');
    ::setenv(variable.substr(0, at).c_str(), variable.substr(at + 1).c_str(), 1);
  }
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return;
  ::dup2(nothing, STDIN_FILENO);
  ::close(nothing);
}

/// Forks. Until settle(), the child holds all signals back and has none of the parent's handlers:
/// one of these would take a signal that is meant for the child's program, and may tell the parent
/// of it by a pipe that both have. Signals that the parent ignores stay ignored, as with nohup, but
/// for SIGPIPE: a process that handles closed pipes itself starts programs that may not.
pid_t fork_for_program() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  const int error = errno;
  if (child != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child == 0)
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action = {};
      if (::sigaction(signal, nullptr, &action) != 0) continue;
      if (action.sa_handler == SIG_IGN && signal != SIGPIPE) continue;
      action = {};
      action.sa_handler = SIG_DFL;
      ::sigaction(signal, &action, nullptr);
    }
  errno = error;
  return check_sys(child, "fork");
}

/// Applies the options in the child, before it runs its program or role.
void settle(const ChildOptions& options, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(exec_failed);  // the parent died before prctl() above
  if (options.own_group) ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (options.isolated) isolate();
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (has_log(options))
    ::setenv(role_log_variable, options.output.c_str(), 1);
  else
    ::unsetenv(role_log_variable);
  if (options.as_from_shell) {
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    lift_own_limits();
  }
  for (const int fd : options.inherited) ::fcntl(fd, F_SETFD, 0);
  if (options.standard_input >= 0) ::dup2(options.standard_input, STDIN_FILENO);
  if (options.standard_output >= 0) ::dup2(options.standard_output, STDOUT_FILENO);
  if (options.output.empty()) return;
  // Outputs that are no logs may be links in /proc.
  const int no_links = has_log(options) ? O_NOFOLLOW : 0;
  const int fd =
      ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | no_links, 0600);
  if (fd < 0) return;
  if (options.standard_output < 0) ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  ::close(fd);
}

ChildEnd end_of(pid_t pid, int status) {
  if (WIFSIGNALED(status)) return {pid, 0, WTERMSIG(status)};
  return {pid, WEXITSTATUS(status), 0};
}

}  // namespace

void isolate_fork(pid_t parent, int kept) {
  ChildOptions options;
  options.own_group = true;
  options.isolated = true;
  if (const char* const home = std::getenv("HOME"); home != nullptr)
    options.environment = {{"HOME", home}};  // names of files may begin with "~/"
  settle(options, parent);
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto own = static_cast<unsigned>(kept);
  if (own > first) ::close_range(first, own - 1, 0);
  ::close_range(std::max(own + 1, first), ~0U, 0);
}

pid_t start_program(const std::vector<std::string>& arguments, const ChildOptions& options) {
  TW_CHECK(!arguments.empty());
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = fork_for_program();
  if (child != 0) return child;
  settle(options, parent);
  ::execvp(argv[0], argv.data());
  ::_exit(exec_failed);
}

ReaderProgram start_reader(const std::string& name, int type,
                           const std::function<std::vector<std::string>(int socket)>& arguments,
                           ChildOptions options) {
  std::array<int, 2> ends = {};
  check_sys(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  ReaderProgram reader;
  reader.socket = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  options.output = "/dev/null";  // libraries print when they crash
  options.own_group = true;
  options.isolated = true;
  options.inherited.push_back(theirs.get());
  std::vector<std::string> words = arguments(theirs.get());
  words.insert(words.begin(), own_program(name).string());
  reader.pid = start_program(words, options);
  return reader;
}

pid_t start_role(const std::string& name, const ChildOptions& options,
                 const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = check_sys(::fork(), "fork");
  if (child != 0) return child;
  settle(options, parent);
  ::prctl(PR_SET_NAME, name.c_str());
  if (has_log(options)) begin_role("tilewall: " + name, options.output);
  int code = exit_failed;
  try {
    code = body();
  } catch (const std::exception& error) {
    log_line("tilewall: {}: {}", name, error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

ChildEnd wait_for(pid_t pid, std::chrono::milliseconds limit, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds look_interval{2};
  int status = 0;
  for (auto waited = look_interval; waited < limit && !stop.stop_requested();
       waited += look_interval) {
    if (check_sys(::waitpid(pid, &status, WNOHANG), "waitpid") == pid) return end_of(pid, status);
    std::this_thread::sleep_for(look_interval);
  }
  ::kill(pid, SIGKILL);
  check_sys(::waitpid(pid, &status, 0), "waitpid");
  return end_of(pid, status);
}

std::optional<ChildEnd> reap_any() {
  int status = 0;
  const pid_t pid = ::waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return std::nullopt;
  return end_of(pid, status);
}

void end_child(pid_t pid, std::chrono::milliseconds limit) {
  ::kill(pid, SIGTERM);
  static_cast<void>(wait_for(pid, limit));
}

namespace {

sigset_t watched_signals() { return signal_set({SIGCHLD, SIGTERM, SIGINT, SIGHUP}); }

}  // namespace

ChildWatch::ChildWatch(Hangup hangup) : hangup_(hangup), before_() {
  const sigset_t watched = watched_signals();
  sigprocmask(SIG_BLOCK, &watched, &before_);
  signals_ = signal_fd(watched);
}

ChildWatch::~ChildWatch() {
  // A terminal that is closed from here on ends nothing either.
  if (hangup_ == Hangup::is_told) ::signal(SIGHUP, SIG_IGN);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

WatchEvent ChildWatch::wait(std::chrono::milliseconds limit) const {
  const sigset_t watched = watched_signals();
  const timespec time = {limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&watched, nullptr, &time);
  if (signal < 0) return WatchEvent::nothing;
  if (signal == SIGCHLD) return WatchEvent::child;
  return signal == SIGHUP && hangup_ == Hangup::is_told ? WatchEvent::hangup : WatchEvent::stop;
}

namespace {

bool can_run(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

bool program_exists(const std::string& program) {
  if (program.find('/') != std::string::npos) return can_run(program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (can_run(folder.append("/").append(program))) return true;
  return false;
}

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::filesystem::path own_program(const std::string& name) {
  return own_program(name, program_folder());
}

std::filesystem::path own_program(const std::string& name, const std::filesystem::path& folder) {
  std::filesystem::path beside = folder / name;
  std::error_code error;
  if (std::filesystem::exists(beside, error)) return beside;
  // Places for an installed `tilewall`, and for tests that are installed below the helper programs.
  for (const auto& other : {folder / TILEWALL_HELPERS_FROM_BIN, folder.parent_path()})
    if (std::filesystem::exists(other / name, error)) return (other / name).lexically_normal();
  return beside;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string output;
  char part[4096];
  while (pipe) {
    const std::size_t got = std::fread(part, 1, sizeof part, pipe.get());
    if (got == 0) break;
    output.append(part, got);
  }
  return output;
}

}  // namespace tilewall
