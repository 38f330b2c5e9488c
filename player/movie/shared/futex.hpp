// Waiting for a word of shared memory to change, across processes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tilewall {

/// Sleeps while `word` is `seen`, for `limit` at most; may return early.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds limit) noexcept;

/// Wakes all that sleep on `word`.
void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace tilewall
