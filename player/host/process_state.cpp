#include "player/host/process_state.hpp"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tilewall::host {
namespace {

/// The state in a stat file of proc(5), such as 'R'; '\0' where the process has ended.
char state_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string stat{std::istreambuf_iterator<char>(stream), {}};
  const auto name_end = stat.rfind(") ");  // the thread's name may contain any character
  return name_end != std::string::npos && stat.size() > name_end + 2 ? stat[name_end + 2] : '\0';
}

}  // namespace

Nanos cpu_time_of(pid_t pid) {
  clockid_t clock = {};
  timespec time = {};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return Nanos(0);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

bool any_thread_runs(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), error);
  for (; thread != std::filesystem::directory_iterator(); thread.increment(error))
    if (state_in(thread->path() / "stat") == 'R') return true;
  return false;
}

bool is_stopped(pid_t pid) { return state_in(fmt::format("/proc/{}/stat", pid)) == 'T'; }

}  // namespace tilewall::host
