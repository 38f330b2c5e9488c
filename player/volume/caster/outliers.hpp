// Finds out whether a few outliers take nearly all colours of a volume: with a dead voxel of 65535,
// a scan with values of 0 to 200 has one colour.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "render/volume/volume.hpp"

namespace tilewall::volume {

/// The range in which nearly all values of the volume lie, in round numbers, if it is less than 2 %
/// of `shown`, the range of the colours; else empty. It is found in a sample of 2^16 voxels in
/// memory, without a thousandth of them at each end. Also empty if these have one value (an object
/// in empty space), or are labels: whole numbers, mostly with equal neighbours.
[[nodiscard]] std::optional<render::ValueRange> range_without_outliers(const render::Volume& volume,
                                                                       render::ValueRange shown);

/// The line for the operator: both ranges, and the option that shows the values.
[[nodiscard]] std::string outlier_line(const std::string& volume, render::ValueRange shown,
                                       render::ValueRange without_outliers);

}  // namespace tilewall::volume
