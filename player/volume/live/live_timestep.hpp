// One timestep of a live source in memory, while its ranks' blocks arrive and after that: the
// voxels of the whole grid as they were sent, and the same at half the resolution, which is made
// plane by plane as soon as both planes of a pair are complete.
//
// A timestep is whole once every voxel of the grid has arrived exactly once. Anything else (blocks
// that overlap or leave voxels out, blocks of different types) is a fault of the whole timestep.
//
// Threads: one owner while blocks arrive; once whole it does not change, and any may read it.
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
#include "render/readers/volume_info.hpp"
#include "render/volume/huge_memory.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::volume {

class LiveTimestep {
 public:
  /// Of a grid of `size` voxels, 1 to 8192 a side, to which `ranks` ranks contribute. Takes memory
  /// once the first rank's head is there.
  LiveTimestep(std::uint64_t number, std::array<std::uint32_t, 3> size, std::uint32_t ranks);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Takes the blocks of a rank, which parse_live_head() has checked, once. Returns what is wrong
  /// with them, "" if nothing: another type than other ranks have, a block that overlaps another
  /// rank's or, at the last rank, voxels that nobody has. Throws JobError if there is no memory.
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

  // --- of a timestep with a head at least

  [[nodiscard]] render::VoxelType type() const noexcept { return type_; }
  [[nodiscard]] render::VolumeSize size() const noexcept { return size_; }
  /// The simulation's time, as the rank with the smallest number says.
  [[nodiscard]] double time() const noexcept { return time_; }
  /// The range of the finite voxels by what the ranks say; empty where there are none.
  [[nodiscard]] render::ValueRange stored_range() const noexcept { return range_; }
  /// Voxels that are no finite number.
  [[nodiscard]] std::uint64_t not_shown() const noexcept { return not_shown_; }

  // --- of a whole timestep

  /// The voxels, x fastest without padding.
  [[nodiscard]] std::span<const std::byte> voxels() const noexcept {
    return {voxels_.data(), bytes_of_grid()};
  }
  /// Half the resolution: render::reduced_size(size(), 2), each voxel a mean of up to eight.
  [[nodiscard]] std::span<const std::byte> halved() const noexcept;
  [[nodiscard]] render::VolumeSize halved_size() const noexcept;
  /// Memory of both, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return voxels_.size_bytes() + halved_.size_bytes();
  }

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

  [[nodiscard]] std::size_t bytes_of_grid() const noexcept;
  [[nodiscard]] std::size_t plane_bytes() const noexcept;
  [[nodiscard]] std::string fault_with(std::uint32_t rank, const net::LiveHeadInfo& head) const;
  void add_statistics(std::uint32_t rank, const net::LiveHeadInfo& head);
  void copy_plane(const net::LiveBox& box, std::uint32_t plane, const std::byte* from) noexcept;
  void note_arrived(std::uint32_t z, std::uint64_t voxels);
  void halve(std::uint32_t pair);

  const std::uint64_t number_;
  const render::VolumeSize size_;
  render::VoxelType type_ = render::VoxelType::f32;
  std::vector<Rank> ranks_;
  std::uint32_t heads_ = 0;
  std::size_t blocks_ = 0;
  std::uint64_t voxels_in_heads_ = 0;
  std::vector<std::uint64_t> arrived_;  // voxels of each plane along z
  std::uint32_t planes_whole_ = 0;
  render::HugeMemory voxels_;
  render::HugeMemory halved_;
  std::uint64_t received_bytes_ = 0;
  std::uint32_t time_rank_ = net::most_live_ranks;  // the rank that `time_` is from
  double time_ = 0;
  render::ValueRange range_{1, 0};
  std::uint64_t not_shown_ = 0;
};

using LiveTimestepPtr = std::shared_ptr<const LiveTimestep>;

}  // namespace tilewall::volume
