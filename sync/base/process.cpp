#include "sync/base/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace tilewall {

namespace {

#ifdef TILEWALL_SANITIZED
constexpr bool has_shadow_memory = true;
#else
constexpr bool has_shadow_memory = false;
#endif

void limit(__rlimit_resource resource, rlim_t value) noexcept {
  const rlimit both = {value, value};
  ::setrlimit(resource, &both);
}

}  // namespace

void limit_memory(std::uint64_t bytes) noexcept {
  limit(RLIMIT_CORE, 0);
  if (!has_shadow_memory) limit(RLIMIT_AS, bytes);
}

void limit_own_memory(std::uint64_t bytes) noexcept {
  for (const auto& [resource, value] :
       {std::pair(RLIMIT_CORE, rlim_t{0}), std::pair(RLIMIT_AS, rlim_t{bytes})}) {
    if (resource == RLIMIT_AS && has_shadow_memory) continue;
    rlimit both = {};
    ::getrlimit(resource, &both);
    both.rlim_cur = std::min(value, both.rlim_max);
    ::setrlimit(resource, &both);
  }
}

void lift_own_limits() noexcept {
  for (const auto resource : {RLIMIT_CORE, RLIMIT_AS}) {
    rlimit both = {};
    ::getrlimit(resource, &both);
    both.rlim_cur = both.rlim_max;
    ::setrlimit(resource, &both);
  }
}

void limit_cpu_time(std::uint64_t seconds) noexcept { limit(RLIMIT_CPU, seconds); }

void allow_cpu_time(double seconds) noexcept {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto taken = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  rlimit both = {};
  ::getrlimit(RLIMIT_CPU, &both);
  both.rlim_cur = static_cast<rlim_t>(taken + seconds) + 2;  // both parts were rounded down
  ::setrlimit(RLIMIT_CPU, &both);
}

void allow_open_files() noexcept {
  rlimit both = {};
  if (::getrlimit(RLIMIT_NOFILE, &both) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(both.rlim_max, most_open_files);
  if (both.rlim_cur >= wanted) return;
  both.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &both);
}

std::uint64_t open_files_limit() noexcept {
  rlimit both = {};
  return ::getrlimit(RLIMIT_NOFILE, &both) == 0 ? both.rlim_cur : 0;
}

std::vector<std::string> own_arguments() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(stream, one, '\0');) arguments.push_back(one);
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return arguments;
}

int local_rank() noexcept {
  for (const char* const rank : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* const text = std::getenv(rank)) return std::atoi(text);
  return 0;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace tilewall
