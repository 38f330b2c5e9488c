// One timestep of a live source in memory, while its ranks' blocks arrive and after that. What is
// drawn is made plane by plane as soon as its planes are complete: the volume with its cells'
// ranges and packed voxels, at half the resolution where the memory does not hold all of it.
//
// A timestep is whole once every voxel of the grid has arrived exactly once. Anything else (blocks
// that overlap or leave voxels out, blocks of different types) is a fault of the whole timestep.
//
// It measures what its own work takes. Threads: one owner while blocks arrive; once whole it does
// not change, and any may read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/live/live_request.hpp"
#include "render/volume/huge_memory.hpp"
#include "render/volume/volume_builder.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {

[[nodiscard]] render::VoxelType voxel_type_of(net::LiveType type) noexcept;

/// The room that a caster has for the timesteps of a source.
struct LiveRoom {
  std::size_t memory_bytes = std::size_t{1} << 50;
  bool packs = true;  ///< the processor draws, so that u8 voxels are packed
  /// Memory of timesteps that are gone.
  std::shared_ptr<render::VolumePool> pool = std::make_shared<render::VolumePool>();

  static constexpr std::size_t least_kept = 3;      ///< one on the wall, and two beside it
  static constexpr std::size_t most_receiving = 2;  ///< timesteps that arrive at the same time
  static constexpr std::size_t most_ready = 4;      ///< going, on the wall, drawn ahead, just whole

  /// Memory in bytes for as many timesteps as that, 0: as they are sent, 1: at half the resolution.
  [[nodiscard]] std::size_t needed_bytes(int level, render::VoxelType type,
                                         render::VolumeSize size) const noexcept;
  /// The level at which timesteps are kept; empty: they do not fit the memory.
  [[nodiscard]] std::optional<int> level(render::VoxelType type,
                                         render::VolumeSize size) const noexcept;
};

class LiveTimestep {
 public:
  /// Of a grid of `size` voxels, 1 to 8192 a side, to which `ranks` ranks contribute. Takes memory
  /// once the first rank's head is there.
  LiveTimestep(std::uint64_t number, std::array<std::uint32_t, 3> size, std::uint32_t ranks,
               const LiveRoom& room = {});

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Takes the blocks of a rank, which parse_live_head() has checked, once. Returns what is wrong
  /// with them, "" if nothing: another type than other ranks have, a block that overlaps another
  /// rank's or, at the last rank, voxels that nobody has. Throws JobError if there is no memory.
  /// @pre room.level() of the blocks' type is not empty
  [[nodiscard]] std::string take_head(std::uint32_t rank, net::LiveHeadInfo head);
  /// The blocks of a rank; null before take_head().
  [[nodiscard]] const net::LiveHeadInfo* head_of(std::uint32_t rank) const;
  [[nodiscard]] bool has_all_heads() const noexcept { return heads_ == ranks_.size(); }

  /// Places the planes that were asked for, x fastest without padding. Planes that are there
  /// already are left alone. @pre take_head(rank), and the block has planes of these bytes
  void place(std::uint32_t rank, const net::LiveRequest& request,
             std::span<const std::byte> planes);
  /// Whether all planes of the rank's blocks are there. @pre take_head(rank)
  [[nodiscard]] bool has_all_of(std::uint32_t rank) const;
  [[nodiscard]] bool is_whole() const noexcept {
    return has_all_heads() && planes_whole_ == static_cast<std::uint32_t>(size_.z);
  }
  [[nodiscard]] std::uint64_t received_bytes() const noexcept { return received_bytes_; }

  /// Time of the work on planes so far.
  struct Work {
    Nanos convert{0};  ///< copying them to their places, and halving
    Nanos tiles{0};    ///< finding cells' ranges, and packing
    Nanos last{0};     ///< all of that in the newest call of place()
  };
  [[nodiscard]] const Work& work() const noexcept { return work_; }

  // --- of a timestep with a head at least

  [[nodiscard]] render::VoxelType type() const noexcept { return type_; }
  [[nodiscard]] render::VolumeSize size() const noexcept { return size_; }
  /// The simulation's time, as the rank with the smallest number says that has blocks.
  [[nodiscard]] double time() const noexcept { return time_; }
  /// The range of the finite voxels by what the ranks say; empty where there are none.
  [[nodiscard]] render::ValueRange stored_range() const noexcept { return range_; }
  /// Voxels that are no finite number.
  [[nodiscard]] std::uint64_t not_shown() const noexcept { return not_shown_; }

  // --- of a whole timestep

  /// 0: the volume is as it was sent; 1: it has half the resolution, each voxel being the mean of
  /// up to eight.
  [[nodiscard]] int level() const noexcept { return level_; }
  /// The volume of that level, with which several Volumes share their voxels.
  [[nodiscard]] const render::VolumeBuilder& built() const noexcept { return *built_; }
  /// Gives the packed voxels away; null where there are none, or no longer.
  [[nodiscard]] std::shared_ptr<const render::TiledVoxels> take_packed() noexcept {
    return built_->take_packed();
  }
  /// Memory in bytes, without the packed voxels.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct Block {
    net::LiveBox box;
    std::vector<bool> has_plane;  // by plane of the block
    std::uint32_t missing = 0;
  };
  struct Rank {
    std::optional<net::LiveHeadInfo> head;
    std::vector<Block> blocks;
  };

  void take_memory();
  [[nodiscard]] std::size_t plane_bytes() const noexcept;
  [[nodiscard]] std::string fault_with(std::uint32_t rank, const net::LiveHeadInfo& head) const;
  [[nodiscard]] std::string gap_fault() const;
  void add_statistics(std::uint32_t rank, const net::LiveHeadInfo& head);
  void copy_plane(const net::LiveBox& box, std::uint32_t plane, const std::byte* from) noexcept;
  void note_arrived(std::uint32_t z, std::uint64_t voxels);
  void halve(std::uint32_t pair);
  void finish_slice(int z);

  const std::uint64_t number_;
  const render::VolumeSize size_;
  const LiveRoom room_;
  render::VoxelType type_ = render::VoxelType::f32;
  int level_ = 0;
  std::vector<Rank> ranks_;
  std::uint32_t heads_ = 0;
  std::size_t blocks_ = 0;
  std::uint64_t voxels_in_heads_ = 0;
  std::vector<std::uint64_t> arrived_;  // voxels of each plane along z
  std::uint32_t planes_whole_ = 0;
  std::optional<render::VolumeBuilder> built_;  // empty before the first blocks
  render::HugeMemory unreduced_;                // at level 1, until the timestep is whole
  std::uint64_t received_bytes_ = 0;
  Work work_;
  std::uint32_t time_rank_ = net::most_live_ranks;  // the rank that `time_` is from
  double time_ = 0;
  render::ValueRange range_{1, 0};
  std::uint64_t not_shown_ = 0;
};

using LiveTimestepPtr = std::shared_ptr<const LiveTimestep>;

}  // namespace tilewall::volume
