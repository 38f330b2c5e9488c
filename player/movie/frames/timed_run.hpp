// A pool's job whose thread time goes into a source's counters.
#pragma once

#include <utility>

#include "player/movie/frames/worker_pool.hpp"
#include "player/picture/draw_counters.hpp"
#include "sync/base/thread_time.hpp"

namespace tilewall {

/// As WorkerPool::run().
template <typename Task>
void run_timed(WorkerPool& pool, DrawCounters& counters, int count, Task&& task) {
  pool.run(count, [&](int number, int worker) {
    const std::uint64_t start_ns = thread_time_ns();
    task(number, worker);
    counters.decode_ns += thread_time_ns() - start_ns;
  });
}

}  // namespace tilewall
