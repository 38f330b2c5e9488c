// A volume on even axes, made from one whose axes are unevenly spaced.
#pragma once

#include <array>
#include <vector>

#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {

/// Where the samples of an even axis lie among the uneven coordinates of another. Empty: the axis
/// is even and stays as it is.
struct EvenSamples {
  std::vector<int> below;    ///< index of the coordinate at or before each sample; never the last
  std::vector<float> share;  ///< how far each sample lies towards the next coordinate, 0 to 1
};

/// Samples from the first to the last coordinate, so many that the narrowest gap has a sample of
/// its own, but at most four for each coordinate (or 128).
/// @pre at least three coordinates, which grow or fall
[[nodiscard]] EvenSamples even_samples(const std::vector<double>& coordinates);

/// Resamples axes of a volume, whose place has the mean distance of the coordinates as spacing.
/// Values between two coordinates are interpolated linearly; where one of both is empty, the nearer
/// one counts. Returns the volume itself if no axis has samples. @pre it has a single grid
[[nodiscard]] VolumeSourcePtr resampled(VolumeSourcePtr volume, std::array<EvenSamples, 3> samples);

}  // namespace tilewall::render
