// What of a volume is in memory, ready to be cast: timesteps as a whole, and of one of them the
// part that is looked at, finer. Within a limit that holds: what is read next waits until there is
// room.
//
// Threads: one owner; owns one, "load", that reads what is wanted and what is likely next.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "player/volume/caster/timestep_caster.hpp"
#include "player/volume/tile_choice.hpp"
#include "player/volume/volume_job.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/readers/voxel_reader.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// What a timestep is called.
struct TimestepWords {
  std::string volume;      ///< the file's name
  std::string label;       ///< dataset, or else the file's name; of a series number and time
  std::string value_unit;  ///< "" = unknown
};

/// All of a volume, of which a part may be in memory, and at another fineness.
struct VolumeWhole {
  VolumeSize size;  ///< at the finest level
  VolumePlace place;
  ValueRange values;                  ///< that the show's colours are for
  std::optional<ValueRange> crowded;  ///< of these, where nearly all lie; empty where that is wide
};

/// A volume or a part of it, and what draws it. The owner's while it has it.
struct ReadyTimestep {
  ReadyTimestep(Volume&& read, int threads, TimestepWords called = {}, HostGpu* gpu = nullptr)
      : volume(std::move(read)),
        caster(volume, gpu, threads),
        words(std::move(called)),
        whole{volume.size(), volume.place(), volume.value_range(), std::nullopt} {}

  Volume volume;
  TimestepCaster caster;
  TimestepWords words;
  VolumeWhole whole;
  int level = 0;                             ///< of volume_levels()
  std::string style;                         ///< JSON that the caster was set to; "" = none yet
  std::optional<TransferFunction> function;  ///< of that style
  ValueRange range;                          ///< that it covers
};
using ReadyTimestepPtr = std::shared_ptr<ReadyTimestep>;

class TimestepStore {
 public:
  /// Opens the file. `gpu` outlives this, and all timesteps. Throws InputError.
  TimestepStore(const VolumeJob& job, HostGpu& gpu, int threads);
  ~TimestepStore();

  [[nodiscard]] std::int64_t timesteps() const noexcept { return timesteps_; }
  struct Choice {
    std::optional<DetailChoice> detail;  ///< empty where get() gives it
    std::optional<int> lacks;  ///< of this level's cells it is not known yet what is known: later
  };
  /// What of the timestep would show `seen` best in that look. Throws InputError for a camera
  /// without meaning. Owner's thread.
  [[nodiscard]] Choice choose(std::int64_t timestep, const SeenPart& seen, const ShownLook& look);
  /// From now on what is known of the cells of that level is read, ahead of details, and ready_fd()
  /// tells; nobody waits for others. @pre choose() lacks them
  void want_cells(std::int64_t timestep, int level);

