// A wall's status, for people.
#pragma once

#include <nlohmann/json.hpp>

namespace tilewall {

/// Prints the answer to "status": the show, its regions, and a line for each panel, the worst
/// first.
void print_status(const nlohmann::json& status);

}  // namespace tilewall
