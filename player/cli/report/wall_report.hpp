// A wall's geometry in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "wallconfigs/wall.hpp"

namespace tilewall {

/// "15 panels 5x3, canvas 1280x480 px".
[[nodiscard]] std::string wall_summary(const Wall& wall, BezelMode mode);

/// A table for people, one panel a line; ends with a line feed.
[[nodiscard]] std::string wall_table(const Wall& wall, BezelMode mode);

/// What `wall check --json` prints: counts, canvas, advice.
[[nodiscard]] nlohmann::ordered_json wall_check_json(const Wall& wall);

/// What `wall show --json` prints: everything; canvas rectangles in both bezel modes.
[[nodiscard]] nlohmann::ordered_json wall_json(const Wall& wall, BezelMode mode);

}  // namespace tilewall
