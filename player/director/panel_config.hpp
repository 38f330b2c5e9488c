// What a panel is told once: its place in the wall, and how the show is played.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "player/director/show_options.hpp"

namespace tilewall {

/// `local_presenter`: what panels of this machine present with. @pre index is a panel of the wall
[[nodiscard]] PanelConfig panel_config(const ShowOptions& options, std::size_t index,
                                       const std::string& local_presenter);

/// In the wall's order.
[[nodiscard]] std::vector<std::string> panel_names(const Wall& wall);

}  // namespace tilewall
