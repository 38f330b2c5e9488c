// `tilewall ctl events`: what happens to a wall, as it happens.
#pragma once

#include "player/command/control_client.hpp"

namespace tilewall {

/// Prints a line for each event until the wall ends: for people, or as JSON objects.
void print_events(WallConnection& wall, bool json);

}  // namespace tilewall
