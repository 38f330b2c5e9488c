#include "player/bench/common.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

double median(std::vector<double> runs) {
  TW_CHECK(!runs.empty());
  std::sort(runs.begin(), runs.end());
  const std::size_t middle = runs.size() / 2;
  return runs.size() % 2 == 1 ? runs[middle] : (runs[middle - 1] + runs[middle]) / 2;
}

nlohmann::json median_and_p95(std::vector<double> runs) {
  std::sort(runs.begin(), runs.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(runs.size())));
  return {{"median", median(runs)}, {"p95", runs[std::max<std::size_t>(rank, 1) - 1]}};
}

double process_cpu_s() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int free_port() {
  return net::local_address(net::listen_tcp(net::resolve("127.0.0.1:0", "bench")).get()).port();
}

nlohmann::json bench_header(int runs) {
  const auto memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {{"machine",
           {{"cpu", cpu_model()},
            {"cores", std::thread::hardware_concurrency()},
            {"memory_bytes", memory_bytes}}},
          {"commit", source_commit()},
          {"runs", runs}};
}

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  const auto& base = parent.empty() ? std::filesystem::temp_directory_path() : parent;
  std::string name = (base / "tilewall-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw JobError(base.string() + ": mkdtemp: " + std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewall::bench
