// The timesteps of a live source in a caster: which are in memory, and those that are ready to be
// cast. They come whole from LiveReceiver; a thread makes the newest one ready before the director
// hears of it, so that panels draw it at once. Older ones are made ready when they are asked for.
//
// Panels and the director name a timestep by its frame, scene::live_frame().
//
// Threads: get() belongs to the caster's thread; add() and the functions about what is kept to the
// receiver's; held_bytes() to any. The object has a thread, "load".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/live/live_volume.hpp"
#include "player/volume/volume_job.hpp"

namespace tilewall::volume {

class LiveStore {
 public:
  /// `gpu` outlives this object and all timesteps.
  LiveStore(const VolumeJob& job, HostGpu& gpu, int threads);
  ~LiveStore();

  /// Most memory that one timestep may take as it is received, in bytes.
  [[nodiscard]] static std::size_t timestep_bytes(const VolumeJob& job) noexcept {
    return job.memory_bytes / 4;  // two are kept beside the one on the wall, and one arrives
  }

  /// The timestep with that frame, ready to be cast. Throws InputError where it is not in memory.
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t frame);

  /// Adds a whole timestep of a run. Those of another run are dropped, but for those on the wall.
  void add(std::uint64_t run, LiveTimestepPtr timestep, const LiveMeaning& meaning);
  /// Sets the frames that panels show or draw, which are kept whatever else goes.
  void set_on_wall(std::vector<std::int64_t> frames);

  struct Kept {
    std::vector<std::int64_t> timesteps;  ///< those of the newest run that get() has, oldest first
    double newest_time = 0;               ///< the simulation's time of the newest one
  };
  /// What the director may bring to the wall.
  [[nodiscard]] Kept kept() const;

  [[nodiscard]] std::uint64_t held_bytes() const;

  /// Calls `changed` whenever kept() has changed. To be called before the first add().
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  struct Slot {
    LiveTimestepPtr received;
    LiveMeaning meaning;
    render::ValueRange values;  // of the colours: of all timesteps of the run up to this one
    ReadyTimestepPtr ready;     // null: not made ready, or no longer
    bool is_kept = false;       // kept() has it
    bool is_of_run = true;      // of the newest run
  };

  void run(const std::stop_token& stop);
  [[nodiscard]] std::optional<std::int64_t> next_to_prepare() const;
  [[nodiscard]] ReadyTimestepPtr prepare(const Slot& slot) const;
  void make_room();
  [[nodiscard]] bool is_on_wall(std::int64_t frame) const;
  [[nodiscard]] int level_of(const LiveTimestep& timestep) const;

  const VolumeJob job_;
  HostGpu& gpu_;
  const int threads_;
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<std::int64_t, Slot> slots_;  // by frame; guarded by mutex_, like all below
  std::uint64_t run_ = 0;
  std::vector<std::int64_t> on_wall_;
  render::ValueRange values_{1, 0};  // of all timesteps of the run so far
  std::jthread thread_;              // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
