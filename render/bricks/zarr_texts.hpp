// The texts of an OME-Zarr 0.4 (ngff.openmicroscopy.org/0.4) on Zarr v2.
#pragma once

#include <string>

#include "render/bricks/brick_codec.hpp"
#include "render/bricks/brick_layout.hpp"

namespace tilewall::render {

[[nodiscard]] std::string zgroup_text();

/// Of a level: (z, y, x), or (t, z, y, x) with more than one timestep. What has no file is 0, or
/// NaN among f32.
[[nodiscard]] std::string zarray_text(const BrickLayout& layout, std::size_t level, int timesteps,
                                      BrickCodec codec);

/// Axes, levels, and what OME-Zarr has no place for. `volume`: what was read, its times those that
/// were written. `range`: of all values.
[[nodiscard]] std::string zattrs_text(const VolumeInfo& volume, const BrickLayout& layout,
                                      ValueRange range);

}  // namespace tilewall::render