  /// The timestep, where it is in memory; else it is read, ahead of all others, and ready_fd()
  /// tells. Throws what reading it threw; after a while it is tried again. @pre 0 <= timestep <
  /// timesteps()
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t timestep);

  /// failed: it cannot be read.
  enum class DetailState { none, coming, ready, failed };
  struct Detail {
    DetailState state = DetailState::none;
    ReadyTimestepPtr ready;
    std::string fault;  ///< of failed
  };
  /// How far that part of the timestep is.
  [[nodiscard]] Detail detail(std::int64_t timestep, const DetailChoice& choice) const;
  /// From now on that part is read, and no other is held. @pre the owner holds none of detail()'s
  void want_detail(std::int64_t timestep, const DetailChoice& choice);

  struct Figures {
    std::uint64_t held_bytes = 0;   ///< what is being read included
    std::uint64_t read_bytes = 0;   ///< of voxels, so far
    std::uint64_t read_bricks = 0;  ///< for that; 0 of files without
    std::uint64_t read_ns = 0;      ///< from files, as time passes
    std::uint64_t decode_ns = 0;    ///< unpacking, and making it ready for kernels, likewise
  };
  [[nodiscard]] Figures figures() const;

  /// What a timestep or detail that is not there waits for, as of VoxelReader::trouble().
  [[nodiscard]] std::string trouble() const;

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
  /// From the file, in all.
  struct ReadSoFar {
    LocalInstant at;
    std::uint64_t bytes = 0;
    VoxelReader::Work work;
  };
  struct WantedDetail {
    std::int64_t timestep = 0;
    DetailChoice choice;
    ReadyTimestepPtr ready;
    bool failed = false;
    std::string fault = {};
    bool complete = false;  ///< `ready` has all of the choice
    [[nodiscard]] bool serves(std::int64_t of, const DetailChoice& wanted) const;
    /// Both are tiles of the same volume.
    [[nodiscard]] bool can_become(std::int64_t of, const DetailChoice& wanted) const;
  };
  struct WantedCells {
    std::int64_t timestep = 0;
    int level = 0;
    bool operator==(const WantedCells&) const = default;
  };
  struct ComeCells {
    std::int64_t timestep = 0;
    int level = 0;
    std::optional<CellPairs> cells;  // empty: there are none
  };
  /// What the thread does next; at the end of them, nothing.
  enum class Work { timestep, cells, detail, nothing };
  struct NextWork {
    Work work = Work::nothing;
    std::int64_t timestep = 0;
  };

  void run(const std::stop_token& stop);
  [[nodiscard]] NextWork next_work() const;
  void read_timestep(std::unique_lock<std::mutex>& lock, std::int64_t timestep,
                     const std::stop_token& stop);
  void read_cells(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void read_detail(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  [[nodiscard]] ReadyTimestepPtr read_tiles(const WantedDetail& wanted, ReadyTimestepPtr held,
                                            const std::stop_token& stop);
  [[nodiscard]] const CellPairs* cells_of(int level, std::optional<int>& lacks) const;
  void take_cells(std::int64_t timestep);
  [[nodiscard]] ReadyTimestepPtr find(std::int64_t timestep) const;
  [[nodiscard]] bool has(std::int64_t timestep) const;
  void make_room(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Volume read_volume(std::int64_t timestep, const VolumeLevel& level,
                                   const GridBox& box, const std::stop_token& stop);
  [[nodiscard]] ReadyTimestepPtr read(std::int64_t timestep, const VolumeLevel& level,
                                      const GridBox& box, const std::stop_token& stop);
  void find_values_before(std::int64_t timestep, const VolumeLevel& level,
                          const std::stop_token& stop);
  [[nodiscard]] ReadSoFar read_so_far() const;
  void count_read(const ReadSoFar& before);
  void reopen();
  void tell() const noexcept;

  HostGpu& gpu_;
  const int threads_;
  const VolumeJob job_;
  /// Read and replaced by the load thread, once it runs; replaced, and trouble(), under mutex_.
  std::unique_ptr<VoxelReader> file_;
  std::int64_t timesteps_ = 1;
  std::vector<VolumeLevel> levels_;
  VoxelType type_ = VoxelType::f32;
  MemoryPlan plan_;
  ValueScale scale_;
  /// That colours of all timesteps are for; empty until known. The load thread's.
  std::optional<ValueRange> values_;
  std::int64_t alike_steps_ = 0;  ///< the first ones, each of one value or none. The load thread's

  /// Of a timestep, by level; empty where nothing is known. Owner's thread only.
  std::map<int, std::optional<CellPairs>> cells_;
  std::int64_t cells_timestep_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Slot> kept_;                // guarded by mutex_; the one asked for last is the first
  std::optional<std::int64_t> wanted_;  // guarded by mutex_
  int direction_ = 1;                   // guarded by mutex_
  std::optional<WantedDetail> detail_;  // guarded by mutex_
  std::optional<WantedCells> wanted_cells_;  // guarded by mutex_
  std::optional<ComeCells> come_cells_;      // guarded by mutex_: not taken yet
  std::stop_source detail_stop_;             // guarded by mutex_: of the one that is being read
  std::size_t reading_bytes_ = 0;            // guarded by mutex_: of what that will take
  Figures read_;                             // guarded by mutex_; without what is held
  UniqueFd ready_fd_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall
