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
  /// Makes a counter at 0. Pass fd() to the child in ChildOptions::inherited. Throws JobError.
  SharedCounter();

  /// Opens the parent's counter by the inherited descriptor. Throws JobError.
  explicit SharedCounter(int fd);

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::uint64_t value() const noexcept;  ///< May be called by any process
  void increment() noexcept;                           ///< May be called by one writer at a time

 private:
  void map();

  UniqueFd fd_;
  UniqueHandle<SharedCounterTraits> counter_;
};

}  // namespace tilewall
