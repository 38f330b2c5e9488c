#include "player/volume/live/live_timestep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "render/readers/slab_reducer.hpp"
#include "render/volume/volume_caster.hpp"
#include "sync/base/check.hpp"

namespace tilewall::volume {
namespace {

using render::VoxelType;

constexpr std::size_t most_named_ranks = 8;

render::VolumeSize size_of(const std::array<std::uint32_t, 3>& sides) {
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1]), static_cast<int>(sides[2])};
}

}  // namespace

VoxelType voxel_type_of(net::LiveType type) noexcept {
  switch (type) {
    case net::LiveType::u8:
      return VoxelType::u8;
    case net::LiveType::u16:
      return VoxelType::u16;
    case net::LiveType::f32:
      break;
  }
  return VoxelType::f32;
}

std::size_t LiveRoom::needed_bytes(int level, VoxelType type,
                                   render::VolumeSize size) const noexcept {
  const render::VolumeSize held = level == 0 ? size : render::reduced_size(size, 2);
  const std::size_t sent = size.voxels() * static_cast<std::size_t>(render::bytes_of(type));
  const std::size_t packed = packs ? render::caster_bytes(type, render::thickened(held)) : 0;
  return (least_kept + most_receiving) * render::VolumeBuilder::bytes(type, held) +
         (most_ready + most_receiving) * packed + (level == 0 ? 0 : most_receiving * sent);
}

std::optional<int> LiveRoom::level(VoxelType type, render::VolumeSize size) const noexcept {
  for (const int level : {0, 1})
    if (needed_bytes(level, type, size) <= memory_bytes) return level;
  return std::nullopt;
}

LiveTimestep::LiveTimestep(std::uint64_t number, std::array<std::uint32_t, 3> size,
                           std::uint32_t ranks, const LiveRoom& room)
    : number_(number), size_(size_of(size)), room_(room), ranks_(ranks), arrived_(size[2]) {}

std::string LiveTimestep::take_head(std::uint32_t rank, net::LiveHeadInfo head) {
  TW_CHECK(!ranks_[rank].head, "a rank's second head");
  const bool is_first = std::ranges::none_of(
      ranks_, [](const Rank& one) { return one.head && !one.head->blocks.empty(); });
  if (is_first && !head.blocks.empty()) type_ = voxel_type_of(head.blocks.front().type);
  if (std::string fault = fault_with(rank, head); !fault.empty()) return fault;
  if (is_first && !head.blocks.empty()) take_memory();
  add_statistics(rank, head);
  Rank& own = ranks_[rank];
  for (const net::LiveBlockInfo& block : head.blocks) {
    const std::uint32_t planes = block.box.side(2);
    own.blocks.push_back({block.box, std::vector<bool>(planes), planes});
    voxels_in_heads_ += block.box.voxels();
  }
  blocks_ += head.blocks.size();
  own.head = std::move(head);
  ++heads_;
  return has_all_heads() && voxels_in_heads_ < size_.voxels() ? gap_fault() : "";
}

/// What the blocks of all ranks leave out, and which ranks have none. @pre has_all_heads()
std::string LiveTimestep::gap_fault() const {
  std::vector<std::size_t> without;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].blocks.empty()) without.push_back(rank);
  std::string who;
  if (without.size() == ranks_.size())
    who = "; no rank put any";
  else if (without.size() == 1)
    who = fmt::format("; rank {} put none", without.front());
  else if (without.size() > most_named_ranks)
    who = fmt::format("; {} ranks put none, rank {} among them", without.size(), without.front());
  else if (!without.empty())
    who = fmt::format("; ranks {} put none", fmt::join(without, ", "));
  return fmt::format("the ranks' blocks leave out {} of {} voxels{}",
                     size_.voxels() - voxels_in_heads_, size_.voxels(), who);
}

void LiveTimestep::take_memory() {
  level_ = room_.level(type_, size_).value_or(1);
  built_.emplace(type_, level_ == 0 ? size_ : render::reduced_size(size_, 2), room_.packs,
                 *room_.pool);
  if (level_ > 0)
    unreduced_ = render::HugeMemory(plane_bytes() * static_cast<std::size_t>(size_.z));
}

/// What keeps these blocks from being a part of this timestep; "" if nothing.
std::string LiveTimestep::fault_with(std::uint32_t rank, const net::LiveHeadInfo& head) const {
  for (const net::LiveBlockInfo& block : head.blocks)
    if (voxel_type_of(block.type) != type_)
      return fmt::format("rank {}: expected values of type {} as other blocks have, found {}", rank,
                         render::name_of(type_), render::name_of(voxel_type_of(block.type)));
  if (blocks_ + head.blocks.size() > net::most_live_blocks)
    return fmt::format("expected at most {} blocks of all ranks, found more",
                       net::most_live_blocks);
  for (std::size_t other = 0; other < ranks_.size(); ++other)
    for (const Block& theirs : ranks_[other].blocks)
      for (const net::LiveBlockInfo& own : head.blocks)
        if (net::overlap(own.box, theirs.box))
          return fmt::format("the blocks of ranks {} and {} overlap",
                             std::min<std::size_t>(rank, other),
                             std::max<std::size_t>(rank, other));
  return "";
}

