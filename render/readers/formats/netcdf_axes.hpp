// The axes of a NetCDF variable by the CF conventions (cfconventions.org): which is x, y, z or time
// is told by their coordinates' attributes and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/readers/formats/netcdf_file.hpp"
#include "render/readers/formats/text_fields.hpp"

namespace tilewall::render {

enum class NcRole : std::uint8_t { x, y, z, time, other };

struct NcAxis {
  std::string name;
  std::size_t length = 0;
  NcRole role = NcRole::other;
  std::vector<double> coordinates;  // empty where the file has none
  std::string unit;
  bool downwards = false;  // its numbers grow towards the ground
};

/// The axis of a dimension of the file. Throws InputError naming the file.
[[nodiscard]] NcAxis nc_axis(const NcFile& file, int dimension);

/// Gives roles that coordinates leave open, from the end: x is the last axis.
void complete_roles(std::vector<NcAxis>& axes);

/// An axis as evenly spaced.
struct NcLine {
  double start = 0;
  double step = 1;       // signed
  double deviation = 0;  // the largest, of the mean step
};

/// Throws InputError at `place` for coordinates that neither grow nor fall.
[[nodiscard]] NcLine nc_line(const NcAxis& axis, const FieldPlace& place);

}  // namespace tilewall::render
