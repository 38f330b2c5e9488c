// Finds which axes of a NetCDF variable are x, y, z and time, by the CF conventions
// (cfconventions.org): from the attributes of their coordinate variables, else from their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/readers/formats/netcdf_file.hpp"
#include "render/readers/formats/text_fields.hpp"

namespace tilewall::render {

/// list: an axis that is none of space, such as the members of an ensemble. fixed: one index of it
/// was asked for.
enum class NcRole : std::uint8_t { x, y, z, time, list, other, fixed };

struct NcAxis {
  std::string name;
  std::size_t length = 0;
  NcRole role = NcRole::other;
  std::vector<double> coordinates;  ///< one per index; empty if the file has no valid ones
  std::string unit;                 ///< unit of the coordinates; "" = unknown
  std::string calendar;             ///< calendar of times; "" = the standard one
  bool downwards = false;           ///< coordinates grow towards the ground (depth, pressure)
  bool has_flaws = false;  ///< the file's coordinates are not all finite, and were not taken
};

/// Describes a dimension of the file. Throws InputError with the file if it is damaged.
[[nodiscard]] NcAxis nc_axis(const NcFile& file, int dimension);

/// Resolves roles that occur twice, and assigns those of x, y and z that are missing, from the last
/// axis on: without other information, x is the last axis. If no axis is time, the first one that
/// is none of space becomes it.
void complete_roles(std::vector<NcAxis>& axes);

/// Evenly spaced coordinates that stand for those of an axis.
struct NcLine {
  double start = 0;
  double step = 1;       ///< mean step; negative if coordinates fall
  double deviation = 0;  ///< greatest deviation of a step, as a share of the mean step
};

/// Throws InputError at `place` for coordinates that are not strictly monotonic.
[[nodiscard]] NcLine nc_line(const NcAxis& axis, const FieldPlace& place);

}  // namespace tilewall::render
