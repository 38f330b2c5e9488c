// Holds a volume in memory, ready to be cast: overviews of timesteps, and a detail of one of them.
// The memory limit always holds: reading waits until there is room.
//
// Threads: one owner. The object has a thread, "load", that reads what is requested and then what
// is likely next.
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
  /// Whether a volume that takes long to read is read in stages. Without them pictures do not
  /// depend on those before them either, so a detail is used again for the same box only.
  enum class Previews { shown, left_out };
  /// Opens the file. `gpu` outlives this object and all timesteps. Throws InputError.
  TimestepStore(const VolumeJob& job, HostGpu& gpu, int threads,
                Previews previews = Previews::shown);
  ~TimestepStore();

  /// Number of the file's timesteps. Those of the functions below are places in the series, of
  /// which the job has steps_between from one timestep to the next.
  [[nodiscard]] std::int64_t timesteps() const noexcept { return reader_.timesteps(); }
  /// Whether whole timesteps are held in full detail, so that the memory limit changes no picture.
  [[nodiscard]] bool holds_all() const noexcept { return plan_.overview == 0; }
  struct Choice {
    std::optional<DetailChoice> detail;  ///< empty if the overview of get() is good enough
    std::optional<int> lacks;  ///< level whose cell ranges must be read before choosing; else empty
  };
  /// Chooses the detail that shows `seen` best in this look. Throws InputError if the camera is not
  /// valid. Owner's thread.
  [[nodiscard]] Choice choose(std::int64_t timestep, const SeenPart& seen, const ShownLook& look);
  /// Makes the thread read the cell ranges of a level, ahead of details. Replaces the last call's
  /// level; ready_fd() reports the end. @pre choose() returned the level in `lacks`.
  void want_cells(std::int64_t timestep, int level);

  /// The overview of a timestep; null while it is not in memory. It is then read ahead of all else,
  /// and ready_fd() reports the end. Throws what reading it threw, for 5 s; then it is read again.
  /// @pre 0 <= timestep, and not beyond the last one
  [[nodiscard]] ReadyTimestepPtr get(std::int64_t timestep);

  // A volume that takes long to read is read in stages: previews, the coarsest first, and then all
  // of its voxels.

  /// The number of the last stage; 0 where there are no previews.
  [[nodiscard]] int last_stage() const noexcept { return static_cast<int>(plan_.previews.size()); }
  struct Stage {
    ReadyTimestepPtr ready;  ///< null while nothing is read
    int number = 0;
    int newest = -1;  ///< the last stage that was read; -1: none
  };
  /// The finest stage that was read up to `most`; where none is held, the first one that is. Other
  /// than get(), it does not make the thread read.
  [[nodiscard]] Stage stage(int most) const;
  /// Frees the stages before `number`, but never the last one that was read. Owner's thread.
  void drop_stages_before(int number);
  /// How much of all the voxels of all stages was read, in thousandths; empty where nothing is
  /// missing. A fault that ended a reading counts as its end.
  [[nodiscard]] std::optional<int> progress() const;

  enum class DetailState {
    none,    ///< it was not requested, or was replaced
    coming,  ///< it is being read, or waits for that
    ready,
    failed,  ///< it cannot be read
  };
  struct Detail {
    DetailState state = DetailState::none;
    ReadyTimestepPtr ready;  ///< null unless ready
    std::string fault;       ///< "" unless failed
  };
  /// The state of a detail. The next pictures of one that is ready take the tiles of the choice.
  [[nodiscard]] Detail detail(std::int64_t timestep, const DetailChoice& choice) const;
  /// Makes the thread read a detail, which replaces the one before.
  /// @pre The owner has released the pointer that detail() gave it.
  void want_detail(std::int64_t timestep, const DetailChoice& choice);
  /// Tells which detail will be wanted next. While the present one is drawn, the thread reads the
  /// tiles that it lacks, as far as there is room. No picture depends on that. Does nothing unless
  /// both are tiles of one level and timestep, and the present one is ready.
  void expect_detail(std::int64_t timestep, const DetailChoice& choice);

  struct QuantileAnswer {
    QuantileQuestion question;
    std::optional<render::ValueRange> range;  ///< empty: no timestep has a value that counts
  };
  /// Quantiles of all timesteps' values. Empty while the thread counts them, which it begins at the
  /// first question; ready_fd() reports the end. Timesteps that cannot be read do not count.
  [[nodiscard]] std::optional<QuantileAnswer> quantiles(const QuantileQuestion& question);

  struct Figures {
    std::uint64_t held_bytes = 0;  ///< memory of volumes, with those that are being read
    TimestepReader::Figures read;
  };
  [[nodiscard]] Figures figures() const;

  /// A line about what reading waits for, from VoxelReader::trouble(); "" = nothing unusual.
  [[nodiscard]] std::string trouble() const { return reader_.trouble(); }

  /// Readable once a reading has ended or failed since the last drain(). This object owns it.
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
    std::optional<render::CellPairs> cells;  // empty: the file has none for this level
  };
  /// What the thread does next.
  enum class Work { timestep, quantiles, cells, next_stage, detail, ahead, nothing };
  struct NextWork {
    Work work = Work::nothing;
    std::int64_t timestep = 0;
  };

  void run(const std::stop_token& stop);
  [[nodiscard]] NextWork next_work() const;
  void read_timestep(std::unique_lock<std::mutex>& lock, std::int64_t timestep,
                     const std::stop_token& stop);
  [[nodiscard]] int level_of(int stage) const noexcept;
  [[nodiscard]] bool is_staged() const noexcept { return !plan_.previews.empty(); }
  void read_next_stage(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  [[nodiscard]] TimestepCache::Slot read_slot(std::unique_lock<std::mutex>& lock,
                                              std::int64_t timestep, const std::stop_token& stop);
  void read_quantiles(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void read_cells(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void read_detail(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void read_ahead(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void settle_stopped(std::unique_lock<std::mutex>& lock, const WantedDetail& wanted,
                      ReadyTimestepPtr ready);
  [[nodiscard]] const render::CellPairs* cells_of(int level, std::optional<int>& lacks) const;
  void take_cells(std::int64_t timestep);
  void make_room(std::unique_lock<std::mutex>& lock);
  void tell() const noexcept;

  const BoxReuse box_reuse_;
  TimestepReader reader_;  // once the load thread runs, it alone reads
  const MemoryPlan plan_;

  struct Counting {
    ValueQuantiles values;
    std::optional<std::int64_t> next;  // timestep of the pass that runs; empty: none runs
  };
  Counting counting_;  // the thread's own

  struct KnownCells {
    std::int64_t timestep = 0;
    std::map<int, std::optional<render::CellPairs>> of_level;  // empty if the file has none
    ShownTilesCache shown;                                     // by these
  };
  KnownCells cells_;  // the owner's own

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  TimestepCache cache_;  // guarded by mutex_
  struct Stages {
    std::vector<ReadyTimestepPtr> held;  // by number; null: not read, cannot be read, or dropped
    int next = 0;                        // the one that is read now or next
    int newest = -1;                     // the last one in `held` that was read
  };
  Stages stages_;                       // guarded by mutex_; of timestep 0
  std::optional<WantedDetail> detail_;  // guarded by mutex_
  struct Questions {
    std::optional<QuantileQuestion> asked;  // not answered yet
    std::vector<QuantileAnswer> answers;    // the newest last
  };
  Questions questions_;  // guarded by mutex_
  struct CellReading {
    std::optional<WantedCells> wanted;
    std::optional<ComeCells> come;  // read, but not taken yet
  };
  CellReading cell_reading_;       // guarded by mutex_
  std::stop_source detail_stop_;   // guarded by mutex_; stops reading a detail or cells
  std::size_t reading_bytes_ = 0;  // guarded by mutex_; memory of what is being read
  UniqueFd ready_fd_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::volume
