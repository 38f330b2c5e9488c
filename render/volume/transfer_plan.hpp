// The transfer function in the forms that kernels read.
#pragma once

#include "render/volume/cast_plan.hpp"

namespace tilewall {

/// Straight lines over equal intervals, where all points of the function lie between these and the
/// corrected opacity is nearly straight within each; count 0 where not.
[[nodiscard]] TransferBins bins_of(const TransferFunction& function, double opacity_step,
                                   ValueScale scale);

void fill_levels(const TransferTable& table, ValueScale scale, TransferLevels& levels);

}  // namespace tilewall
