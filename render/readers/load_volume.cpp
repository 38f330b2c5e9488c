#include "render/readers/load_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "render/readers/slab_reducer.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

constexpr int most_slabs = 32;
constexpr std::size_t scan_bytes = std::size_t{32} << 20;

/// Adds stored values to `range` and `not_positive`.
template <typename Voxel>
void scan(const std::byte* voxels, std::size_t bytes, const ValueScale& scale,
          ScannedValues& found) {
  const auto* voxel = reinterpret_cast<const Voxel*>(voxels);
  Voxel least = std::numeric_limits<Voxel>::max();
  Voxel most = std::numeric_limits<Voxel>::lowest();
  for (std::size_t i = 0; i < bytes / sizeof(Voxel); ++i) {
    least = voxel[i] < least ? voxel[i] : least;  // false for NaN, which is skipped
    most = voxel[i] > most ? voxel[i] : most;
    const double value = scale.offset + scale.scale * static_cast<double>(voxel[i]);
    found.not_positive += value <= 0 ? 1 : 0;
  }
  if (least > most) return;  // all are NaN
  found.range.min = std::min(found.range.min, static_cast<float>(least));
  found.range.max = std::max(found.range.max, static_cast<float>(most));
}

/// Copies the only voxel of each side of length 1 to the second. @pre the first one has been read
void double_thin(VolumeSize small, VolumeSize size, const VoxelTarget& at,
                 std::size_t voxel_bytes) {
  for (int z = 0; z < small.z; ++z) {
    std::byte* const slice = at.first + static_cast<std::size_t>(z) * at.slice_bytes;
    for (int y = 0; y < small.y && size.x != small.x; ++y) {
      std::byte* const row = slice + static_cast<std::size_t>(y) * at.row_bytes;
      std::memcpy(row + voxel_bytes, row, voxel_bytes);
    }
    if (size.y != small.y) std::memcpy(slice + at.row_bytes, slice, at.row_bytes);
  }
  if (size.z != small.z) std::memcpy(at.first + at.slice_bytes, at.first, at.slice_bytes);
}

/// Reads the box piece by piece, and writes the mean of each cube of side^3 voxels.
void read_means(VoxelReader& file, const LoadOptions& options, const GridBox& box,
                const VoxelTarget& into) {
  const VoxelType type = file.info().type;
  const auto voxel = static_cast<std::size_t>(bytes_of(type));
  const int side = options.side;
  const std::array<int, 3> chunk = file.info().grid(options.grid).chunk;
  std::array<int, 3> unit = {};
  std::array<int, 3> extent = {};
  for (std::size_t i = 0; i < 3; ++i) {
    unit[i] = (chunk[i] + side - 1) / side * side;
    extent[i] = box.end[i] - box.begin[i];
  }
  const std::array<int, 3> sides = piece_sides(extent, unit, side, voxel, file.window_bytes());
  std::vector<std::byte> piece;
  std::vector<std::byte> reduced;
  for (int z = box.begin[2]; z < box.end[2]; z += sides[2])
    for (int y = box.begin[1]; y < box.end[1]; y += sides[1])
      for (int x = box.begin[0]; x < box.end[0]; x += sides[0]) {
        if (options.stop.stop_requested()) return;
        const GridBox part = {
            {x, y, z},
            {std::min(x + sides[0], box.end[0]), std::min(y + sides[1], box.end[1]),
             std::min(z + sides[2], box.end[2])}};
        const VolumeSize size = part.size();
        const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
        const std::size_t slice = row * static_cast<std::size_t>(size.y);
        piece.resize(slice * static_cast<std::size_t>(size.z));
        file.read_box(options.grid, options.timestep, part, {piece.data(), row, slice},
                      options.stop);
        if (options.stop.stop_requested()) return;
        const VolumeSize small = reduced_size(size, side);
        const std::size_t small_row = static_cast<std::size_t>(small.x) * voxel;
        reduced.resize(small_row * static_cast<std::size_t>(small.y));
        for (int k = 0; k < size.z; k += side) {
          reduce_slab(type, size, piece.data() + static_cast<std::size_t>(k) * slice,
                      std::min(side, size.z - k), side, reduced.data());
          for (int j = 0; j < small.y; ++j)
            std::memcpy(
                into.first +
                    static_cast<std::size_t>((z + k - box.begin[2]) / side) * into.slice_bytes +
                    static_cast<std::size_t>((y - box.begin[1]) / side + j) * into.row_bytes +
                    static_cast<std::size_t>((x - box.begin[0]) / side) * voxel,
                reduced.data() + static_cast<std::size_t>(j) * small_row, small_row);
        }
      }
}

