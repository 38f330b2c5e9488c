#include "render/readers/voxel_reader.hpp"

#include <algorithm>
#include <cstring>

namespace tilewall::render {

std::uint64_t bricks_in(const GridBox& box, const VolumeGrid& grid) noexcept {
  const std::array<int, 3>& side = grid.chunk;
  const bool is_slice = side[0] == grid.size.x && side[1] == grid.size.y && side[2] == 1;
  if (is_slice || side == VolumeGrid{}.chunk) return 0;
  std::uint64_t bricks = 1;
  for (std::size_t i = 0; i < 3; ++i)
    bricks *= static_cast<std::uint64_t>((box.end[i] - 1) / side[i] - box.begin[i] / side[i] + 1);
  return bricks;
}

std::array<int, 3> piece_sides(const std::array<int, 3>& extent, const std::array<int, 3>& unit,
                               int least, std::size_t voxel_bytes, std::size_t most) noexcept {
  const auto rounded_up = [](int length, int side) { return (length + side - 1) / side * side; };
  std::array<int, 3> sides = {};
  const auto bytes = [&] {
    std::size_t product = voxel_bytes;
    for (const int side : sides) product *= static_cast<std::size_t>(side);
    return product;
  };
  for (std::size_t i = 0; i < 3; ++i) sides[i] = rounded_up(std::min(unit[i], extent[i]), least);
  for (const std::size_t axis : {2U, 1U, 0U})
    while (bytes() > most && sides[axis] > least) sides[axis] = rounded_up(sides[axis] / 2, least);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t times = std::max<std::size_t>(most / bytes(), 1);
    const int whole = rounded_up(extent[i], sides[i]);
    sides[i] = static_cast<int>(std::min<std::size_t>(times * static_cast<std::size_t>(sides[i]),
                                                      static_cast<std::size_t>(whole)));
    if (sides[i] < whole) break;  // this axis is not whole, so the piece is full
  }
  return sides;
}

BoxPieces::BoxPieces(const GridBox& box, const std::array<int, 3>& chunk, std::size_t voxel_bytes,
                     std::size_t most) noexcept
    : box_(box) {
  std::array<int, 3> extent = {};
  for (std::size_t i = 0; i < 3; ++i) {
    more_ &= box.begin[i] < box.end[i];
    first_[i] = box.begin[i] / chunk[i] * chunk[i];
    extent[i] = box.end[i] - first_[i];
  }
  if (!more_) return;
  sides_ = piece_sides(extent, chunk, 1, voxel_bytes, most);
  for (std::size_t i = 0; i < 3; ++i)  // skips pieces of the first chunk that end before the box
    first_[i] += (box.begin[i] - first_[i]) / sides_[i] * sides_[i];
  at_ = first_;
}

std::optional<GridBox> BoxPieces::next() noexcept {
  if (!more_) return std::nullopt;
  GridBox piece;
  for (std::size_t i = 0; i < 3; ++i) {
    piece.begin[i] = std::max(at_[i], box_.begin[i]);
    piece.end[i] = std::min(at_[i] + sides_[i], box_.end[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    at_[i] += sides_[i];
    if (at_[i] < box_.end[i]) return piece;
    at_[i] = first_[i];
  }
  more_ = false;
  return piece;
}

void place_piece(const std::byte* voxels, const GridBox& piece, const GridBox& box,
                 std::size_t voxel_bytes, const VoxelTarget& into) noexcept {
  const VolumeSize size = piece.size();
  const std::size_t row = static_cast<std::size_t>(size.x) * voxel_bytes;
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  std::byte* const first =
      into.first + static_cast<std::size_t>(piece.begin[2] - box.begin[2]) * into.slice_bytes +
      static_cast<std::size_t>(piece.begin[1] - box.begin[1]) * into.row_bytes +
      static_cast<std::size_t>(piece.begin[0] - box.begin[0]) * voxel_bytes;
  for (int z = 0; z < size.z; ++z) {
    std::byte* to = first + static_cast<std::size_t>(z) * into.slice_bytes;
    if (into.row_bytes == row) {
      std::memcpy(to, voxels, slice);
      voxels += slice;
      continue;
    }
    for (int y = 0; y < size.y; ++y, to += into.row_bytes, voxels += row)
      std::memcpy(to, voxels, row);
  }
}

}  // namespace tilewall::render
