// Splits numbered pieces of work over threads that take the next piece when they are done with one.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewall::render {

/// Calls work(i) once for each i in [0, count), on the calling thread and threads - 1 others that
/// end before this returns. The first exception of any of them is thrown here, after the others
/// finished the piece they were at. @pre threads >= 1
template <typename Work>
void share_work(int count, int threads, Work&& work) {
  std::atomic<int> next{0};  // hands out pieces; the joins publish what they made
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
