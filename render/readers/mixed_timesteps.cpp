#include "render/readers/mixed_timesteps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

/// Numbers in bytes, which need not be aligned.
template <typename Number, typename Mixed>
void mix_numbers(std::span<std::byte> from, std::span<const std::byte> to, const Mixed& mixed) {
  for (std::size_t at = 0; at + sizeof(Number) <= from.size(); at += sizeof(Number)) {
    Number a{};
    Number b{};
    std::memcpy(&a, &from[at], sizeof a);
    std::memcpy(&b, &to[at], sizeof b);
    a = mixed(a, b);
    std::memcpy(&from[at], &a, sizeof a);
  }
}

template <typename Number>
void mix_whole(std::span<std::byte> from, std::span<const std::byte> to, unsigned share,
               unsigned parts) {
  mix_numbers<Number>(from, to, [=](Number a, Number b) {
    return static_cast<Number>((a * (parts - share) + b * share + parts / 2) / parts);
  });
}

}  // namespace

void mix_voxels(std::span<std::byte> from, std::span<const std::byte> to, VoxelType type, int share,
                int parts) {
  TW_CHECK(from.size() == to.size() && 0 <= share && share <= parts && parts <= most_mixed_parts);
  const auto first = static_cast<unsigned>(share);
  const auto all = static_cast<unsigned>(parts);
  if (type == VoxelType::u8) return mix_whole<std::uint8_t>(from, to, first, all);
  if (type == VoxelType::u16) return mix_whole<std::uint16_t>(from, to, first, all);
  const float of_to = static_cast<float>(share) / static_cast<float>(parts);
  const bool is_nearer_to = 2 * share > parts;
  mix_numbers<float>(from, to, [=](float a, float b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return is_nearer_to ? b : a;
    return a * (1 - of_to) + b * of_to;
  });
}

void MixedTimesteps::read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                              const std::stop_token& stop) {
  const int share = timestep % parts_;
  series_->read_box(grid, timestep / parts_, box, into, stop);
  if (share == 0) return;
  const VolumeGrid of = info().grid(grid);
  const auto voxel = static_cast<std::size_t>(bytes_of(info().type));
  BoxPieces pieces(box, of.chunk, voxel, window_bytes());
  std::vector<std::byte> later;
  while (const auto piece = pieces.next()) {
    if (stop.stop_requested()) return;
    const VolumeSize size = piece->size();
    const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
    const std::size_t slice = row * static_cast<std::size_t>(size.y);
    later.resize(slice * static_cast<std::size_t>(size.z));
    series_->read_box(grid, timestep / parts_ + 1, *piece, {later.data(), row, slice}, stop);
    if (stop.stop_requested()) return;
    const auto from = [&](std::size_t axis) {
      return static_cast<std::size_t>(piece->begin[axis] - box.begin[axis]);
    };
    for (std::size_t z = 0; z < static_cast<std::size_t>(size.z); ++z)
      for (std::size_t y = 0; y < static_cast<std::size_t>(size.y); ++y) {
        std::byte* const place = into.first + (from(2) + z) * into.slice_bytes +
                                 (from(1) + y) * into.row_bytes + from(0) * voxel;
        mix_voxels({place, row}, {later.data() + z * slice + y * row, row}, info().type, share,
                   parts_);
      }
  }
}

/// What is mixed of two numbers lies between the least and the greatest of both.
std::optional<CellPairs> MixedTimesteps::read_cells(int grid, int timestep,
                                                    const std::stop_token& stop) {
  std::optional<CellPairs> cells = series_->read_cells(grid, timestep / parts_, stop);
  if (!cells || timestep % parts_ == 0) return cells;
  const std::optional<CellPairs> later = series_->read_cells(grid, timestep / parts_ + 1, stop);
  if (!later || later->least.size() != cells->least.size()) return std::nullopt;
  for (std::size_t i = 0; i < cells->least.size(); ++i) {
    cells->least[i] = std::min(cells->least[i], later->least[i]);
    cells->greatest[i] = std::max(cells->greatest[i], later->greatest[i]);
  }
  cells->stored = {std::min(cells->stored.min, later->stored.min),
                   std::max(cells->stored.max, later->stored.max)};
  return cells;
}

}  // namespace tilewall::render
