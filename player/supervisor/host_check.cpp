#include "player/supervisor/host_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "net/interfaces.hpp"
#include "net/socket.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"

namespace tilewall::supervisor {
namespace {

using SteadyClock = std::chrono::steady_clock;

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
bool is_this_machine(const net::SocketAddress& address) {
  return address.loopback() || net::interface_towards(address) == "lo";
}

/// The body of the process that checks one host; returns its exit code.
int look_at(const std::string& address, const RemoteShell& shell) {
  try {
    if (is_this_machine(net::resolve(address + ":0", "address"))) return exit_local;
  } catch (const InputError& error) {
    fmt::print("{}\n", error.what());
    return exit_no_name;
  }
  if (!program_exists(shell.words.front())) return exit_no_shell;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);  // ssh would read what the user types
  std::vector<std::string> words = shell.words;
  if (shell.is_ssh()) words.insert(words.end(), {"-oBatchMode=yes", "-oConnectTimeout=4"});
  words.insert(words.end(), {address, remote_command()});
  fmt::print("{}{}\n", command_mark, fmt::join(words, " "));
  std::fflush(stdout);
  const ChildEnd end = wait_for(start_program(words, {}), std::chrono::hours(1));
  return end.signal != 0 ? exit_failed : end.exit_code;
}

struct Look {
  HostQuestion question;
  std::filesystem::path log;
  pid_t pid = 0;
  std::optional<ChildEnd> end;    // empty while it runs
  bool ended_unfinished = false;  // it was killed after the host had begun to answer
};

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

/// Adds the host's fault or note, if it has one, to `check`.
void judge(const Look& look, HostCheck& check) {
  HostAnswer answer{HostStep::shell_ended, look.end->exit_code,
                    file_beginning(look.log, max_output_bytes)};
  const bool asked = answer.output.starts_with(command_mark);
  if (asked) answer.output.erase(0, answer.output.find('\n') + 1);
  if (look.ended_unfinished) {
    answer.step = HostStep::unfinished;
  } else if (look.end->signal != 0) {
    answer.step = asked ? HostStep::slow_shell : HostStep::slow_name;
  } else if (answer.exit_code == exit_local) {
    return;
  } else if (answer.exit_code == exit_no_name) {
    answer.step = HostStep::name;
    answer.output = resolver_words(answer.output);
  } else if (answer.exit_code == exit_no_shell) {
    answer.step = HostStep::no_shell;
  }
  if (auto fault = fault_of(look.question, answer))
    check.faults.push_back(std::move(*fault));
  else if (std::string note = build_note(look.question, answer); !note.empty())
    check.notes.push_back(std::move(note));
}

std::vector<Look> start_looks(const wall::Wall& wall, const HostCheckOptions& options,
                              const RemoteShell& shell) {
  std::vector<ProgramBuild> builds;
  for (const char* const program : remote_programs)
    builds.push_back({program, build_of(own_program(program))});
  std::vector<Look> looks;
  for (const wall::Host* const host : hosts_of(wall)) {
    Look look;
    look.question = {host->name,
                     host->address,
                     shell.name(),
                     own_program(remote_programs[0]).parent_path(),
                     program_version(),
                     static_cast<int>(std::size(remote_programs)),
                     std::chrono::ceil<std::chrono::seconds>(options.limit).count(),
                     std::chrono::ceil<std::chrono::seconds>(options.limit + options.more).count(),
                     builds};
    look.log = options.log_folder / fmt::format("host-check-{}.log", looks.size());
    look.pid = start_role("tw-host-check", {{}, look.log, true},
                          [&] { return look_at(host->address, shell); });
    looks.push_back(std::move(look));
  }
  return looks;
}

bool reap(std::vector<Look>& looks) {
  for (Look& look : looks) {
    int status = 0;
    if (look.end || ::waitpid(look.pid, &status, WNOHANG) != look.pid) continue;
    look.end = WIFSIGNALED(status) ? ChildEnd{look.pid, 0, WTERMSIG(status)}
                                   : ChildEnd{look.pid, WEXITSTATUS(status), 0};
  }
  return std::ranges::all_of(looks, [](const Look& look) { return look.end.has_value(); });
}

/// Whether the log has output of the host after the line with the command.
bool has_begun(const Look& look) {
  const std::string text = file_beginning(look.log, max_output_bytes);
  return std::ranges::count(text, '\n') > 1;
}

/// Kills checks that run past `until`; hosts with output have `more` on top.
void end_overdue(std::vector<Look>& looks, SteadyClock::time_point until,
                 std::chrono::milliseconds more) {
  const auto now = SteadyClock::now();
  if (now < until) return;
  for (Look& look : looks) {
    if (look.end) continue;
    const bool begun = has_begun(look);
    if (begun && now < until + more) continue;
    look.ended_unfinished = begun;
    ::kill(look.pid, SIGKILL);
  }
}

void end_looks(std::vector<Look>& looks) {
  for (Look& look : looks)
    if (!look.end) look.end = wait_for(look.pid, std::chrono::milliseconds(0));
}

}  // namespace

HostCheck check_hosts(const wall::Wall& wall, const HostCheckOptions& options) {
  const auto shell = remote_shell_of(options.launcher);
  if (!shell) return {};
  const auto until = SteadyClock::now() + options.limit;
  std::vector<Look> looks = start_looks(wall, options, *shell);
  while (!reap(looks)) {
    if (!options.wait(host_look_interval)) {
      end_looks(looks);
      throw JobError("interrupted before the show began");
    }
    end_overdue(looks, until, options.more);
  }
  HostCheck check;
  for (const Look& look : looks) judge(look, check);
  return check;
}

}  // namespace tilewall::supervisor
