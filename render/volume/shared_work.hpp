// Splits numbered pieces of work over threads; each thread takes the next piece when it has
// finished one.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewall::render {

/// Calls work(i) once for each i in [0, count), on the calling thread and threads - 1 others that
/// end before this returns. When calls throw, the first exception is thrown here, after the other
/// threads have finished their current piece. @pre threads >= 1
template <typename Work>
void share_work(int count, int threads, Work&& work) {
  std::atomic<int> next{0};  // hands out pieces; the joins publish the results
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    try {
      for (int i = next.fetch_add(1, std::memory_order_relaxed); i < count;
           i = next.fetch_add(1, std::memory_order_relaxed))
        work(i);
    } catch (...) {
      next.store(count, std::memory_order_relaxed);
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads && i < count; ++i) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tilewall::render
