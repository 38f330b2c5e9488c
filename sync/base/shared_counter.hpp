// A counter in memory that a process shares with a child it starts: a sign of life that costs its
// writer one store and survives the writer's death.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/base/handle.hpp"

namespace tilewall {

struct SharedCounterTraits {
  using Raw = std::atomic<std::uint64_t>*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw counter) noexcept;
};

class SharedCounter {
 public:
  /// A new one, at 0. Hand fd() to the child as one of ChildOptions::inherited. Throws JobError.
  SharedCounter();

  /// The parent's, by the descriptor that was handed on. Throws JobError.
  explicit SharedCounter(int fd);

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::uint64_t value() const noexcept;  ///< any process
  void increment() noexcept;                           ///< one writer at a time

 private:
  void map();

  UniqueFd fd_;
  UniqueHandle<SharedCounterTraits> counter_;
};

}  // namespace tilewall
