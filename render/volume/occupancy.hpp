// The cells of a volume whose samples a picture needs, in levels: every cell of a level covers 4 x
// 4 x 4 of the level below it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "render/volume/cast_plan.hpp"
#include "render/volume/transfer_function.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

/// A box in voxel coordinates, ends included.
struct VoxelBox {
  float min[3];
  float max[3];
};

class Occupancy {
 public:
  /// `needed(ValueRange)` decides whether a cell with such values counts. It is not called for
  /// cells without values. Runs on `threads` threads.
  template <typename Needed>
  Occupancy(const Volume& volume, int threads, Needed&& needed) : Occupancy(volume.cells()) {
    const ValueScale scale = volume.scale();
    const auto value = [&](float stored) {
      return static_cast<float>(scale.offset + scale.scale * static_cast<double>(stored));
    };
    fill_base(volume, threads, [&](const ValueRange& stored) {
      const bool is_needed =
          !stored.empty() && needed(ValueRange{value(stored.min), value(stored.max)});
      return static_cast<std::uint8_t>(is_needed ? 1 : 0);
    });
    fill_above();
  }

  /// Every cell with values counts, and is marked by its greatest stored number. A cell of a coarse
  /// level has the greatest mark of its own.
  Occupancy(const Volume& volume, int threads, const CellMarks& marks) : Occupancy(volume.cells()) {
    fill_base(volume, threads, [&](const ValueRange& stored) {
      return stored.empty() ? std::uint8_t{0} : marks.of_cell(stored.max);
    });
    fill_above();
  }

  /// Whether any cell that the box touches is needed; false for a box outside. May err towards
  /// true where the box is large beside the cells of the coarsest level looked at.
  [[nodiscard]] bool any_in(const VoxelBox& box) const noexcept;
  /// The greatest mark of the cells that the box touches, or a greater one; 0 for a box outside.
  [[nodiscard]] std::uint8_t greatest_in(const VoxelBox& box) const noexcept;

  /// One byte per cell: 0 where it is not needed, else 1 or its mark; in the order of
  /// CellGrid::stored.
  [[nodiscard]] std::span<const std::uint8_t> cells() const noexcept {
    return {levels_.front().needed.data(), levels_.front().needed.size() - read_beyond};
  }

  /// The finest level, for kernels; valid as long as this.
  [[nodiscard]] NeededCells base() const noexcept;

  /// Share of the cells that are needed.
  [[nodiscard]] double share() const noexcept;

 private:
  struct Level {
    float per_voxel;  ///< Cells per voxel
    int size[3];
    std::vector<std::uint8_t> needed;  ///< One byte per cell, x fastest
  };

  static constexpr std::size_t read_beyond = 3;  ///< Bytes after the last cell that can be read

  explicit Occupancy(const CellGrid& cells);
  template <typename Test>
  void fill_base(const Volume& volume, int threads, Test&& test);
  void leave_out_tiles(const Volume& volume, int threads);
  void fill_above();
  template <typename Visit>
  void visit_rows(const VoxelBox& box, Visit&& visit) const noexcept;

  std::vector<Level> levels_;  ///< Levels from the finest to the coarsest
};

}  // namespace tilewall::render

#include "render/volume/shared_work.hpp"

namespace tilewall::render {

template <typename Test>
void Occupancy::fill_base(const Volume& volume, int threads, Test&& test) {
  const CellGrid& cells = volume.cells();
  std::vector<std::uint8_t>& needed = levels_.front().needed;
  share_work(cells.z, threads, [&](int z) {
    const std::size_t end = cells.index(0, 0, z + 1);
    for (std::size_t i = cells.index(0, 0, z); i < end; ++i) needed[i] = test(cells.stored[i]);
  });
  leave_out_tiles(volume, threads);
}

}  // namespace tilewall::render
