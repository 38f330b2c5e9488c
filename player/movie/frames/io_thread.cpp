#include "player/movie/frames/io_thread.hpp"

#include <chrono>

#include "sync/base/check.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

constexpr std::chrono::milliseconds abandon_interval{20};  // between two calls of `abandon`

}  // namespace

IoThread::~IoThread() = default;

void IoThread::start() {
  if (!thread_.joinable())
    thread_ = std::jthread([this, parent = sync::trace_parent()](const std::stop_token& stop) {
      const sync::TraceThread trace(parent, "read");
      name_this_thread("read");
      run(stop);
    });
  {
    const std::scoped_lock lock(mutex_);
    TW_CHECK(!busy_);
    busy_ = true;
  }
  changed_.notify_all();
}

bool IoThread::wait(const std::function<bool()>& abandon) {
  const auto is_idle = [this] { return !busy_; };
  std::unique_lock lock(mutex_);
  if (!abandon) {
    changed_.wait(lock, is_idle);
    return true;
  }
  while (busy_) {
    if (abandon()) return false;
    changed_.wait_for(lock, abandon_interval, is_idle);
  }
  return true;
}

bool IoThread::is_busy() const {
  const std::scoped_lock lock(mutex_);
  return busy_;
}

void IoThread::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return busy_; }) && !stop.stop_requested()) {
    lock.unlock();
    job_();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace tilewall::movie
