// The timesteps of a live source in a caster: which are in memory, and those that are ready to be
// cast. They come whole from LiveReceiver with all that casting needs. Older ones keep their voxels
// and ranges; what else they need is made when they are asked for.
//
// Panels and the director name a timestep by its frame, scene::live_frame().
//
// Threads: get() belongs to the caster's thread; add() and the functions about what is kept to the
// receiver's; held_bytes() to any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/live/live_timestep.hpp"
#include "player/volume/volume_job.hpp"

namespace tilewall::volume {

/// What the voxels of a live source mean.
struct LiveMeaning {
  std::string name;   ///< the source's
  std::string field;  ///< whose values these are
  std::string units;  ///< Unit of the values; "" = unknown
  render::VolumePlace place;
  render::ValueScale scale;
};

class LiveStore {
 public:
  /// `gpu` outlives this object and all timesteps.
  LiveStore(const VolumeJob& job, HostGpu& gpu, int threads);

  /// The room for the source's timesteps.
  [[nodiscard]] const LiveRoom& room() const noexcept { return room_; }

  /// The timestep with that frame, ready to be cast. Throws InputError where it is not in memory.
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t frame);

  /// Adds a whole timestep of a run. Those of another run are dropped, but for those on the wall.
  /// Throws InputError where the place or scale has no meaning.
  void add(std::uint64_t run, std::shared_ptr<LiveTimestep> timestep, const LiveMeaning& meaning);
  /// Sets the frames that panels show or draw, which are kept whatever else goes.
  void set_on_wall(std::vector<std::int64_t> frames);

  struct Kept {
    std::vector<std::int64_t> timesteps;  ///< those of the newest run that get() has, oldest first
    double newest_time = 0;               ///< the simulation's time of the newest one
  };
  /// What the director may bring to the wall.
  [[nodiscard]] Kept kept() const;

  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  struct Slot {
    LiveTimestepPtr received;
    LiveMeaning meaning;
    render::ValueRange values;   // of the colours: of all timesteps of the run up to this one
    float least_above_zero = 0;  // of these timesteps; 0: none is above 0
    ReadyTimestepPtr ready;      // null: no longer
    bool is_of_run = true;       // of the newest run
  };

  [[nodiscard]] ReadyTimestepPtr prepare(const Slot& slot,
                                         std::shared_ptr<const render::TiledVoxels> packed) const;
  void make_room();
  [[nodiscard]] bool is_on_wall(std::int64_t frame) const;

  const VolumeJob job_;
  HostGpu& gpu_;
  const int threads_;
  const LiveRoom room_;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Slot> slots_;  // by frame; guarded by mutex_, like all below
  std::uint64_t run_ = 0;
  std::vector<std::int64_t> on_wall_;
  render::ValueRange values_{1, 0};  // of all timesteps of the run so far
  float least_above_zero_ = 0;
};

}  // namespace tilewall::volume
