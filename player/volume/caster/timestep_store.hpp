// What of a volume is in memory, ready to be cast: timesteps as a whole, and of one of them the
// part that is looked at, finer. Within a limit that holds: what is read next waits until there is
// room.
//
// Threads: one owner; owns one, "load", that reads what is wanted and what is likely next.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/caster/tile_detail.hpp"
#include "player/volume/caster/timestep_cache.hpp"
#include "player/volume/caster/timestep_reader.hpp"
#include "player/volume/tile_choice.hpp"
#include "player/volume/volume_job.hpp"
#include "player/volume/volume_levels.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::volume {

class TimestepStore {
 public:
  /// Opens the file. `gpu` outlives this, and all timesteps. Throws InputError.
  TimestepStore(const VolumeJob& job, HostGpu& gpu, int threads);
  ~TimestepStore();

  [[nodiscard]] std::int64_t timesteps() const noexcept { return reader_.timesteps(); }
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
    std::uint64_t held_bytes = 0;  ///< what is being read included
    TimestepReader::Figures read;
  };
  [[nodiscard]] Figures figures() const;

  /// What a timestep or detail that is not there waits for, as of VoxelReader::trouble().
  [[nodiscard]] std::string trouble() const { return reader_.trouble(); }

  /// Readable once a timestep has come, or failed, since the last drain().
  [[nodiscard]] int ready_fd() const noexcept { return ready_fd_.get(); }
  void drain() const noexcept;

 private:
  struct WantedCells {
    std::int64_t timestep = 0;
    int level = 0;
    bool operator==(const WantedCells&) const = default;
  };
  struct ComeCells {
    std::int64_t timestep = 0;
    int level = 0;
    std::optional<render::CellPairs> cells;  // empty: there are none
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
  void settle_stopped(std::unique_lock<std::mutex>& lock, const WantedDetail& wanted,
                      ReadyTimestepPtr ready);
  [[nodiscard]] const render::CellPairs* cells_of(int level, std::optional<int>& lacks) const;
  void take_cells(std::int64_t timestep);
  void make_room(std::unique_lock<std::mutex>& lock);
  void tell() const noexcept;

  TimestepReader reader_;  // once the load thread runs, it alone reads
  const MemoryPlan plan_;

  /// Of a timestep, by level; empty where nothing is known. Owner's thread only.
  std::map<int, std::optional<render::CellPairs>> cells_;
  std::int64_t cells_timestep_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  TimestepCache cache_;                      // guarded by mutex_
  std::optional<WantedDetail> detail_;       // guarded by mutex_
  std::optional<WantedCells> wanted_cells_;  // guarded by mutex_
  std::optional<ComeCells> come_cells_;      // guarded by mutex_: not taken yet
  std::stop_source detail_stop_;             // guarded by mutex_: of the one that is being read
  std::size_t reading_bytes_ = 0;            // guarded by mutex_: of what that will take
  UniqueFd ready_fd_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
