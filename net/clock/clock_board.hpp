// Where one writer puts the newest ClockStatus. Any number of readers, also in other processes,
// copy it without a lock, a system call or a wait.
//
// The board has a few slots, written in turn, each marked with the number of its publication. A
// reader copies the newest and looks at the mark again; a writer that dies in the middle leaves the
// slot before as it was.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sync/clock/clock_status.hpp"

namespace tilewall::net {

/// The fields are atomic words, so a copy that the writer overtakes is discarded and is no data
/// race. The board lies in shared memory as it stands. All bytes zero is an empty board.
class ClockBoard {
 public:
  /// Puts a status on the board. Only one writer may call this at a time.
  void publish(const sync::ClockStatus& status) noexcept;

  /// The newest publication; empty where there is none. Any thread.
  [[nodiscard]] std::optional<sync::ClockStatus> newest() const noexcept;

 private:
  static constexpr std::size_t slot_count = 8;
  static constexpr std::size_t status_words = sizeof(sync::ClockStatus) / sizeof(std::uint64_t);
  static_assert(sizeof(sync::ClockStatus) % sizeof(std::uint64_t) == 0);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  struct Slot {
    /// Number of the publication in this slot; 0 while it is written.
    std::atomic<std::uint64_t> number{0};
    std::atomic<std::uint64_t> words[status_words] = {};
  };

  [[nodiscard]] std::optional<sync::ClockStatus> read(std::uint64_t number) const noexcept;

  alignas(64) std::atomic<std::uint64_t> newest_{0};  // number of the newest; 0: none yet
  alignas(64) Slot slots_[slot_count];
};

}  // namespace tilewall::net
