// A process of a benchmark's own that listens on a port and, when it is ended, tells what it did.
// Threads: one owner, in a process of one thread when the constructor is called.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::test {

/// What a process tells of itself, last of all; which count means what is its own matter.
struct BenchProcessReport {
  double cpu_s = 0;
  std::uint64_t counts[6] = {};
};

class BenchProcess {
 public:
  /// Inside: tells the port and waits until the process is to end, when `stop_fd` is readable.
  struct Inside {
    int stop_fd = -1;
    int pipe = -1;
    void say_port(std::uint16_t port) const;
  };

  /// Forks; `body` runs there and fills the counts. Throws JobError where it tells no port.
  BenchProcess(const std::string& name,
               const std::function<void(const Inside&, BenchProcessReport&)>& body);
  ~BenchProcess();
  BenchProcess(const BenchProcess&) = delete;
  BenchProcess& operator=(const BenchProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// Ends it; empty where it could not tell.
  [[nodiscard]] BenchProcessReport end();

 private:
  UniqueFd pipe_;
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace tilewall::test
