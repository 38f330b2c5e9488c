// Finds the least and greatest stored number of every cell of a volume.
#pragma once

#include "render/volume/cast_style.hpp"
#include "render/volume/occupancy.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Cells of 4 voxels a side, of 8 where an axis has more than 768 voxels: there a list of small
/// cells costs more than the samples that it saves.
[[nodiscard]] int cell_side_of(VolumeSize size) noexcept;

/// Of a volume of `size`, with ranges that nothing is known of yet.
[[nodiscard]] CellGrid cell_grid(VolumeSize size);

/// On `threads` threads; of f32, numbers that are not finite are left out.
[[nodiscard]] CellGrid find_cell_ranges(const VoxelArray& voxels, int threads);

// Which cells of a volume have something to show in a style.

/// Of a cell with such values.
[[nodiscard]] bool is_needed(ValueRange values, const TransferTable& table,
                             const CastStyle& style) noexcept;

/// Samples in other cells add exactly nothing to a composite, and hold no isosurface. Of a maximum
/// or average every cell with values is needed. `table`: of the style's opacity_step.
[[nodiscard]] Occupancy needed_cells(const Volume& volume, const TransferTable& table,
                                     const CastStyle& style, int threads);

}  // namespace tilewall::render
