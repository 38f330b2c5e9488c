// A thread for calls that cannot be cancelled, such as reads from a disk that may never answer. Its
// owner waits for them only for as long as their result is needed.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilewall::movie {

/// Threads: one owner, who makes all calls. From the first start() on it has a thread, which
/// inherits the owner's place and priority.
class IoThread {
 public:
  /// `job` must not throw. It may use its owner's members while is_busy().
  explicit IoThread(std::function<void()> job) : job_(std::move(job)) {}
  /// Waits for a job that has begun.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  /// Runs the job once, on the thread. @pre !is_busy()
  void start();

  /// Waits until no job runs; false where `abandon` returned true first. It is called about every
  /// 20 ms, and may be empty.
  [[nodiscard]] bool wait(const std::function<bool()>& abandon);

  /// Whether a job runs.
  [[nodiscard]] bool is_busy() const;

 private:
  void run(const std::stop_token& stop);

  const std::function<void()> job_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool busy_ = false;    // guarded by mutex_
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::movie
