// Makes the bricks of all levels from the slabs of a volume.
//
//   slab of level 0 -> its bricks, on all threads: copy, find ranges, compress, write; halve into
//   the waiting slab of level 1 -> once that is complete, its bricks -> ...
//
// Every level from 1 on keeps one slab in memory. Each is a quarter as large as that of the finer
// level, so together they take a third of a slab of level 0.
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

/// Writes the ranges of one level and timestep while bricks are made (format in brick_ranges.hpp).
///
/// Threads: any number may write different bricks. All functions throw JobError naming the file.
class RangesWriter {
 public:
  /// Opens the file of a level, or makes it at its full length.
  RangesWriter(const std::filesystem::path& file, const RangesPlan& plan);

  [[nodiscard]] const RangesPlan& plan() const noexcept { return plan_; }

  /// Writes the pairs of a brick's cells.
  void write_cells(std::size_t brick, std::span<const std::byte> pairs) const;

  /// Writes the pairs of consecutive bricks, from `first_brick` on.
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
  /// Counts go on from the folder's progress. `threads` share a slab's bricks. `layout` and
  /// `folder` must outlive this object.
  BrickPyramid(const BrickLayout& layout, const BrickFolder& folder, BrickCodec codec, int threads,
               std::stop_token stop);

  /// Begins a timestep of which `slabs` slabs of level 0 are written. The coarser slabs that were
  /// waiting then are made again from the bricks. Throws InputError if these are damaged.
  void begin(int timestep, int slabs);

  /// Adds slab number `slab` of level 0, in ascending order; its slices are contiguous. Throws
  /// JobError on failure and when a stop was requested. Then begin() has to come first, and the
  /// slab has to be added again.
  void add(int slab, const std::byte* voxels);

  [[nodiscard]] const std::vector<BrickCount>& counts() const noexcept { return counts_; }
  [[nodiscard]] ValueRange stored() const noexcept { return stored_; }

  /// Number of bricks of level 0 that this object has made. Any thread.
  [[nodiscard]] std::int64_t bricks_done() const noexcept {
    return bricks_done_.load(std::memory_order_relaxed);
  }

 private:
  /// Codec and buffers that a thread needs for a brick.
  struct Bench {
    Bench(const BrickLayout& layout, BrickCodec codec)
        : packer(codec, layout.type), brick(layout.brick_bytes()) {}
    BrickPacker packer;
    std::vector<std::byte> brick;
    std::vector<std::byte> cells;
  };
  struct Waiting {  // the slab of a level that is being filled
    HugeMemory voxels;
    int slices = 0;  // slices that are filled
  };
  struct Slab {  // a slab that is being written
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
  std::vector<RangesWriter> ranges_;  // one for each level
  std::vector<Waiting> waiting_;      // one for each level; that of level 0 is not used
  std::vector<BrickCount> counts_;    // one for each level
  ValueRange stored_;
  std::atomic<std::int64_t> bricks_done_{0};  // for display only; publishes no other data
  std::mutex benches_mutex_;
  std::vector<std::unique_ptr<Bench>> benches_;  // guarded by benches_mutex_: those not in use
};

}  // namespace tilewall::render
