// A wall file's settings for each place of its grid, once its defaults, hosts and panels are
// merged.
#pragma once

#include <string>
#include <vector>

#include "wallconfigs/wall_file.hpp"

namespace tilewall::wall {

struct GridSpec {
  bool hole = false;
  std::string name;  ///< Name of the panel or hole
  /// Settings of the panel: [panels], then its [[host]], then every [[panel]] about it.
  PanelSpec spec;
  int line = 0;  ///< Line of the [[panel]] for this place alone, or of the [[hole]]; 0 = none
};

/// Merges the file's settings into columns x rows places, row by row. Throws InputError for a place
/// described twice, names that are not unique, and hosts or panels that do not exist.
[[nodiscard]] std::vector<GridSpec> make_grid_specs(const WallFile& file);

}  // namespace tilewall::wall
