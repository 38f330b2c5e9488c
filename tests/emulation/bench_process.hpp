// A child process of a benchmark that listens on a port and, when it is ended, reports its counts.
// Threads: one owner, in a process of one thread when the constructor is called.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::test {

/// The last message of a child. Each benchmark gives the counts a meaning of its own.
struct BenchProcessReport {
  double cpu_s = 0;
  std::uint64_t counts[6] = {};
};

class BenchProcess {
 public:
  /// The child's side: it reports the port, and waits until `stop_fd` is readable.
  struct Inside {
    int stop_fd = -1;
    int pipe = -1;
    void say_port(std::uint16_t port) const;
  };

  /// Forks. `body` runs in the child and fills the counts. Throws JobError where it reports no
  /// port.
  BenchProcess(const std::string& name,
               const std::function<void(const Inside&, BenchProcessReport&)>& body);
  ~BenchProcess();
  BenchProcess(const BenchProcess&) = delete;
  BenchProcess& operator=(const BenchProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// Ends the child. Its report is empty where the child could not send it.
  [[nodiscard]] BenchProcessReport end();

 private:
  UniqueFd pipe_;
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace tilewall::test
