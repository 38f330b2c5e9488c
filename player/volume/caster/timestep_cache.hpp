// The timesteps of a volume that are in memory, and which one is read next: the one that is shown,
// then those that follow it in the direction of play. What was shown longest ago makes room.
//
// Not locked: guarded by its owner's mutex.
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
  /// Before a timestep that could not be read is tried again.
  static constexpr std::chrono::seconds retry_pause{5};

  /// `timesteps`: of the volume. `most`: that are held at once, at least 1.
  TimestepCache(std::int64_t timesteps, std::int64_t most) : timesteps_(timesteps), most_(most) {}

  /// From now on this timestep is the one that is shown.
  void want(std::int64_t timestep) noexcept;
  [[nodiscard]] const std::optional<std::int64_t>& wanted() const noexcept { return wanted_; }

  /// The timestep as it was read, which counts as a use; null where it has to be read (again).
  /// Throws what reading it threw, for `retry_pause`.
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t timestep, LocalInstant now);
  /// Whether it has been read, with whatever outcome.
  [[nodiscard]] bool has(std::int64_t timestep) const;
  /// Null also where reading it failed. No use.
  [[nodiscard]] ReadyTimestepPtr find(std::int64_t timestep) const;

  /// The next one to be read ahead; empty where all are there that are to be.
  [[nodiscard]] std::optional<std::int64_t> next_ahead() const;

  /// What reading a timestep has given: one of the two is not null.
  struct Slot {
    std::int64_t timestep = 0;
    ReadyTimestepPtr ready;
    std::exception_ptr failure;
    LocalInstant read_at;
  };
  void add(Slot slot) { slots_.push_front(std::move(slot)); }
  [[nodiscard]] bool is_full() const noexcept {
    return slots_.size() >= static_cast<std::size_t>(most_);
  }
  /// Drops the one that was used longest ago. Others may still hold it. @pre is_full()
  [[nodiscard]] ReadyTimestepPtr drop_oldest();
  /// Drops all but those that could not be read.
  void drop_read();

  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  const std::int64_t timesteps_;
  const std::int64_t most_;
  std::list<Slot> slots_;  // the one asked for last is the first
  std::optional<std::int64_t> wanted_;
  int direction_ = 1;  // of play: 1 or -1
};

}  // namespace tilewall::volume
