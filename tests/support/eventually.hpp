// Waits for effects of other processes.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace tilewall::test {

/// Calls until it returns true, for `limit` at most; whether it did.
inline bool eventually(const std::function<bool()>& condition,
                       std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace tilewall::test
