#include "player/panel/restart_order.hpp"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "sync/base/file.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::panel {
namespace {

constexpr std::size_t longest_comm = 15;  // the kernel cuts a process's name there (proc(5))

/// The number that a folder of /proc is named by; 0 for other names.
pid_t pid_of(const std::filesystem::path& entry) {
  const std::string name = entry.filename().string();
  pid_t pid = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
  return read.ec == std::errc() && read.ptr == name.data() + name.size() ? pid : 0;
}

bool runs_program(const std::filesystem::path& process, std::string_view program) {
  const std::string comm = file_beginning(process / "comm", longest_comm + 1);
  return comm.substr(0, comm.find('\n')) == program.substr(0, longest_comm);
}

/// Kills the processes of this process's group that run the program. Returns how many.
int kill_in_group(std::string_view program) {
  const pid_t group = ::getpgrp();
  int killed = 0;
  for (const std::filesystem::path& process : entries_of("/proc")) {
    const pid_t pid = pid_of(process);
    if (pid <= 0 || pid == ::getpid() || ::getpgid(pid) != group) continue;
    if (runs_program(process, program) && ::kill(pid, SIGKILL) == 0) ++killed;
  }
  return killed;
}

}  // namespace

void obey_restart(const std::string& role) {
  if (role == "panel") {
    log_line("tilewall-panel: ends by order of the operator, to be started again");
    ::kill(::getpid(), SIGKILL);
  }
  if (role != "caster" && role != "decoder") return;
  const int killed = kill_in_group("tilewall-" + role);
  log_line("tilewall-panel: ends {} {} process{} of this host by order of the operator", killed,
           role, killed == 1 ? "" : "es");
}

}  // namespace tilewall::panel
