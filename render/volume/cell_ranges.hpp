// Finds the least and greatest stored number of every cell of a volume.
#pragma once

#include <span>

#include "render/volume/cast_style.hpp"
#include "render/volume/occupancy.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Cells have 4 voxels a side, or 8 where an axis has more than 768 voxels: there a list of small
/// cells costs more than the samples that it saves.
[[nodiscard]] int cell_side_of(VolumeSize size) noexcept;

/// The cells of a volume of `size`, with ranges still unknown.
[[nodiscard]] CellGrid cell_grid(VolumeSize size);

/// Makes infinite voxels empty, NaN.
void drop_infinities(std::span<float> voxels) noexcept;

/// Finds the ranges of the cells from cell `cz` along z, which hold the slices [cz side, (cz + 1)
/// side]. f32 numbers that are not finite are left out.
void find_cell_layer(const VoxelArray& voxels, CellGrid& grid, int cz);

/// Finds the ranges on `threads` threads. f32 numbers that are not finite are left out.
[[nodiscard]] CellGrid find_cell_ranges(const VoxelArray& voxels, int threads);

// Finds the cells of a volume that a style shows something of.

/// Whether a cell with such values shows something.
[[nodiscard]] bool is_needed(ValueRange values, const TransferTable& table,
                             const CastStyle& style) noexcept;

/// The needed cells of a volume. Samples in other cells add exactly nothing to a composite, and
/// hold no isosurface. For a maximum or average every cell with values is needed. `table`: of the
/// style's opacity_step.
[[nodiscard]] Occupancy needed_cells(const Volume& volume, const TransferTable& table,
                                     const CastStyle& style, int threads);

}  // namespace tilewall::render
