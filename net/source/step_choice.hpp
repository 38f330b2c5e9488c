// Which timesteps a rank sends, and where it waits, by what the walls want.
//
// A timestep is sent when the want of any wall names it. A rank waits where a wall that shows every
// (N-th) timestep is still behind, so the wall with the least wanted timestep decides. All ranks
// get the same wants and decide alike.
//
// Threads: no internal locking; guarded by its owner's mutex.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/live/live_messages.hpp"

namespace tilewall::net {

struct WantedField {
  std::string name;
  /// f32 becomes u8: this value and less is 0, that and more 255. Empty: sent as put.
  std::optional<std::array<double, 2>> quantise;
  bool operator==(const WantedField&) const = default;
};

class StepChoice {
 public:
  /// Replaces what the wall of this session wants.
  void set(std::uint64_t session, const LiveWant& want) { wants_[session] = {want, false}; }
  /// Forgets the wall of a session that ended.
  void forget(std::uint64_t session) { wants_.erase(session); }
  [[nodiscard]] bool empty() const noexcept { return wants_.empty(); }

  /// The fields of the timestep that are to be sent, each once. A field is quantised only if all
  /// walls that want it agree on the range.
  [[nodiscard]] std::vector<WantedField> fields_of(std::uint64_t timestep) const;

  struct Taker {
    std::uint64_t session = 0;
    std::string field;
  };
  /// The walls that the timestep is to be sent to.
  [[nodiscard]] std::vector<Taker> takers_of(std::uint64_t timestep) const;

  /// The longest time, in seconds, that a rank at the beginning of this timestep waits for walls
  /// that are behind; 0: for none.
  [[nodiscard]] double wait_s(std::uint64_t timestep) const;

  /// The longest time that walls who want this very timestep let a rank wait until it can be held;
  /// 0: none does.
  [[nodiscard]] double patience_s(std::uint64_t timestep) const;

  /// Ends the wait for all walls that this timestep waits for, until their next want: a wall that
  /// hangs costs a simulation one wait, and not one for each timestep.
  void stop_waiting(std::uint64_t timestep);

 private:
  struct Want {
    LiveWant want;
    bool ran_out = false;  // a rank has waited for it in vain
  };
  [[nodiscard]] static bool is_behind(const Want& want, std::uint64_t timestep) noexcept;

  std::map<std::uint64_t, Want> wants_;  // by session
};

}  // namespace tilewall::net