/// Reads the box in slabs that end where chunks do, each of at least a 32nd of it.
void read_slabs(VoxelReader& file, const LoadOptions& options, const GridBox& box,
                const VoxelTarget& into) {
  const int chunk = std::max(file.info().grid(options.grid).chunk[2], 1);
  const int least = (box.size().z + most_slabs - 1) / most_slabs;
  for (int z = box.begin[2]; z < box.end[2] && !options.stop.stop_requested();) {
    GridBox slab = box;
    slab.begin[2] = z;
    z = std::min((z + least + chunk - 1) / chunk * chunk, box.end[2]);
    slab.end[2] = z;
    const auto above = static_cast<std::size_t>(slab.begin[2] - box.begin[2]);
    file.read_box(options.grid, options.timestep, slab,
                  {into.first + above * into.slice_bytes, into.row_bytes, into.slice_bytes},
                  options.stop);
    options.on_read(slab.size().voxels());
  }
}

}  // namespace

VolumePlace stretched_place(const VolumeInfo& info, int grid, Vec3d stretch) {
  VolumePlace place = info.grid(grid).place;
  const auto factors = axes_of(stretch);
  const Vec3d offset = place.origin - info.place.origin;
  place.origin = info.place.origin;
  for (std::size_t i = 0; i < 3; ++i)
    place.origin = place.origin + (factors[i] * dot(offset, place.axes[i])) * place.axes[i];
  place.spacing = {place.spacing.x * stretch.x, place.spacing.y * stretch.y,
                   place.spacing.z * stretch.z};
  return place;
}

VolumePlace place_of_box(const VolumePlace& place, const GridBox& box) noexcept {
  VolumePlace moved = place;
  const auto spacing = axes_of(place.spacing);
  for (std::size_t i = 0; i < 3; ++i)
    moved.origin = moved.origin + (box.begin[i] * spacing[i]) * place.axes[i];
  return moved;
}

Volume load_volume(VoxelReader& file, const LoadOptions& options) {
  const VolumeInfo& info = file.info();
  const VolumeGrid grid = info.grid(options.grid);
  const GridBox box = options.box.value_or(whole_box(grid.size));
  const VolumeSize small = reduced_size(box.size(), options.side);
  const VolumeSize size = thickened(small);
  for (const int side : {size.x, size.y, size.z})
    if (side > max_volume_side)
      throw InputError({file.path()}, "size",
                       fmt::format("at most {} voxels along an axis", max_volume_side),
                       fmt::format("{}", side));
  VoxelArray array(info.type, size);
  const auto voxel = static_cast<std::size_t>(bytes_of(info.type));
  const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
  const VoxelTarget target = {array.data(), row, row * static_cast<std::size_t>(size.y)};
  if (options.side > 1)
    read_means(file, options, box, target);
  else if (options.on_read)
    read_slabs(file, options, box, target);
  else
    file.read_box(options.grid, options.timestep, box, target, options.stop);
  double_thin(small, size, target, voxel);
  const VolumePlace place = thickened(
      reduced_place(place_of_box(stretched_place(info, options.grid, options.stretch), box),
                    box.size(), options.side),
      small);
  return Volume(std::move(array), place, info.scale, options.threads);
}

ScannedValues scan_values(VolumeFile& file, int timestep) {
  const VolumeInfo& info = file.info();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  ScannedValues found{{infinity, -infinity}};
  const auto slices = static_cast<int>(std::clamp<std::size_t>(
      scan_bytes / file.slab_bytes(0, 1), 1, static_cast<std::size_t>(info.size.z)));
  std::vector<std::byte> slab(file.slab_bytes(0, slices));
  for (int z = 0; z < info.size.z; z += slices) {
    const int end = std::min(z + slices, info.size.z);
    const std::span<std::byte> part = std::span(slab).first(file.slab_bytes(z, end));
    file.read(timestep, z, end, part);
    if (info.type == VoxelType::u8) scan<std::uint8_t>(part.data(), part.size(), info.scale, found);
    if (info.type == VoxelType::u16)
      scan<std::uint16_t>(part.data(), part.size(), info.scale, found);
    if (info.type == VoxelType::f32) scan<float>(part.data(), part.size(), info.scale, found);
  }
  const auto value = [&](float number) {
    return static_cast<float>(info.scale.offset + info.scale.scale * static_cast<double>(number));
  };
  found.range = {value(found.range.min), value(found.range.max)};
  return found;
}

}  // namespace tilewall::render
