// A few threads that run the tasks of one job in parallel; the caller is one of them.
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

/// Owns the threads "pool worker", which wait for a job; the destructor stops and joins them. run()
/// does not allocate.
class WorkerPool {
 public:
  /// `threads` includes the caller of run(). @pre threads >= 1
  explicit WorkerPool(int threads);

  [[nodiscard]] int threads() const noexcept { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(number, worker) for each number in [0, count), several at once, started in
  /// ascending order. `worker` is in [0, threads()), and differs between calls that run at the same
  /// time. Returns when all are done. One caller at a time. @pre task does not throw
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
  std::uint64_t jobs_ = 0;             // guarded by mutex_: number of jobs so far
  bool open_ = false;                  // guarded by mutex_: workers may still join job_
  int joined_ = 0;                     // guarded by mutex_: workers that are at job_
  std::atomic<int> next_{0};           // next task of job_; mutex_ orders its reset between jobs
  std::vector<std::jthread> workers_;  // last member: stopped and joined first
};

/// Runs a job by WorkerPool::run(), and adds the threads' processor time to counters.decode_ns.
template <typename Task>
void run_timed(WorkerPool& pool, picture::DrawCounters& counters, int count, Task&& task) {
  pool.run(count, [&](int number, int worker) {
    const std::uint64_t start_ns = thread_time_ns();
    task(number, worker);
    counters.decode_ns += thread_time_ns() - start_ns;
  });
}

}  // namespace tilewall::movie
