// MPI for the parallel jobs: init, finalize, and the few collectives that we use.
//
// A program that links this is started by mpirun. What is live (control, clock, panels) does
// without: a process that dies cannot rejoin, and one that waits burns its core. Threads: one
// owner.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewall::net {

/// One at a time in a process, and never a second one after it.
class MpiJob {
 public:
  /// Throws JobError naming the call, as all of these do.
  MpiJob();
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Returns when all processes have called it.
  void barrier();

  /// The value that process 0 gives, on all.
  [[nodiscard]] std::int64_t broadcast(std::int64_t value);

  /// All processes' values in the order of ranks, on process 0; nothing on the others. @pre all
  /// give equally many
  [[nodiscard]] std::vector<std::int64_t> gather(const std::vector<std::int64_t>& values);

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace tilewall::net
