// What a wall file says about each place of its grid, once its defaults, hosts and panels are
// merged.
#pragma once

#include <string>
#include <vector>

#include "wallconfigs/wall_file.hpp"

namespace tilewall::wall {

struct GridSpec {
  bool hole = false;
  std::string name;  ///< of the panel or hole
  PanelSpec spec;    ///< of the panel: [panels], then its [[host]], then every [[panel]] about it
  int line = 0;      ///< of the [[panel]] about this place alone, or of the [[hole]]; 0 = none
};

/// columns x rows places, row by row. Throws InputError: a place described twice, names that are
/// not unique, hosts or panels that are not there.
[[nodiscard]] std::vector<GridSpec> make_grid_specs(const WallFile& file);

}  // namespace tilewall::wall
