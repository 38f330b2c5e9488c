// Writes the JSON texts of an OME-Zarr 0.4 (ngff.openmicroscopy.org/0.4) on Zarr v2.
//
// Threads: pure functions.
#pragma once

#include <string>

#include "render/bricks/brick_codec.hpp"
#include "render/bricks/brick_layout.hpp"

namespace tilewall::render {

[[nodiscard]] std::string zgroup_text();

/// The .zarray of a level with the axes (z, y, x), or (t, z, y, x) with more than one timestep.
/// Bricks without a file are 0, or NaN for f32.
[[nodiscard]] std::string zarray_text(const BrickLayout& layout, std::size_t level, int timesteps,
                                      BrickCodec codec);

/// The .zattrs with axes, levels, and the key "tilewall" for what OME-Zarr cannot express
/// (README.md). `volume` describes the input, with the times that were written; `range` is that of
/// all values.
[[nodiscard]] std::string zattrs_text(const VolumeInfo& volume, const BrickLayout& layout,
                                      ValueRange range);

}  // namespace tilewall::render
