#include "player/trace/restart_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sync/base/handle.hpp"
#include "sync/base/process.hpp"
#include "sync/global_time.hpp"

namespace tilewall::trace {
namespace {

constexpr std::size_t max_restarts_read = 100;

void append(const std::filesystem::path& file, const char* what, const std::string& role,
            const std::string& name) {
  const UniqueFd log(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (log.empty()) return;
  const std::string line =
      fmt::format("{} {} {} {}\n", what, role, name, local_now().since_epoch.count());
  [[maybe_unused]] const ssize_t put = ::write(log.get(), line.data(), line.size());
}

}  // namespace

std::filesystem::path restart_log_file(const std::filesystem::path& run_dir) {
  return run_dir / ("restarts-" + host_name());
}

void log_death(const std::filesystem::path& file, const std::string& role,
               const std::string& name) {
  append(file, "died", role, name);
}

void log_return(const std::filesystem::path& file, const std::string& role,
                const std::string& name) {
  append(file, "back", role, name);
}

std::vector<LoggedRestart> read_restart_log(const std::filesystem::path& file) {
  std::vector<LoggedRestart> restarts;
  std::ifstream log(file);
  for (std::string line; std::getline(log, line);) {
    std::istringstream words(line);
    std::string what;
    LoggedRestart one;
    std::int64_t at_ns = 0;
    if (!(words >> what >> one.role >> one.name >> at_ns) || at_ns <= 0) continue;
    if (what == "died" && restarts.size() < max_restarts_read) {
      one.died_ns = at_ns;
      restarts.push_back(std::move(one));
    } else if (what == "back") {
      const auto open = std::find_if(restarts.rbegin(), restarts.rend(), [&](const auto& other) {
        return other.role == one.role && other.name == one.name && other.back_ns == 0;
      });
      if (open != restarts.rend()) open->back_ns = at_ns;
    }
  }
  return restarts;
}

}  // namespace tilewall::trace
