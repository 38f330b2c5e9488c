// A few threads that share out the tasks of one job at a time; the caller takes part.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "player/picture/draw_counters.hpp"
#include "sync/base/process.hpp"

namespace tilewall::movie {

/// Threads "pool worker": owned here, wait for a job, stopped and joined by the destructor. run()
/// allocates nothing.
class WorkerPool {
 public:
  /// @pre threads >= 1; 1 is the caller alone.
  explicit WorkerPool(int threads);

  [[nodiscard]] int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(number, worker) for each number in [0, count), in that order of starting, on
  /// several threads at once; worker is in [0, threads()) and no two calls share one at a time.
  /// Returns when all are done. One caller at a time. @pre task does not throw
  template <typename Task>
  void run(int count, Task&& task) {
    run_job({count, &task, [](void* self, int number, int worker) {
               (*static_cast<std::remove_reference_t<Task>*>(self))(number, worker);
             }});
  }

 private:
  struct Job {
    int count = 0;
    void* task = nullptr;
    void (*call)(void* task, int number, int worker) = nullptr;
  };

  void run_job(const Job& job);
  void work(const std::stop_token& stop, int worker);
  void take_tasks(const Job& job, int worker);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  Job job_;                            // guarded by mutex_
  std::uint64_t jobs_ = 0;             // guarded by mutex_: given out so far
  bool open_ = false;                  // guarded by mutex_: workers may still join job_
  int joined_ = 0;                     // guarded by mutex_: workers in job_
  std::atomic<int> next_{0};           // task of job_; mutex_ orders it between jobs
  std::vector<std::jthread> workers_;  // last member: stopped and joined first
};

// A pool's job whose thread time goes into a source's counters.

/// As WorkerPool::run().
template <typename Task>
void run_timed(WorkerPool& pool, picture::DrawCounters& counters, int count, Task&& task) {
  pool.run(count, [&](int number, int worker) {
    const std::uint64_t start_ns = thread_time_ns();
    task(number, worker);
    counters.decode_ns += thread_time_ns() - start_ns;
  });
}

}  // namespace tilewall::movie
