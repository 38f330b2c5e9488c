// The statistics of a show in memory that survives the director: a director that is started again
// goes on counting from the newest checkpoint.
//
// Threads: one writer. Reading is for the next director, before it writes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// Two places that are written by turns, so that a director that dies while it writes leaves the
/// checkpoint before.
class CheckpointMemory {
 public:
  /// Makes new memory without a checkpoint. Throws JobError. The caller owns the descriptor.
  [[nodiscard]] static int make();

  /// `fd` is from make(), and outlives this object.
  explicit CheckpointMemory(int fd);

  /// The newest whole checkpoint; null where there is none.
  [[nodiscard]] const nlohmann::json& newest() const noexcept { return newest_; }

  /// Writes a checkpoint. Throws JobError.
  void write(const nlohmann::json& state);

 private:
  const int fd_;
  std::uint64_t number_ = 0;  // number of the newest checkpoint; 0: there is none
  nlohmann::json newest_;
};

/// Says when checkpoints are made, each a second after the one before. One turn of the director
/// makes a checkpoint, the next one writes it, and a third one frees its memory, because each of
/// these steps takes some 10 ms for 500 panels.
class CheckpointTurns {
 public:
  struct Steps {
    std::function<nlohmann::json()> make;
    std::function<void(const nlohmann::json& checkpoint)> write;
  };
  explicit CheckpointTurns(Steps steps) : steps_(std::move(steps)) {}

  /// A turn's step, where one is due. `may_begin` tells whether a new checkpoint may be made. A
  /// turn that has taken long already, by its processor time so far, leaves its step to the next
  /// one, for a second at most.
  void step(std::chrono::steady_clock::time_point now, Nanos turn_time, bool may_begin);

  /// Lets the next checkpoint be made at once.
  void hurry() noexcept { next_ = {}; }

 private:
  const Steps steps_;
  std::chrono::steady_clock::time_point next_;
  nlohmann::json unwritten_;  // the checkpoint that the next turn writes; null: none
  nlohmann::json written_;    // the one that the next turn frees; null: none
};

/// The hashes of shown frames, which are too many for checkpoints: each is added as it arrives.
class HashMemory {
 public:
  /// Makes new memory without hashes. Throws JobError. The caller owns the descriptor.
  [[nodiscard]] static int make();

  /// `fd` is from make(), and outlives this object.
  explicit HashMemory(int fd) noexcept : fd_(fd) {}

  /// The frame that a panel has shown.
  struct Shown {
    std::uint64_t panel = 0;
    scene::ShownFrame frame;
    std::int64_t due_ns = 0;  ///< HashedFrame::due_ns
  };
  /// All frames in the order in which they were added, each once: what a panel has reported again,
  /// to one director after the other, is left out. They stay, so that a director that dies now
  /// loses none.
  [[nodiscard]] std::vector<Shown> all();
  /// Adds a frame. Throws JobError.
  void add(const Shown& shown);

 private:
  const int fd_;
};

}  // namespace tilewall::director
