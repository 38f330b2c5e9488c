// Slabs of a volume in, bricks of all levels out.
//
//   slab of level 0 -> its bricks, on all threads: copy out, ranges, pack, write; halve into the
//   slab of level 1 that waits -> when that is whole, its bricks -> ...
//
// So every level has one slab in memory, a quarter of the level before: together a third of a slab
// of level 0.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "render/bricks/brick_codec.hpp"
#include "render/bricks/brick_folder.hpp"
#include "render/bricks/brick_layout.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/volume/huge_memory.hpp"

namespace tilewall::render {

/// Writes the ranges of a timestep's bricks while they are made (brick_ranges.hpp has the format).
class RangesWriter {
 public:
  /// Opens the file of a level, or makes it at its full length. Throws JobError.
  RangesWriter(const std::filesystem::path& file, const RangesPlan& plan);

  [[nodiscard]] const RangesPlan& plan() const noexcept { return plan_; }
  /// Any number of threads; throw JobError.
  void write_cells(std::size_t brick, std::span<const std::byte> pairs) const;
  /// Of neighbouring bricks, from `first_brick` on.
  void write_bricks(std::size_t first_brick, std::span<const std::byte> pairs) const;

 private:
  void write(std::span<const std::byte> bytes, std::uint64_t offset) const;

  RangesPlan plan_;
  std::string file_;
  UniqueFd fd_;
};

/// Threads: one caller at a time.
class BrickPyramid {
 public:
  /// `counts`, `stored`: of what is written already. `layout` and `folder` outlive it.
  BrickPyramid(const BrickLayout& layout, const BrickFolder& folder, BrickCodec codec, int threads,
               std::stop_token stop);

  /// Begins a timestep of which `slabs` of level 0 are written: what waits for the next one is read
  /// from the bricks. Throws InputError where they are damaged.
  void begin(int timestep, int slabs);

  /// Slab number `slab` of level 0, slices without padding, in ascending order. Throws JobError,
  /// also once a stop was requested: the slab is to be added anew then, after begin().
  void add(int slab, const std::byte* voxels);

  [[nodiscard]] const std::vector<BrickCount>& counts() const noexcept { return counts_; }
  [[nodiscard]] ValueRange stored() const noexcept { return stored_; }
  /// Of level 0, by this object; for any thread.
  [[nodiscard]] std::int64_t bricks_done() const noexcept {
    return bricks_done_.load(std::memory_order_relaxed);
  }

 private:
  /// What a thread needs for a brick.
  struct Bench {
    Bench(const BrickLayout& layout, BrickCodec codec)
        : packer(codec, layout.type), brick(layout.brick_bytes()) {}
    BrickPacker packer;
    std::vector<std::byte> brick;
    std::vector<std::byte> cells;
  };
  struct Waiting {  // slices of a level on their way to a whole slab
    HugeMemory voxels;
    int slices = 0;
  };
  struct Slab {  // of a level, being written
    std::size_t level;
    int number;
    int slices;
    const std::byte* voxels;
  };

  void write_slab(const Slab& slab);
  [[nodiscard]] std::uint64_t write_brick(const Slab& slab, int x, int y, Bench& bench,
                                          std::span<std::byte> pair);
  void halve_part(const Slab& slab, int x, int y);
  [[nodiscard]] std::byte* waiting_end(std::size_t level);
  [[nodiscard]] std::unique_ptr<Bench> take_bench();
  void give_back(std::unique_ptr<Bench> bench);

  const BrickLayout& layout_;
  const BrickFolder& folder_;
  const BrickCodec codec_;
  const int threads_;
  const std::stop_token stop_;
  int timestep_ = 0;
  std::vector<RangesWriter> ranges_;  // of each level
  std::vector<Waiting> waiting_;      // of each level; level 0 has none
  std::vector<BrickCount> counts_;
  ValueRange stored_;
  std::atomic<std::int64_t> bricks_done_{0};  // a count to show; publishes nothing
  std::mutex benches_mutex_;
  std::vector<std::unique_ptr<Bench>> benches_;  // guarded by benches_mutex_: those not in use
};

}  // namespace tilewall::render
