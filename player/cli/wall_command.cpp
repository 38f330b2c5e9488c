#include "player/cli/command.hpp"

namespace tilewall {
void add_wall_command(CLI::App&, CommandRun&) {}
}  // namespace tilewall
