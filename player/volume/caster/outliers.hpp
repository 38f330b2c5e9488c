// Whether a few numbers far off take nearly all colours of a volume: a dead voxel of 65535 in a
// scan of 0 to 200, which then has one colour. Pure.
#pragma once

#include <optional>
#include <string>

#include "render/volume/volume.hpp"

namespace tilewall::volume {

/// Where nearly all values of the volume lie, in round numbers, where colours for `shown` have
/// little for them; empty where they have enough. By a sample of 2^16 voxels in memory, without one
/// in a thousand at each end. Empty too where all of these are one value (an object in empty
/// space), or labels: whole numbers, most of them surrounded by the same.
[[nodiscard]] std::optional<render::ValueRange> range_without_outliers(const render::Volume& volume,
                                                                       render::ValueRange shown);

/// What to tell people: what `shown` is, and the option that helps.
[[nodiscard]] std::string outlier_line(const std::string& volume, render::ValueRange shown,
                                       render::ValueRange without_outliers);

}  // namespace tilewall::volume
