// MPI for parallel jobs: init, finalize, and the few collectives that we use.
//
// A program that links this is started by mpirun. Live processes (control, clock, panels) do
// without MPI, because a rank that dies cannot rejoin and one that waits burns its core. Threads:
// one owner.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewall::net {

/// MPI between MPI_Init_thread and MPI_Finalize. A process makes at most one, ever.
class MpiJob {
 public:
  /// Throws JobError naming the MPI call that failed, as all members do.
  MpiJob();
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Returns when all processes have called it.
  void barrier();

  /// Sends process 0's value to all processes, and returns it.
  [[nodiscard]] std::int64_t broadcast(std::int64_t value);

  /// The values of all processes in the order of ranks on process 0; empty on the others. @pre all
  /// processes give equally many
  [[nodiscard]] std::vector<std::int64_t> gather(const std::vector<std::int64_t>& values);

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace tilewall::net
