// The timesteps of a volume that are in memory, and the choice of the next one to read: the one
// that is shown, then those that follow it in the direction of play. The one that was used longest
// ago makes room.
//
// Threads: no locking; the owner's mutex guards it.
#pragma once

#include <cstdint>
#include <exception>
#include <list>
#include <optional>

#include "player/volume/caster/ready_timestep.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

class TimestepCache {
 public:
  /// Time before a timestep that could not be read is tried again.
  static constexpr std::chrono::seconds retry_pause{5};

  /// `timesteps`: number of the volume's timesteps. `most`: how many are held at the same time, at
  /// least 1.
  TimestepCache(std::int64_t timesteps, std::int64_t most) : timesteps_(timesteps), most_(most) {}

  /// Sets the timestep that is shown, and thereby the direction of play.
  void want(std::int64_t timestep) noexcept;
  /// The timestep that is shown; empty until want() was called.
  [[nodiscard]] const std::optional<std::int64_t>& wanted() const noexcept { return wanted_; }

  /// The timestep, which counts as a use; null if it has to be read (again). Throws what reading it
  /// threw, for `retry_pause` after that.
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t timestep, LocalInstant now);
  /// Whether a reading of the timestep has ended, well or not.
  [[nodiscard]] bool has(std::int64_t timestep) const;
  /// The timestep; null if it was not read or could not be. Does not count as a use.
  [[nodiscard]] ReadyTimestepPtr find(std::int64_t timestep) const;

  /// The next timestep to read ahead; empty if all that have room are there.
  [[nodiscard]] std::optional<std::int64_t> next_ahead() const;

  /// The result of reading a timestep.
  struct Slot {
    std::int64_t timestep = 0;
    ReadyTimestepPtr ready;      ///< null if it could not be read
    std::exception_ptr failure;  ///< null if it was read
    LocalInstant read_at;
  };
  void add(Slot slot) { slots_.push_front(std::move(slot)); }
  /// The result of another reading of the timestep, in place of the first one.
  void replace(Slot slot) {
    slots_.remove_if([&](const Slot& one) { return one.timestep == slot.timestep; });
    add(std::move(slot));
  }
  [[nodiscard]] bool is_full() const noexcept {
    return slots_.size() >= static_cast<std::size_t>(most_);
  }
  /// Drops and returns the timestep that was used longest ago; null if it could not be read.
  /// Others may still hold it. @pre is_full()
  [[nodiscard]] ReadyTimestepPtr drop_oldest();
  /// Drops all timesteps except those that could not be read.
  void drop_read();

  /// Memory of the timesteps, in bytes.
  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  const std::int64_t timesteps_;
  const std::int64_t most_;
  std::list<Slot> slots_;  // the last one used first
  std::optional<std::int64_t> wanted_;
  int direction_ = 1;  // 1 = play forwards, -1 = backwards
};

}  // namespace tilewall::volume
