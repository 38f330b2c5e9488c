#include "player/supervisor/host_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "net/interfaces.hpp"
#include "net/socket.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::chrono::milliseconds host_look_interval{10};
constexpr const char* command_mark = "$ ";  // begins the log's first line, which has the command
constexpr std::size_t max_output_bytes = 64 * 1024;
constexpr const char* remote_programs[] = {"tilewall-keeper", "tilewall-panel", "tilewall-host"};

// Exit codes of the process that checks a host. Remote shells and programs do not use them.
constexpr int exit_local = 200;
constexpr int exit_no_name = 201;
constexpr int exit_no_shell = 202;

std::string remote_command() {
  std::string command;
  for (const char* const program : remote_programs)
    command +=
        (command.empty() ? "" : " && ") + shell_word(own_program(program).string()) + " --version";
  return command;
}

/// Whether the address is this machine's, where mpirun needs no remote shell.
bool is_own_address(const net::SocketAddress& address) {
  return address.loopback() || net::interface_towards(address) == "lo";
}

/// The body of the process that checks one host; returns its exit code.
int look_at(const std::string& address, const RemoteShell& shell) {
  try {
    if (is_own_address(net::resolve(address + ":0", "address"))) return exit_local;
  } catch (const InputError& error) {
    print_line(stdout, "{}", error.what());
    return exit_no_name;
  }
  if (!program_exists(shell.words.front())) return exit_no_shell;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);  // ssh would read what the user types
  std::vector<std::string> words = shell.words;
  if (shell.is_ssh()) words.insert(words.end(), {"-oBatchMode=yes", "-oConnectTimeout=4"});
  words.insert(words.end(), {address, remote_command()});
  print_line(stdout, "{}{}", command_mark, fmt::join(words, " "));
  std::fflush(stdout);
  const ChildEnd end = wait_for(start_program(words, {}), std::chrono::hours(1));
  return end.signal != 0 ? exit_failed : end.exit_code;
}

/// Hosts that drive panels, in the wall's order, each once.
std::vector<const wall::Host*> hosts_of(const wall::Wall& wall) {
  std::vector<const wall::Host*> hosts;
  std::set<std::string> seen;
  for (const wall::Panel& panel : wall.panels)
    if (!panel.host.empty() && seen.insert(panel.host).second)
      hosts.push_back(wall.find_host(panel.host));
  return hosts;
}

/// The resolver's message, which stands in parentheses in the text of an InputError.
std::string resolver_words(const std::string& output) {
  const auto open = output.rfind('(');
  const auto close = output.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return output;
  return output.substr(open + 1, close - open - 1);
}

std::vector<ProgramBuild> own_builds() {
  std::vector<ProgramBuild> builds;
  for (const char* const program : remote_programs)
    builds.push_back({program, build_of(own_program(program))});
  return builds;
}

/// Reaps the processes that have ended. Returns whether all have.
bool reap(std::deque<HostLook>& looks) {
  for (HostLook& look : looks) {
    int status = 0;
    if (look.done() || ::waitpid(look.pid(), &status, WNOHANG) != look.pid()) continue;
    look.take_end(WIFSIGNALED(status) ? ChildEnd{look.pid(), 0, WTERMSIG(status)}
                                      : ChildEnd{look.pid(), WEXITSTATUS(status), 0});
  }
  return std::ranges::all_of(looks, [](const HostLook& look) { return look.done(); });
}

}  // namespace

HostLook::HostLook(const wall::Host& host, const RemoteShell& shell,
                   const HostCheckOptions& options, std::filesystem::path log)
    : question_{host.name,
                host.address,
                shell.name(),
                own_program(remote_programs[0]).parent_path(),
                program_version(),
                static_cast<int>(std::size(remote_programs)),
                std::chrono::ceil<std::chrono::seconds>(options.limit).count(),
                std::chrono::ceil<std::chrono::seconds>(options.limit + options.more).count(),
                own_builds()},
      log_(std::move(log)),
      until_(SteadyClock::now() + options.limit),
      more_(options.more) {
  std::error_code error;
  std::filesystem::remove(log_, error);
  pid_ =
      start_role("tw-host-check", {{}, log_, true}, [&] { return look_at(host.address, shell); });
}

void HostLook::take_end(const ChildEnd& end) {
  if (!end_ && end.pid == pid_) end_ = end;
}

void HostLook::look() {
  const auto now = SteadyClock::now();
  if (end_ || now < until_) return;
  const bool begun = has_begun();
  if (begun && now < until_ + more_) return;
  ended_unfinished_ = begun;
  ::kill(pid_, SIGKILL);
}

void HostLook::abort() {
  if (!end_) end_ = wait_for(pid_, std::chrono::milliseconds(0));
}

/// Whether the log has output of the host after the line with the command.
bool HostLook::has_begun() const {
  const std::string text = file_beginning(log_, max_output_bytes);
  return std::ranges::count(text, '\n') > 1;
}

bool HostLook::is_this_machine() const {
  return end_->signal == 0 && end_->exit_code == exit_local;
}

HostAnswer HostLook::answer() const {
  HostAnswer answer{HostStep::shell_ended, end_->exit_code, file_beginning(log_, max_output_bytes)};
  const bool asked = answer.output.starts_with(command_mark);
  if (asked) answer.output.erase(0, answer.output.find('\n') + 1);
  if (ended_unfinished_) {
    answer.step = HostStep::unfinished;
  } else if (end_->signal != 0) {
    answer.step = asked ? HostStep::slow_shell : HostStep::slow_name;
  } else if (answer.exit_code == exit_no_name) {
    answer.step = HostStep::name;
    answer.output = resolver_words(answer.output);
  } else if (answer.exit_code == exit_no_shell) {
    answer.step = HostStep::no_shell;
  }
  return answer;
}

std::optional<HostFault> HostLook::fault() const {
  return is_this_machine() ? std::nullopt : fault_of(question_, answer());
}

std::string HostLook::note() const {
  return is_this_machine() ? "" : build_note(question_, answer());
}

HostCheck check_hosts(const wall::Wall& wall, const HostCheckOptions& options) {
  const auto shell = remote_shell_of(options.launcher);
  if (!shell) return {};
  std::deque<HostLook> looks;
  for (const wall::Host* const host : hosts_of(wall))
    looks.emplace_back(*host, *shell, options,
                       options.log_folder / fmt::format("host-check-{}.log", looks.size()));
  while (!reap(looks)) {
    if (!options.wait(host_look_interval)) {
      for (HostLook& look : looks) look.abort();
      throw JobError("interrupted before the show began");
    }
    for (HostLook& look : looks) look.look();
  }
  HostCheck check;
  for (const HostLook& look : looks) {
    if (auto fault = look.fault())
      check.faults.push_back(std::move(*fault));
    else if (std::string note = look.note(); !note.empty())
      check.notes.push_back(std::move(note));
  }
  return check;
}

}  // namespace tilewall::supervisor
