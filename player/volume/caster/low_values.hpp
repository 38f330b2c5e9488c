// The values of a volume that a logarithm or a root leaves out, and the least that it shows.
//
// Threads: helpers that end before the call returns.
#pragma once

#include <cstdint>
#include <string>

#include "render/volume/value_curve.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::volume {

struct LowValues {
  float least_above_zero = 0;  ///< 0: no value is above 0
  std::uint64_t zeros = 0;     ///< Voxels whose value is 0
  std::uint64_t below_zero = 0;
  std::uint64_t values = 0;  ///< Voxels that are not empty; those in rows and slices only

  /// Number of voxels with a value that the scale does not take.
  [[nodiscard]] std::uint64_t left_out(const render::ValueCurve& scale) const noexcept {
    return scale.takes(0) ? scale.takes(-1) ? 0 : below_zero : zeros + below_zero;
  }
};

/// @pre the volume is not in tiles
[[nodiscard]] LowValues find_low_values(const render::Volume& volume, int threads);

/// The line for the operator about what a scale leaves out; "" where it leaves out nothing.
[[nodiscard]] std::string left_out_line(const std::string& volume, const LowValues& low,
                                        const render::ValueCurve& scale);

}  // namespace tilewall::volume
