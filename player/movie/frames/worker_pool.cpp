#include "player/movie/frames/worker_pool.hpp"

#include "sync/base/check.hpp"

namespace tilewall::movie {

WorkerPool::WorkerPool(int threads) {
  TW_CHECK(threads >= 1, "{}", threads);
  for (int worker = 1; worker < threads; ++worker)
    workers_.emplace_back([this, worker](const std::stop_token& stop) { work(stop, worker); });
}

void WorkerPool::take_tasks(const Job& job, int worker) {
  for (;;) {
    const int number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= job.count) return;
    job.call(job.task, number, worker);
  }
}

void WorkerPool::run_job(const Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = job;
    next_.store(0, std::memory_order_relaxed);
    open_ = job.count > 1;
    ++jobs_;
  }
  if (!workers_.empty() && job.count > 1) changed_.notify_all();
  take_tasks(job, 0);
  std::unique_lock lock(mutex_);
  open_ = false;
  changed_.wait(lock, [&] { return joined_ == 0; });
}

void WorkerPool::work(const std::stop_token& stop, int worker) {
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return open_ && jobs_ != done; })) {
    done = jobs_;
    ++joined_;
    const Job job = job_;
    lock.unlock();
    take_tasks(job, worker);
    lock.lock();
    if (--joined_ == 0) changed_.notify_all();
  }
}

}  // namespace tilewall::movie