void LiveTimestep::add_statistics(std::uint32_t rank, const net::LiveHeadInfo& head) {
  if (rank < time_rank_ && !head.blocks.empty()) {
    time_rank_ = rank;
    time_ = head.time;
  }
  for (const net::LiveBlockInfo& block : head.blocks) {
    not_shown_ += block.not_shown;
    if (block.not_shown >= block.box.voxels()) continue;  // it has no range
    const bool had_none = range_.empty();
    range_.min = had_none ? block.least : std::min(range_.min, block.least);
    range_.max = had_none ? block.greatest : std::max(range_.max, block.greatest);
  }
}

const net::LiveHeadInfo* LiveTimestep::head_of(std::uint32_t rank) const {
  const auto& head = ranks_[rank].head;
  return head ? &*head : nullptr;
}

void LiveTimestep::place(std::uint32_t rank, const net::LiveRequest& request,
                         std::span<const std::byte> planes) {
  TW_CHECK(request.block < ranks_[rank].blocks.size(), "a block of the head");
  Block& block = ranks_[rank].blocks[request.block];
  const std::uint64_t plane_voxels = std::uint64_t{block.box.side(0)} * block.box.side(1);
  const std::size_t bytes = plane_voxels * static_cast<std::size_t>(render::bytes_of(type_));
  TW_CHECK(request.plane_begin < request.plane_end && request.plane_end <= block.box.side(2) &&
               planes.size() == bytes * (request.plane_end - request.plane_begin),
           "planes of the block");
  received_bytes_ += planes.size();
  const Nanos tiles_before = work_.tiles;
  const LocalInstant began = local_now();
  for (std::uint32_t plane = request.plane_begin; plane < request.plane_end; ++plane) {
    if (block.has_plane[plane]) continue;
    block.has_plane[plane] = true;
    --block.missing;
    copy_plane(block.box, plane, planes.data() + bytes * (plane - request.plane_begin));
    note_arrived(block.box.begin[2] + plane, plane_voxels);
  }
  work_.last = local_now() - began;
  work_.convert += work_.last - (work_.tiles - tiles_before);
}

bool LiveTimestep::has_all_of(std::uint32_t rank) const {
  return std::ranges::all_of(ranks_[rank].blocks,
                             [](const Block& block) { return block.missing == 0; });
}

void LiveTimestep::copy_plane(const net::LiveBox& box, std::uint32_t plane,
                              const std::byte* from) noexcept {
  const auto voxel = static_cast<std::size_t>(render::bytes_of(type_));
  const std::uint32_t z = box.begin[2] + plane;
  std::size_t row = static_cast<std::size_t>(size_.x) * voxel;
  const std::size_t own_row = box.side(0) * voxel;
  std::byte* to = nullptr;
  if (level_ == 0) {
    const render::VolumeBuilder::Slice slice = built_->slice(static_cast<int>(z));
    to = slice.first;
    row = slice.row_bytes;
  } else {
    to = unreduced_.data() + z * plane_bytes();
  }
  to += box.begin[1] * row + box.begin[0] * voxel;
  if (own_row == row) {
    std::memcpy(to, from, own_row * box.side(1));
    return;
  }
  for (std::uint32_t y = 0; y < box.side(1); ++y, to += row, from += own_row)
    std::memcpy(to, from, own_row);
}

void LiveTimestep::note_arrived(std::uint32_t z, std::uint64_t voxels) {
  const std::uint64_t whole =
      static_cast<std::uint64_t>(size_.x) * static_cast<std::uint64_t>(size_.y);
  arrived_[z] += voxels;
  if (arrived_[z] < whole) return;
  ++planes_whole_;
  const std::uint32_t other = z ^ 1U;
  if (level_ == 0)
    finish_slice(static_cast<int>(z));
  else if (other >= arrived_.size() || arrived_[other] == whole)
    halve(z / 2);
  if (planes_whole_ == arrived_.size()) unreduced_ = {};
}

void LiveTimestep::halve(std::uint32_t pair) {
  const int first = static_cast<int>(2 * pair);
  const render::VolumeSize half = render::reduced_size(size_, 2);
  const std::size_t row =
      static_cast<std::size_t>(half.x) * static_cast<std::size_t>(render::bytes_of(type_));
  std::vector<std::byte> reduced(row * static_cast<std::size_t>(half.y));
  render::reduce_slab(type_, size_, unreduced_.data() + 2 * pair * plane_bytes(),
                      std::min(2, size_.z - first), 2, reduced.data());
  const render::VolumeBuilder::Slice slice = built_->slice(static_cast<int>(pair));
  for (int y = 0; y < half.y; ++y)
    std::memcpy(slice.first + static_cast<std::size_t>(y) * slice.row_bytes,
                reduced.data() + static_cast<std::size_t>(y) * row, row);
  finish_slice(static_cast<int>(pair));
}

void LiveTimestep::finish_slice(int z) {
  const LocalInstant began = local_now();
  built_->finish_slice(z);
  work_.tiles += local_now() - began;
}

std::size_t LiveTimestep::memory_bytes() const noexcept {
  if (!built_) return 0;
  return render::VolumeBuilder::bytes(type_, level_ == 0 ? size_ : render::reduced_size(size_, 2));
}

std::size_t LiveTimestep::plane_bytes() const noexcept {
  return static_cast<std::size_t>(size_.x) * static_cast<std::size_t>(size_.y) *
         static_cast<std::size_t>(render::bytes_of(type_));
}

}  // namespace tilewall::volume
