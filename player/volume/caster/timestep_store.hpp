// The timesteps of a volume that are in memory, ready to be cast: within a limit that holds.
//
// Threads: one owner; owns one, "load", that reads what is wanted and what is likely next.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "player/volume/volume_job.hpp"
#include "render/readers/volume_file.hpp"
#include "render/volume/volume_caster.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// What a timestep is called.
struct TimestepWords {
  std::string label;       ///< dataset, number and time
  std::string value_unit;  ///< "" = unknown
};

/// A volume and what draws it. The owner's while it has it.
struct ReadyTimestep {
  ReadyTimestep(Volume&& read, int threads, TimestepWords called = {})
      : volume(std::move(read)), caster(volume, best_family(), threads), words(std::move(called)) {}

  Volume volume;
  VolumeCaster caster;
  TimestepWords words;
  std::string style;                         ///< JSON that the caster was set to; "" = none yet
  std::optional<TransferFunction> function;  ///< of that style
  ValueRange range;                          ///< that it covers
};
using ReadyTimestepPtr = std::shared_ptr<ReadyTimestep>;

class TimestepStore {
 public:
  /// Opens the file. Throws InputError.
  TimestepStore(const VolumeJob& job, int threads);
  ~TimestepStore();

  [[nodiscard]] std::int64_t timesteps() const noexcept { return timesteps_; }
  /// Halvings of the volume's sides, so that it fits.
  [[nodiscard]] int reduced_by() const noexcept { return reduced_by_; }

  /// Of the timesteps that are in memory, with what is kept beside their voxels.
  [[nodiscard]] std::uint64_t held_bytes() const;

  /// The timestep, where it is in memory; else it is read, ahead of all others, and ready_fd()
  /// tells. Throws what reading it threw; after a while it is tried again. @pre 0 <= timestep <
  /// timesteps()
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t timestep);

  /// Readable once a timestep has come, or failed, since the last drain().
  [[nodiscard]] int ready_fd() const noexcept { return ready_fd_.get(); }
  void drain() const noexcept;

 private:
  struct Slot {
    std::int64_t timestep = 0;
    ReadyTimestepPtr ready;  // null where it failed
    std::exception_ptr failure;
    LocalInstant read_at;
  };
  void run(const std::stop_token& stop);
  [[nodiscard]] std::optional<std::int64_t> next_to_read();
  [[nodiscard]] bool has(std::int64_t timestep) const;
  void make_room();
  [[nodiscard]] ReadyTimestepPtr read(std::int64_t timestep, const std::stop_token& stop);
  void reopen();

  const int threads_;
  const VolumeJob job_;
  VolumeFile file_;  // load thread only, once it runs
  std::int64_t timesteps_ = 1;
  int reduced_by_ = 0;
  std::size_t slots_ = 1;  // timesteps that fit into the limit

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Slot> kept_;                // guarded by mutex_; the one asked for last is the first
  std::optional<std::int64_t> wanted_;  // guarded by mutex_
  int direction_ = 1;                   // guarded by mutex_
  UniqueFd ready_fd_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall
