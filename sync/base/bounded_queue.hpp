// A queue of fixed capacity between threads. Every wait ends with its stop_token.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace tilewall {

/// Any number of producers and consumers. push() waits while the queue is full, pop() while it is
/// empty.
template <typename T>
class BoundedQueue {
 public:
  /// @pre capacity > 0
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. False, and `item` dropped, when `stop` was requested first.
  bool push(T item, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return items_.size() < capacity_; })) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  /// Waits for an item. Empty when `stop` was requested first.
  std::optional<T> pop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return !items_.empty(); })) return std::nullopt;
    return take_front();
  }

  /// A copy of the item that comes next, which another consumer may take; empty if none waits.
  [[nodiscard]] std::optional<T> peek() const {
    const std::scoped_lock lock(mutex_);
    return items_.empty() ? std::nullopt : std::optional<T>(items_.front());
  }

  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return items_.size();
  }

 private:
  std::optional<T> take_front() {
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<T> items_;  // guarded by mutex_
};

}  // namespace tilewall
