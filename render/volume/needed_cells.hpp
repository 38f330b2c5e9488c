// Which cells of a volume have something to show in a style.
#pragma once

#include "render/volume/cast_style.hpp"
#include "render/volume/occupancy.hpp"

namespace tilewall {

/// Of a cell with such values.
[[nodiscard]] bool is_needed(ValueRange values, const TransferTable& table,
                             const CastStyle& style) noexcept;

/// Samples in other cells add exactly nothing to a composite, and hold no isosurface. Of a maximum
/// or average every cell with values is needed. `table`: of the style's opacity_step.
[[nodiscard]] Occupancy needed_cells(const Volume& volume, const TransferTable& table,
                                     const CastStyle& style, int threads);

}  // namespace tilewall
